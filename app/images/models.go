package images

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"vivra/app"
)

// Models lists what the endpoint offers, without a picture being paid for.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.config.BaseURL+"/models", nil)
	if err != nil {
		return nil, fmt.Errorf("address the image service: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.config.Key)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call the image service: %w", err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the image service's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, app.Errorf(app.Unavailable, "The image service answered %d: %s", res.StatusCode, c.reason(raw))
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, app.Errorf(app.Unavailable, "The image service answered 200 with %s.", c.reason(raw))
	}
	ids := make([]string, len(list.Data))
	for i, m := range list.Data {
		ids[i] = m.ID
	}
	return ids, nil
}
