// Package images makes pictures at an OpenAI-compatible images endpoint.
package images

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"vivra/app"
)

// maxAnswer bounds one answer: four pictures of 8 MB in base64.
const maxAnswer = 48 << 20

// Config names the endpoint. The key is sent to it and appears nowhere else.
type Config struct {
	BaseURL string // …/v1
	Key     string
	Model   string
	MaxSide int          // pixels; larger pictures are scaled down; 0 means 1024
	HTTP    *http.Client // nil: one with a timeout of two minutes
}

// Client asks one endpoint for pictures.
type Client struct {
	config Config
	http   *http.Client
}

// New returns a client; it calls nothing.
func New(c Config) *Client {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.MaxSide <= 0 {
		c.MaxSide = 1024
	}
	client := c.HTTP
	if client == nil {
		client = &http.Client{Timeout: 2 * time.Minute}
	}
	return &Client{config: c, http: client}
}

// Request asks for N pictures. Size is WIDTHxHEIGHT. Seed tells apart pictures
// of the same prompt; it goes into the prompt, since the wire format has no
// field for it.
type Request struct {
	Prompt string
	Size   string
	N      int
	Seed   string
}

// Generate returns N pictures, decoded and encoded again as PNG, and the model
// that made them.
func (c *Client) Generate(ctx context.Context, r Request) ([][]byte, string, error) {
	if strings.TrimSpace(r.Prompt) == "" || r.N < 1 || r.N > 10 {
		return nil, "", app.Errorf(app.Invalid, "An image needs a prompt and a number of pictures from 1 to 10.")
	}
	ans, err := c.post(ctx, r)
	if err != nil {
		return nil, "", err
	}
	if len(ans.Data) != r.N {
		return nil, "", app.Errorf(app.Unavailable, "The image service sent %s instead of %d.", app.Count(len(ans.Data), "picture", "pictures"), r.N)
	}
	pictures := make([][]byte, len(ans.Data))
	for i, d := range ans.Data {
		if pictures[i], err = reencode(d.B64JSON, c.config.MaxSide); err != nil {
			return nil, "", fmt.Errorf("read picture %d: %w", i+1, err)
		}
	}
	model := ans.Model
	if model == "" {
		model = c.config.Model
	}
	return pictures, model, nil
}

type answer struct {
	Model string `json:"model"`
	Data  []struct {
		B64JSON []byte `json:"b64_json"`
	} `json:"data"`
}

func (c *Client) post(ctx context.Context, r Request) (*answer, error) {
	prompt := r.Prompt
	if r.Seed != "" {
		prompt += "\n\nVariation: " + r.Seed
	}
	body, err := json.Marshal(c.fields(prompt, r))
	if err != nil {
		return nil, fmt.Errorf("encode image request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.BaseURL+"/images/generations", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("address the image service: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.config.Key)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call the image service: %w", err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the image service's answer: %w", err)
	}
	return c.decode(res, raw)
}

// Quality is asked for by name, since it decides the price: left out, the
// service chooses it.
const Quality = "medium"

// fields is the body of a request. The gpt-image models refuse response_format,
// as they have one answer only, and the older ones know no such quality.
// https://platform.openai.com/docs/api-reference/images/create
func (c *Client) fields(prompt string, r Request) map[string]any {
	fields := map[string]any{"model": c.config.Model, "prompt": prompt, "n": r.N, "size": r.Size}
	if strings.HasPrefix(c.config.Model, "gpt-image") {
		fields["quality"], fields["output_format"] = Quality, "png"
	} else {
		fields["response_format"] = "b64_json"
	}
	return fields
}

// decode tells a refusal, a page of HTML and an oversized answer apart.
func (c *Client) decode(res *http.Response, raw []byte) (*answer, error) {
	if len(raw) > maxAnswer {
		return nil, app.Errorf(app.Unavailable, "The image service answered with more than %d MB.", maxAnswer>>20)
	}
	if res.StatusCode != http.StatusOK {
		return nil, app.Errorf(app.Unavailable, "The image service answered %d: %s", res.StatusCode, c.reason(raw))
	}
	var ans answer
	if err := json.Unmarshal(raw, &ans); err != nil {
		return nil, app.Errorf(app.Unavailable, "The image service answered 200 with %s.", c.reason(raw))
	}
	return &ans, nil
}

// reason reads the endpoint's own message; the key is taken out of it, since
// services echo what they refuse.
func (c *Client) reason(raw []byte) string {
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := strings.TrimSpace(string(raw))
	switch {
	case json.Unmarshal(raw, &e) == nil && e.Error.Message != "":
		text = e.Error.Message
	case strings.HasPrefix(text, "<"):
		return "a page of HTML instead of JSON"
	case text == "":
		return "an empty answer"
	}
	if c.config.Key != "" {
		text = strings.ReplaceAll(text, c.config.Key, "[key]")
	}
	if runes := []rune(text); len(runes) > 300 {
		text = string(runes[:300]) + "…"
	}
	return text
}
