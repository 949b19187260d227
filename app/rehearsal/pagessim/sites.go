package pagessim

import (
	"net/http"
	"slices"
	"strings"
)

// headerRule is one block of a site's _headers file.
type headerRule struct {
	pattern string
	values  [][2]string
}

func parseHeaders(text string) []headerRule {
	var rules []headerRule
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case strings.HasPrefix(line, "/"):
			rules = append(rules, headerRule{pattern: strings.TrimSpace(line)})
		case ok && len(rules) > 0 && strings.TrimLeft(line, " \t") != line:
			last := &rules[len(rules)-1]
			last.values = append(last.values, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return rules
}

func (h headerRule) covers(path string) bool {
	if start, ok := strings.CutSuffix(h.pattern, "*"); ok {
		return strings.HasPrefix(path, start)
	}
	return path == h.pattern
}

// serveByHost answers when the host is a project's own or an attached one
// whose record points at the project.
func (s *Server) serveByHost(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	host := hostOf(r)
	for _, p := range s.projects {
		switch {
		case host == p.subdomain():
		case slices.Contains(p.domains, host) && s.pointsAt(host, p.subdomain()):
		case s.pointsAt(host, p.subdomain()):
			http.Error(w, "error code: 522", 522) // a record without the association
			return true
		default:
			continue
		}
		s.serve(w, r, p.live(), "", r.URL.Path)
		return true
	}
	return false
}

// live is the newest deployment of the production branch, nil when there is none.
func (p *project) live() *deployment {
	for _, d := range slices.Backward(p.deployments) {
		if d.branch == p.branch {
			return d
		}
	}
	return nil
}

// serveByPath answers /_site/{project}/… with what is live there, and
// /_site/{project}/{deployment}/… with that version.
func (s *Server) serveByPath(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.projects[r.PathValue("project")]
	if p == nil {
		http.NotFound(w, r)
		return
	}
	prefix := "/_site/" + p.name
	rest := strings.TrimPrefix(r.URL.Path, prefix)
	for _, d := range p.deployments {
		if version, ok := strings.CutPrefix(rest, "/"+d.id); ok {
			s.serve(w, r, d, prefix+"/"+d.id, version)
			return
		}
	}
	s.serve(w, r, p.live(), prefix, rest)
}

// serve answers path of a deployment by the rules of Pages: pages lose their
// .html, and what does not exist is 404.html, or else the front page.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, d *deployment, prefix, path string) {
	if d == nil {
		http.NotFound(w, r)
		return
	}
	if to, ok := prettier(path); ok && d.manifest[path] != "" {
		http.Redirect(w, r, prefix+to, http.StatusPermanentRedirect)
		return
	}
	for _, name := range []string{path, path + ".html", strings.TrimSuffix(path, "/") + "/index.html"} {
		if d.manifest[name] != "" {
			s.serveFile(w, d, name, path, http.StatusOK)
			return
		}
	}
	if d.manifest["/404.html"] != "" {
		s.serveFile(w, d, "/404.html", path, http.StatusNotFound)
		return
	}
	s.serveFile(w, d, "/index.html", path, http.StatusOK)
}

func prettier(path string) (string, bool) {
	if page, ok := strings.CutSuffix(path, "/index.html"); ok {
		return page + "/", true
	}
	return strings.CutSuffix(path, ".html")
}

// serveFile answers with one file. A hash that was never uploaded, or that is
// not the file's, breaks the site, as it does on the real one.
func (s *Server) serveFile(w http.ResponseWriter, d *deployment, name, path string, status int) {
	hash := d.manifest[name]
	file, ok := s.blobs[hash]
	if !ok || !fits(hash, name, file.content) {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", file.contentType)
	for _, rule := range d.headers {
		if rule.covers(path) {
			for _, value := range rule.values {
				w.Header().Set(value[0], value[1])
			}
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(file.content) // a client that left needs no answer
}
