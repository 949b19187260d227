package pagessim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxMessage is how long a commit message may be, in bytes.
const maxMessage = 384

type deployment struct {
	id, project, branch string
	url                 string
	message, commit     string
	manifest            map[string]string // path to hash
	headers             []headerRule
	rules               string // the file _headers, which is no page
	created             time.Time
	looks               int // still to come before it is finished
}

func (s *Server) createDeployment(w http.ResponseWriter, r *http.Request, p *project) {
	if err := r.ParseMultipartForm(64 << 20); err != nil {
		refuse(w, http.StatusBadRequest, 8000001, "The request body must be a form.")
		return
	}
	d := &deployment{
		id: s.newID(), project: p.name, branch: r.FormValue("branch"), message: r.FormValue("commit_message"), commit: r.FormValue("commit_hash"),
		manifest: map[string]string{}, created: s.opts.Now().UTC(), looks: s.opts.Stages,
	}
	if d.branch == "" {
		d.branch = p.branch
	}
	if problem := d.readManifest(r); problem != "" {
		refuse(w, http.StatusBadRequest, 8000096, problem)
		return
	}
	if len(d.message) > maxMessage {
		refuse(w, http.StatusBadRequest, 8000111, "Invalid commit message, it must be a valid UTF-8 string of at most 384 bytes.")
		return
	}
	headers, err := formFile(r, "_headers")
	if err != nil {
		refuse(w, http.StatusBadRequest, 8000001, "The file _headers could not be read.")
		return
	}
	d.headers, d.rules = parseHeaders(headers), headers
	d.url = fmt.Sprintf("http://%s/_site/%s/%s/", r.Host, p.name, d.id)
	p.deployments = append(p.deployments, d)
	result(w, d.shown())
}

func (d *deployment) readManifest(r *http.Request) (problem string) {
	raw := r.FormValue("manifest")
	if raw == "" {
		return `A "manifest" field was expected in the request body but was not provided.`
	}
	if json.Unmarshal([]byte(raw), &d.manifest) != nil {
		return "The manifest could not be read."
	}
	for path, hash := range d.manifest {
		if !strings.HasPrefix(path, "/") || !hashForm.MatchString(hash) {
			return "The manifest holds a path without a slash or a malformed hash."
		}
	}
	return ""
}

func formFile(r *http.Request, name string) (string, error) {
	if r.MultipartForm == nil || len(r.MultipartForm.File[name]) == 0 {
		return "", nil
	}
	file, err := r.MultipartForm.File[name][0].Open()
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	return string(content), err
}

func (d *deployment) shown() map[string]any {
	stage := map[string]any{"name": "deploy", "status": "success"}
	if d.looks > 0 {
		stage = map[string]any{"name": "deploy", "status": "active"}
	}
	return map[string]any{
		"id": d.id, "short_id": d.id[:8], "project_name": d.project, "environment": "production", "url": d.url,
		"created_on": d.created.Format(time.RFC3339Nano), "latest_stage": stage,
		"deployment_trigger": map[string]any{"type": "ad_hoc", "metadata": map[string]any{
			"branch": d.branch, "commit_hash": d.commit, "commit_message": d.message, "commit_dirty": false,
		}},
	}
}

func (s *Server) listDeployments(w http.ResponseWriter, r *http.Request, p *project) {
	size, page := number(r, "per_page", 25), number(r, "page", 1)
	if size > 25 {
		refuse(w, http.StatusBadRequest, 8000024, "Invalid list options provided. Review the `page` or `per_page` parameter.")
		return
	}
	newest := slices.Clone(p.deployments)
	slices.Reverse(newest)
	from := min((page-1)*size, len(newest))
	batch := []map[string]any{}
	for _, d := range newest[from:min(from+size, len(newest))] {
		batch = append(batch, d.shown())
	}
	write(w, http.StatusOK, envelope{Success: true, Errors: []apiError{}, Messages: []string{}, Result: batch, Info: &pageInfo{
		Page: page, PerPage: size, Count: len(batch), TotalCount: len(newest), TotalPages: (len(newest) + size - 1) / size,
	}})
}

func number(r *http.Request, name string, otherwise int) int {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

func (s *Server) getDeployment(w http.ResponseWriter, r *http.Request, p *project) {
	for _, d := range p.deployments {
		if d.id == r.PathValue("id") {
			shown := d.shown()
			d.looks = max(d.looks-1, 0)
			result(w, shown)
			return
		}
	}
	refuse(w, http.StatusNotFound, 8000009, "The deployment ID you have specified does not exist.")
}
