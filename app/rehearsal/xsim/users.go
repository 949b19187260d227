package xsim

import (
	"fmt"
	"net/http"
	"strings"

	"vivra/app"
)

func (s *Server) me(w http.ResponseWriter, r *http.Request, me *account) {
	s.bill(me, app.ReadUser, me.ID, me.ID)
	writeJSON(w, http.StatusOK, map[string]any{"data": userData(r, me)})
}

func (s *Server) userByName(w http.ResponseWriter, r *http.Request, me *account) {
	name := r.PathValue("username")
	a := s.byName(name)
	if a == nil {
		writeJSON(w, http.StatusOK, map[string]any{"errors": []map[string]any{{
			"value": name, "detail": fmt.Sprintf("Could not find user with username: [%s].", name), "title": "Not Found Error",
			"resource_type": "user", "parameter": "username", "type": "https://api.x.com/2/problems/resource-not-found",
		}}})
		return
	}
	s.bill(me, app.ReadUser, a.ID, a.ID)
	writeJSON(w, http.StatusOK, map[string]any{"data": userData(r, a)})
}

// lookUpUsers answers accounts by id.
func (s *Server) lookUpUsers(w http.ResponseWriter, r *http.Request, me *account) {
	ids := strings.Split(r.FormValue("ids"), ",")
	if len(ids) > 100 || ids[0] == "" {
		invalid(w, "ids", "The `ids` query parameter takes 1 to 100 ids.")
		return
	}
	var found []map[string]any
	var missing []map[string]any
	for _, id := range ids {
		if a := s.accounts[id]; a != nil {
			s.bill(me, app.ReadUser, a.ID, a.ID)
			found = append(found, userData(r, a))
			continue
		}
		missing = append(missing, map[string]any{
			"value": id, "detail": fmt.Sprintf("Could not find user with ids: [%s].", id), "title": "Not Found Error",
			"resource_type": "user", "parameter": "ids", "type": "https://api.x.com/2/problems/resource-not-found",
		})
	}
	body := map[string]any{}
	if len(found) > 0 {
		body["data"] = found
	}
	if len(missing) > 0 {
		body["errors"] = missing
	}
	writeJSON(w, http.StatusOK, body)
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
			data[field] = map[string]int{"followers_count": a.Followers, "following_count": a.Following, "tweet_count": a.Posts}
		case "created_at":
			if !a.CreatedAt.IsZero() {
				data[field] = a.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z")
			}
		case "protected":
			data[field] = a.Protected
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
