package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Checkup is what Cloudflare says of our token, account and zone.
type Checkup struct {
	Projects int        // of Pages on the account
	Zone     string     // its domain, empty when the token may not read it
	Active   bool       // the zone answers for its domain; true when unknown
	Expires  *time.Time // the token, nil when never or when it does not say
}

// CheckError says which part is refused.
type CheckError struct {
	// Part is token, pages (the account, or the right to its Pages) or dns (the
	// zone, or the right to its records).
	Part string
	Err  error
}

func (e *CheckError) Error() string { return fmt.Sprintf("check %s: %v", e.Part, e.Err) }
func (e *CheckError) Unwrap() error { return e.Err }

// Check reads what a deployment needs to read, once each.
func (h *Host) Check(ctx context.Context) (Checkup, error) {
	out := Checkup{Active: true}
	var token struct {
		Status  string     `json:"status"`
		Expires *time.Time `json:"expires_on"`
	}
	verified := h.get(ctx, "/user/tokens/verify", &token) // tokens of an account are not known there
	out.Expires = token.Expires
	var err error
	if out.Projects, err = h.projects(ctx); err != nil {
		part := "pages"
		if verified != nil {
			part = "token"
		}
		return out, &CheckError{part, err}
	}
	if _, err := h.records(ctx, "vivra-doctor.invalid"); err != nil {
		return out, &CheckError{"dns", err}
	}
	return out, h.zone(ctx, &out)
}

// projects counts them.
func (h *Host) projects(ctx context.Context) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.cfg.APIBaseURL+h.accountPath()+"/pages/projects?page=1&per_page=1", nil)
	if err != nil {
		return 0, errors.New("the Cloudflare base URL is not a URL")
	}
	req.Header.Set("Authorization", "Bearer "+h.cfg.Token)
	res, err := h.http.Do(req)
	if err != nil {
		return 0, transportError(err)
	}
	defer res.Body.Close()
	var body bytes.Buffer
	res.Body = io.NopCloser(io.TeeReader(res.Body, &body))
	var list []json.RawMessage
	if err := decode(res, &list); err != nil {
		return 0, err
	}
	var page struct {
		Info struct {
			Total int `json:"total_count"`
		} `json:"result_info"`
	}
	_ = json.Unmarshal(body.Bytes(), &page) // without a total it is what is listed
	return max(page.Info.Total, len(list)), nil
}

// zone reads the zone's name, which is a right of its own: without it the name
// stays unknown.
func (h *Host) zone(ctx context.Context, out *Checkup) error {
	var zone struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	}
	err := h.get(ctx, "/zones/"+url.PathEscape(h.cfg.ZoneID), &zone)
	if isStatus(err, http.StatusForbidden) || isStatus(err, http.StatusUnauthorized) {
		return nil
	}
	if err != nil {
		return &CheckError{"dns", err}
	}
	out.Zone, out.Active = zone.Name, zone.Status == "" || zone.Status == "active"
	return nil
}
