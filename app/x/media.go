package x

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// chunk is how much of a file one append carries; larger ones have been refused.
const chunk = 2 << 20

// maxLooks bounds how often a media's processing is looked at.
const maxLooks = 30

// Upload is one picture: at most 5 MB, or 15 MB for a GIF.
type Upload struct {
	Bytes []byte
	MIME  string // image/png, image/jpeg, image/webp, image/gif
	Alt   string // at most 1,000 characters; empty for none
}

func (u Upload) category() string {
	if u.MIME == "image/gif" {
		return "tweet_gif"
	}
	return "tweet_image"
}

// mediaAnswer is what every media call answers. Some have had their fields at
// the top level instead of under data.
type mediaAnswer struct {
	mediaFields
	Data mediaFields `json:"data"`
}

type mediaFields struct {
	ID         string      `json:"id"`
	Processing *processing `json:"processing_info"`
}

type processing struct {
	State      string `json:"state"` // pending, in_progress, failed, succeeded
	AfterSecs  int    `json:"check_after_secs"`
	Percentage int    `json:"progress_percent"`
}

func (a mediaAnswer) fields() mediaFields {
	if a.Data.ID != "" {
		return a.Data
	}
	return a.mediaFields
}

// UploadMedia uploads a picture with its alt text and returns its media id,
// which is good for a day.
func (c *Client) UploadMedia(ctx context.Context, accessToken string, u Upload) (string, error) {
	id, err := c.upload(ctx, accessToken, u)
	if err != nil {
		return "", fmt.Errorf("upload media: %w", err)
	}
	if u.Alt == "" {
		return id, nil
	}
	return id, c.DescribeMedia(ctx, accessToken, id, u.Alt)
}

func (c *Client) upload(ctx context.Context, token string, u Upload) (string, error) {
	var opened mediaAnswer
	start := map[string]any{"media_type": u.MIME, "total_bytes": len(u.Bytes), "media_category": u.category()}
	if err := c.post(ctx, token, "/2/media/upload/initialize", start, &opened); err != nil {
		return "", err
	}
	id := opened.fields().ID
	if id == "" {
		return "", errors.New("X named no media id")
	}
	for segment, rest := 0, u.Bytes; len(rest) > 0; segment++ {
		part := rest[:min(chunk, len(rest))]
		rest = rest[len(part):]
		if err := c.appendMedia(ctx, token, id, segment, part); err != nil {
			return "", err
		}
	}
	var closed mediaAnswer
	if err := c.post(ctx, token, "/2/media/upload/"+url.PathEscape(id)+"/finalize", struct{}{}, &closed); err != nil {
		return "", err
	}
	return id, c.processed(ctx, token, id, closed.fields().Processing)
}

func (c *Client) appendMedia(ctx context.Context, token, id string, segment int, part []byte) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("segment_index", strconv.Itoa(segment)); err != nil {
		return err
	}
	file, err := form.CreateFormFile("media", "media")
	if err != nil {
		return err
	}
	if _, err := file.Write(part); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	path := "/2/media/upload/" + url.PathEscape(id) + "/append"
	return c.call(ctx, http.MethodPost, path, token, form.FormDataContentType(), body.Bytes(), nil)
}

// processed waits until X has taken the file in. Pictures are ready at once and
// carry no processing_info.
func (c *Client) processed(ctx context.Context, token, id string, info *processing) error {
	for range maxLooks {
		switch {
		case info == nil || info.State == "succeeded":
			return nil
		case info.State == "failed":
			return errors.New("X could not process the file")
		}
		if err := c.cfg.Wait(ctx, time.Duration(max(info.AfterSecs, 1))*time.Second); err != nil {
			return err
		}
		var answer mediaAnswer
		if err := c.get(ctx, token, "/2/media/upload", url.Values{"command": {"STATUS"}, "media_id": {id}}, &answer); err != nil {
			return err
		}
		info = answer.fields().Processing
	}
	return errors.New("X is still processing the file")
}

// DescribeMedia gives a picture its alt text, for which X charges each time.
func (c *Client) DescribeMedia(ctx context.Context, accessToken, id, alt string) error {
	type text struct {
		Text string `json:"text"`
	}
	type metadata struct {
		AltText text `json:"alt_text"`
	}
	body := struct {
		ID       string   `json:"id"`
		Metadata metadata `json:"metadata"`
	}{id, metadata{text{alt}}}
	var ignored json.RawMessage
	if err := c.post(ctx, accessToken, "/2/media/metadata", body, &ignored); err != nil {
		return fmt.Errorf("set alt text: %w", err)
	}
	return nil
}
