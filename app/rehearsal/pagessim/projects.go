package pagessim

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

type project struct {
	name        string
	branch      string
	created     time.Time
	deployments []*deployment // oldest first
	domains     []string
}

func (p *project) subdomain() string { return p.name + ".pages.dev" }

func (p *project) shown() map[string]any {
	return map[string]any{
		"name": p.name, "subdomain": p.subdomain(), "production_branch": p.branch, "created_on": p.created.Format(time.RFC3339Nano),
		"domains": append([]string{p.subdomain()}, p.domains...),
	}
}

var projectName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,56}[a-z0-9])?$`)

func (s *Server) createProject(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name   string `json:"name"`
		Branch string `json:"production_branch"`
	}
	if !readJSON(w, r, &in) {
		return
	}
	switch {
	case !projectName.MatchString(in.Name):
		refuse(w, http.StatusBadRequest, 8000004, "The project name must be 1 to 58 lowercase letters, digits and dashes.")
	case s.projects[in.Name] != nil:
		refuse(w, http.StatusConflict, 8000002, "A project with this name already exists. Choose a different project name.")
	case len(s.projects) >= s.opts.MaxProjects:
		refuse(w, http.StatusForbidden, 8000027, "You have reached the limit of projects on your account.")
	default:
		p := &project{name: in.Name, branch: in.Branch, created: s.opts.Now().UTC()}
		s.projects[p.name] = p
		result(w, p.shown())
	}
}

func (s *Server) listProjects(w http.ResponseWriter, _ *http.Request) {
	all := []map[string]any{}
	for _, p := range s.projects {
		all = append(all, p.shown())
	}
	slices.SortFunc(all, func(a, b map[string]any) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
	result(w, all)
}

func (s *Server) getProject(w http.ResponseWriter, _ *http.Request, p *project) { result(w, p.shown()) }

func (s *Server) createDomain(w http.ResponseWriter, r *http.Request, p *project) {
	var in struct {
		Name string `json:"name"`
	}
	if !readJSON(w, r, &in) {
		return
	}
	for _, other := range s.projects {
		if slices.Contains(other.domains, in.Name) {
			refuse(w, http.StatusConflict, 8000018, "You have already added this custom domain.")
			return
		}
	}
	if !strings.Contains(in.Name, ".") {
		refuse(w, http.StatusBadRequest, 8000019, "The domain you have requested is invalid.")
		return
	}
	p.domains = append(p.domains, in.Name)
	result(w, s.domain(in.Name, p))
}

// domain is pending until a record points at the project.
func (s *Server) domain(name string, p *project) map[string]any {
	status := "pending"
	if s.pointsAt(name, p.subdomain()) {
		status = "active"
	}
	return map[string]any{"id": name, "name": name, "status": status}
}

func (s *Server) listDomains(w http.ResponseWriter, _ *http.Request, p *project) {
	all := []map[string]any{}
	for _, name := range p.domains {
		all = append(all, s.domain(name, p))
	}
	result(w, all)
}

func (s *Server) getDomain(w http.ResponseWriter, r *http.Request, p *project) {
	if name := r.PathValue("name"); slices.Contains(p.domains, name) {
		result(w, s.domain(name, p))
		return
	}
	refuse(w, http.StatusNotFound, 8000021, "The domain you have requested does not exist.")
}
