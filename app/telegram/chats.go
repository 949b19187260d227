package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"strconv"
)

// Chat is a group as the Bot API shows it.
type Chat struct {
	ID          int64  `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`       // outside text
	Description string `json:"description"` // outside text
	Username    string `json:"username"`
	// Pinned is the newest pinned message, nil when there is none.
	Pinned *struct {
		MessageID int64  `json:"message_id"`
		Text      string `json:"text"`
	} `json:"pinned_message"`
	// Photo has an id that changes with every new picture; nil when there is none.
	Photo *struct {
		ID string `json:"big_file_unique_id"`
	} `json:"photo"`
}

// Bot is the account the token belongs to.
type Bot struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	Name     string `json:"first_name"`
}

// Rights are what the bot may do in a group.
type Rights struct {
	Status         string `json:"status"` // creator, administrator, member, restricted, left, kicked
	ChangeInfo     bool   `json:"can_change_info"`
	PinMessages    bool   `json:"can_pin_messages"`
	DeleteMessages bool   `json:"can_delete_messages"`
	Restrict       bool   `json:"can_restrict_members"`
	InviteUsers    bool   `json:"can_invite_users"`
}

type chatArgs struct {
	Chat        int64  `json:"chat_id"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	User        int64  `json:"user_id,omitempty"`
}

// SetTitle names the group; 1 to 128 characters. The name it already has is no error.
func (c *Client) SetTitle(ctx context.Context, chat int64, title string) error {
	return unlessSame(c.call(ctx, "setChatTitle", chatArgs{Chat: chat, Title: title}, nil))
}

// SetDescription describes the group; at most 255 characters. The text it
// already has is no error.
func (c *Client) SetDescription(ctx context.Context, chat int64, description string) error {
	return unlessSame(c.call(ctx, "setChatDescription", chatArgs{Chat: chat, Description: description}, nil))
}

// SetPhoto uploads the group's picture.
func (c *Client) SetPhoto(ctx context.Context, chat int64, png []byte) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("chat_id", strconv.FormatInt(chat, 10)); err != nil {
		return err
	}
	file, err := form.CreateFormFile("photo", "photo.png")
	if err != nil {
		return err
	}
	if _, err := file.Write(png); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	return c.send(ctx, "setChatPhoto", form.FormDataContentType(), body.Bytes(), nil)
}

// Chat reads the group.
func (c *Client) Chat(ctx context.Context, chat int64) (Chat, error) {
	var out Chat
	err := c.call(ctx, "getChat", chatArgs{Chat: chat}, &out)
	return out, err
}

// Me returns the bot itself.
func (c *Client) Me(ctx context.Context) (Bot, error) {
	var out Bot
	err := c.call(ctx, "getMe", struct{}{}, &out)
	return out, err
}

// MyRights returns what the bot may do in the group.
func (c *Client) MyRights(ctx context.Context, chat int64) (Rights, error) {
	me, err := c.Me(ctx)
	if err != nil {
		return Rights{}, fmt.Errorf("read rights: %w", err)
	}
	var out Rights
	if err := c.call(ctx, "getChatMember", chatArgs{Chat: chat, User: me.ID}, &out); err != nil {
		return Rights{}, fmt.Errorf("read rights: %w", err)
	}
	return out, nil
}

func unlessSame(err error) error {
	var api *APIError
	if errors.As(err, &api) && api.notModified() {
		return nil
	}
	return err
}
