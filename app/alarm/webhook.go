package alarm

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/paths"
)

// The headers of a call: the alert's number, by which a call that comes twice is
// known, the seconds since 1970 at which it was made, and "sha256=" with the
// HMAC-SHA256 in hex of the timestamp, a point and the body.
const (
	HeaderID        = "Vivra-Alert-Id"
	HeaderTimestamp = "Vivra-Timestamp"
	HeaderSignature = "Vivra-Signature"
)

// Webhook posts each alert to an address.
type Webhook struct {
	url, secret, publicURL string
	http                   *http.Client
	wall                   clockwork.Clock
}

// WebhookConfig says where alerts are posted and how they are signed.
type WebhookConfig struct {
	URL, Secret string
	PublicURL   string // links of alerts begin with it
	Wall        clockwork.Clock
	// Timeout of a call; 0 is 10 seconds.
	Timeout time.Duration
}

// NewWebhook returns the channel. It starts nothing.
func NewWebhook(cfg WebhookConfig) *Webhook {
	if cfg.Timeout == 0 {
		cfg.Timeout = 10 * time.Second
	}
	return &Webhook{url: cfg.URL, secret: cfg.Secret, publicURL: cfg.PublicURL, wall: cfg.Wall, http: &http.Client{
		Timeout:       cfg.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Name implements Channel.
func (*Webhook) Name() string { return app.AlertWebhook }

// Gather implements Channel: a call is one alert.
func (*Webhook) Gather() (int, time.Duration) { return 1, 0 }

// body is what is posted.
type body struct {
	ID        int64     `json:"id"`
	Kind      string    `json:"kind"`
	Operation string    `json:"operation"`
	Message   string    `json:"message"`
	Link      string    `json:"link"`
	At        time.Time `json:"at"`
}

// maxAnswer bounds what is read of an answer, of which nothing is used.
const maxAnswer = 64 << 10

// Send implements Channel.
func (w *Webhook) Send(ctx context.Context, all []app.Delivery) error {
	for _, d := range all {
		if err := w.post(ctx, d.Alert); err != nil {
			return err
		}
	}
	return nil
}

func (w *Webhook) post(ctx context.Context, a app.Alert) error {
	text, err := json.Marshal(body{a.ID, a.Kind, a.OperationSlug, a.Message, w.publicURL + paths.AlertPlace(a.OperationSlug, a.Kind, a.Subject), a.CreatedAt})
	if err != nil {
		return fmt.Errorf("encode alert: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(text))
	if err != nil {
		return &Fault{Why: "VIVRA_ALERT_WEBHOOK_URL is malformed."}
	}
	at := strconv.FormatInt(w.wall.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Vivra")
	req.Header.Set(HeaderID, strconv.FormatInt(a.ID, 10))
	req.Header.Set(HeaderTimestamp, at)
	req.Header.Set(HeaderSignature, "sha256="+Sign(w.secret, at, text))
	res, err := w.http.Do(req)
	if err != nil {
		return unreached(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // its status has said all
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return nil
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return &Fault{Why: fmt.Sprintf("The webhook answered %d: redirects are not followed. Set the address it leads to.", res.StatusCode)}
	}
	return &Fault{Why: fmt.Sprintf("The webhook answered %d.", res.StatusCode), Wait: wait(res.Header.Get("Retry-After"))}
}

// Sign returns the signature of a body that was sent at that timestamp.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// unreached says what went wrong on the way without the address, which may hold
// a secret.
func unreached(err error) *Fault {
	var slow net.Error
	var dial *net.OpError
	switch {
	case errors.As(err, &slow) && slow.Timeout():
		return &Fault{Why: "The webhook gave no answer in time."}
	case errors.As(err, &dial) && dial.Op == "dial":
		return &Fault{Why: "The webhook can't be reached."}
	}
	return &Fault{Why: "The connection to the webhook broke off."}
}

// wait reads how many seconds to wait, at most what is waited anyway.
func wait(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, lastAgain)
}
