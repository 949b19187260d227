package tgsim

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
)

var secretForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

func (s *Server) setWebhook(p params) (any, error) {
	address := p.values["url"]
	if address == "" {
		return s.deleteWebhook(p)
	}
	if !deliverable(address) {
		return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	}
	secret := p.values["secret_token"]
	if secret != "" && !secretForm.MatchString(secret) {
		return nil, badRequest("secret token contains illegal characters")
	}
	q := &s.updates
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := p.json("allowed_updates", &q.allowed); err != nil {
		return nil, err
	}
	q.hook = webhook{address, secret}
	q.wake()
	return true, nil
}

// deliverable takes plain HTTP on this machine only, as a self-hosted Bot API
// server does.
func deliverable(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

func (s *Server) deleteWebhook(p params) (any, error) {
	q := &s.updates
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hook = webhook{}
	if p.values["drop_pending_updates"] == "true" {
		q.pending = nil
	}
	return true, nil
}

func (s *Server) getWebhookInfo(params) (any, error) {
	q := &s.updates
	q.mu.Lock()
	defer q.mu.Unlock()
	info := map[string]any{"url": q.hook.url, "has_custom_certificate": false, "pending_update_count": len(q.pending)}
	if len(q.allowed) > 0 {
		info["allowed_updates"] = q.allowed
	}
	if q.lastErr != "" {
		info["last_error_message"] = q.lastErr
	}
	return info, nil
}

func (s *Server) getUpdates(p params) (any, error) {
	q := &s.updates
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.hook.url != "" {
		return nil, refuse(http.StatusConflict, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	if err := p.json("allowed_updates", &q.allowed); err != nil {
		return nil, err
	}
	limit := int(p.int("limit"))
	if limit < 1 || limit > 100 {
		limit = 100
	}
	return q.take(p.int("offset"), limit), nil
}
