package app

import (
	"encoding/json"
	"time"
)

// Asset is an image an agent made, named by its content.
type Asset struct {
	SHA256 string `json:"sha256"`
	MIME   string `json:"mime"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bytes  int    `json:"bytes"`
	Label  string `json:"label"` // board, logo_64, meme, …
	CallID string `json:"-"`     // of the tool call that made it
	StepID int64  `json:"-"`     // of the step that made it
}

// Build is a site or a utility made from a template, kept file by file.
type Build struct {
	ID             string          `json:"id"`   // uuid
	Kind           string          `json:"kind"` // site or utility
	Template       string          `json:"template"`
	Fields         json.RawMessage `json:"fields"`
	Files          []BuildFile     `json:"files"` // sorted by path
	ManifestSHA256 string          `json:"manifest_sha256"`
	Pages          int             `json:"pages"`
	Bytes          int64           `json:"bytes"`
	// Report is what site_check or the tests said, null before.
	Report json.RawMessage `json:"report"`
	// Passed tells whether that report allows publishing.
	Passed bool `json:"passed"`
	// StepID is the step that made it.
	StepID int64 `json:"-"`
}

// BuildFile is one file of a build; its bytes are in the blob store.
type BuildFile struct {
	Path   string `json:"path"` // with a leading slash
	SHA256 string `json:"sha256"`
}

// PollRecord is where an operation's poll went out.
type PollRecord struct {
	Question          string     `json:"question"`
	Options           []string   `json:"options"`
	XPostID           string     `json:"x_post_id"`
	TelegramChat      int64      `json:"telegram_chat"`
	TelegramMessageID int64      `json:"telegram_message_id"`
	TelegramPollID    string     `json:"telegram_poll_id"`
	ClosesAt          *time.Time `json:"closes_at"`
}

// MemberActivity is what code counted of one member of the group.
type MemberActivity struct {
	Member     string `json:"member"` // @username or the numeric id
	DaysActive int    `json:"days_active"`
	Messages   int    `json:"messages"`
	Answers    int    `json:"answers"` // replies to somebody else's question
	Violations int    `json:"violations"`
}
