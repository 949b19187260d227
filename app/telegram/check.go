package telegram

import (
	"context"
	"time"
)

// Webhook is where the Bot API brings updates.
type Webhook struct {
	URL     string   `json:"url"` // empty: nowhere
	Pending int      `json:"pending_update_count"`
	Allowed []string `json:"allowed_updates"`
	// LastError is why the last delivery that failed did, and when: outside text.
	LastError     string `json:"last_error_message"`
	LastErrorDate int64  `json:"last_error_date"`
}

// FailedSince tells whether a delivery has failed after an instant.
func (w Webhook) FailedSince(t time.Time) bool {
	return w.LastError != "" && time.Unix(w.LastErrorDate, 0).After(t)
}

// Webhook returns where updates are brought.
func (c *Client) Webhook(ctx context.Context) (Webhook, error) {
	var out Webhook
	err := c.call(ctx, "getWebhookInfo", struct{}{}, &out)
	return out, err
}
