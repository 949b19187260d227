package pagessim

import (
	"slices"
	"strings"
	"time"
)

// Deployed is one deployment as it was accepted.
type Deployed struct {
	ID      string
	Project string
	Branch  string
	Message string // the commit message
	URL     string
	Files   map[string][]byte // what was uploaded; a broken file is absent
	At      time.Time
}

// Deployments returns what was deployed, in order.
func (s *Server) Deployments() []Deployed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Deployed
	for _, p := range s.projects {
		for _, d := range p.deployments {
			all = append(all, Deployed{d.id, d.project, d.branch, d.message, d.url, s.files(d), d.created})
		}
	}
	slices.SortFunc(all, func(a, b Deployed) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func (s *Server) files(d *deployment) map[string][]byte {
	files := map[string][]byte{}
	for name, hash := range d.manifest {
		if file, ok := s.blobs[hash]; ok && fits(hash, name, file.content) {
			files[name] = file.content
		}
	}
	if d.rules != "" {
		files["/_headers"] = []byte(d.rules)
	}
	return files
}

// Live tells whether the host name leads to a project's site.
func (s *Server) Live(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.projects {
		if slices.Contains(p.domains, host) && s.pointsAt(host, p.subdomain()) && p.live() != nil {
			return true
		}
	}
	return false
}

// AddRecord puts a DNS record there, as a person might have.
func (s *Server) AddRecord(kind, name, content string, proxied bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, record{strings.ReplaceAll(s.newID(), "-", ""), kind, name, content, 1, proxied})
}
