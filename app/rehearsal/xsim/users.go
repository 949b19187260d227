package xsim

import (
	"fmt"
	"net/http"
	"strings"

	"vivra/app"
)

func (s *Server) me(w http.ResponseWriter, r *http.Request, me *account) {
	s.bill("user", me.ID, priceOwned)
	writeJSON(w, http.StatusOK, map[string]any{"data": userData(r, me)})
}

func (s *Server) userByName(w http.ResponseWriter, r *http.Request, _ *account) {
	name := r.PathValue("username")
	a := s.byName(name)
	if a == nil {
		writeJSON(w, http.StatusOK, map[string]any{"errors": []map[string]any{{
			"value": name, "detail": fmt.Sprintf("Could not find user with username: [%s].", name), "title": "Not Found Error",
			"resource_type": "user", "parameter": "username", "type": "https://api.x.com/2/problems/resource-not-found",
		}}})
		return
	}
	s.bill("user", a.ID, priceUser)
	writeJSON(w, http.StatusOK, map[string]any{"data": userData(r, a)})
}

// userData holds the default fields and those that were asked for.
func userData(r *http.Request, a *account) map[string]any {
	data := map[string]any{"id": a.ID, "username": a.Username, "name": a.Name}
	for field := range strings.SplitSeq(r.FormValue("user.fields"), ",") {
		switch field {
		case "description":
			data[field] = a.Bio
		case "profile_image_url":
			data[field] = pictureURL(r, a)
		case "public_metrics":
			data[field] = map[string]int{"followers_count": a.Followers}
		case "url":
			if a.URL != "" {
				data[field] = short(a.URL)
			}
		case "entities":
			if a.URL != "" {
				data[field] = map[string]any{"url": map[string]any{"urls": []map[string]any{urlEntity(a.URL)}}}
			}
		}
	}
	return data
}

func pictureURL(r *http.Request, a *account) string {
	version := "none"
	if a.picture != nil {
		version = app.SHA256Hex(a.picture)[:16]
	}
	return fmt.Sprintf("http://%s/profile_images/%s/%s_normal.png", r.Host, a.ID, version)
}

func (s *Server) pictureFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[r.PathValue("id")]
	if a == nil || a.picture == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(a.picture))
	_, _ = w.Write(a.picture) // a client that left needs no answer
}

// ApplyProfile plays the person who edits an account in the app. An empty
// field and a nil picture stay as they are.
func (s *Server) ApplyProfile(accountID, name, bio, url string, picture []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[accountID]
	if a == nil {
		return app.Errorf(app.NotFound, "X has no account %s.", accountID)
	}
	for field, value := range map[*string]string{&a.Name: name, &a.Bio: bio, &a.URL: url} {
		if value != "" {
			*field = value
		}
	}
	if picture != nil {
		a.picture = picture
	}
	return nil
}
