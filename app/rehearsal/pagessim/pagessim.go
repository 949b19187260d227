// Package pagessim plays Cloudflare: Pages by direct upload, DNS records, and
// the sites themselves.
package pagessim

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"vivra/app/rehearsal/fault"
)

// Fault makes the server misbehave; its Path is that of the API without /client/v4.
type Fault = fault.Fault

// Prefix is where the API begins: the server's URL with it is the base URL.
const Prefix = "/client/v4"

// Options describe the account.
type Options struct {
	Now       func() time.Time
	Token     string
	AccountID string
	ZoneID    string
	ZoneName  string // the zone's domain
	// Stages is how often a new deployment is still unfinished when looked at.
	Stages int
	// MaxProjects of the account; 0 means Cloudflare's soft limit of 100.
	MaxProjects int
}

// Server is Cloudflare. It is safe for concurrent use.
type Server struct {
	opts   Options
	mux    *http.ServeMux
	faults fault.Set

	mu       sync.Mutex
	projects map[string]*project
	uploads  map[string]upload // by upload token
	blobs    map[string]blob   // by hash
	records  []record
	issued   int
}

// New returns an empty account.
func New(opts Options) *Server {
	if opts.MaxProjects == 0 {
		opts.MaxProjects = 100
	}
	s := &Server{opts: opts, mux: http.NewServeMux(), projects: map[string]*project{}, uploads: map[string]upload{}, blobs: map[string]blob{}}
	s.faults.Path = func(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, Prefix) }
	s.faults.Body = faultBody
	s.routes()
	return s
}

func (s *Server) routes() {
	account := Prefix + "/accounts/{account}/pages/projects"
	s.mux.HandleFunc("POST "+account, s.authorised(s.createProject))
	s.mux.HandleFunc("GET "+account, s.authorised(s.listProjects))
	s.mux.HandleFunc("GET "+account+"/{project}", s.inProject(s.getProject))
	s.mux.HandleFunc("GET "+account+"/{project}/upload-token", s.inProject(s.uploadToken))
	s.mux.HandleFunc("POST "+account+"/{project}/deployments", s.inProject(s.createDeployment))
	s.mux.HandleFunc("GET "+account+"/{project}/deployments", s.inProject(s.listDeployments))
	s.mux.HandleFunc("GET "+account+"/{project}/deployments/{id}", s.inProject(s.getDeployment))
	s.mux.HandleFunc("POST "+account+"/{project}/domains", s.inProject(s.createDomain))
	s.mux.HandleFunc("GET "+account+"/{project}/domains", s.inProject(s.listDomains))
	s.mux.HandleFunc("GET "+account+"/{project}/domains/{name}", s.inProject(s.getDomain))
	s.mux.HandleFunc("POST "+Prefix+"/pages/assets/check-missing", s.uploading(s.checkMissing))
	s.mux.HandleFunc("POST "+Prefix+"/pages/assets/upload", s.uploading(s.uploadAssets))
	s.mux.HandleFunc("POST "+Prefix+"/pages/assets/upsert-hashes", s.uploading(s.upsertHashes))
	s.mux.HandleFunc("GET "+Prefix+"/user/tokens/verify", s.authorised(s.verifyToken))
	s.mux.HandleFunc("GET "+Prefix+"/zones/{zone}", s.inZone(s.getZone))
	s.mux.HandleFunc("GET "+Prefix+"/zones/{zone}/dns_records", s.inZone(s.listRecords))
	s.mux.HandleFunc("POST "+Prefix+"/zones/{zone}/dns_records", s.inZone(s.createRecord))
	s.mux.HandleFunc("PATCH "+Prefix+"/zones/{zone}/dns_records/{id}", s.inZone(s.editRecord))
	s.mux.HandleFunc("/_site/{project}/", s.serveByPath)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, 7003, "Could not route to the request path")
	})
}

// ServeHTTP answers for a site when the host name is one, for the API otherwise.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.serveByHost(w, r) {
		return
	}
	s.faults.Serve(w, r, s.mux)
}

// Fail makes the next matching requests go wrong.
func (s *Server) Fail(f Fault) { s.faults.Add(f) }

func (s *Server) authorised(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+s.opts.Token {
			refuse(w, http.StatusForbidden, 10000, "Authentication error")
			return
		}
		if account := r.PathValue("account"); account != "" && account != s.opts.AccountID {
			refuse(w, http.StatusForbidden, 10000, "Authentication error")
			return
		}
		next(w, r)
	}
}

func (s *Server) inProject(next func(http.ResponseWriter, *http.Request, *project)) http.HandlerFunc {
	return s.authorised(func(w http.ResponseWriter, r *http.Request) {
		p := s.projects[r.PathValue("project")]
		if p == nil {
			refuse(w, http.StatusNotFound, 8000007, "Project not found. The specified project name does not match any of your existing projects.")
			return
		}
		next(w, r, p)
	})
}

func (s *Server) inZone(next http.HandlerFunc) http.HandlerFunc {
	return s.authorised(func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("zone") != s.opts.ZoneID {
			refuse(w, http.StatusNotFound, 7003, "Could not route to the zone, perhaps your object identifier is invalid?")
			return
		}
		next(w, r)
	})
}

func (s *Server) verifyToken(w http.ResponseWriter, _ *http.Request) {
	result(w, map[string]any{"id": "0123456789abcdef0123456789abcdef", "status": "active"})
}

func (s *Server) getZone(w http.ResponseWriter, _ *http.Request) {
	result(w, map[string]any{"id": s.opts.ZoneID, "name": s.opts.ZoneName, "status": "active"})
}

// newID returns the next id.
func (s *Server) newID() string {
	s.issued++
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", s.issued, s.issued)
}

type apiError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type envelope struct {
	Success  bool       `json:"success"`
	Errors   []apiError `json:"errors"`
	Messages []string   `json:"messages"`
	Result   any        `json:"result"`
	Info     *pageInfo  `json:"result_info,omitempty"`
}

type pageInfo struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	Count      int `json:"count"`
	TotalCount int `json:"total_count"`
	TotalPages int `json:"total_pages"`
}

func write(w http.ResponseWriter, status int, body envelope) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}

func result(w http.ResponseWriter, value any) {
	write(w, http.StatusOK, envelope{Success: true, Errors: []apiError{}, Messages: []string{}, Result: value})
}

func refuse(w http.ResponseWriter, status, code int, message string) {
	write(w, status, envelope{Errors: []apiError{{code, message}}, Messages: []string{}})
}

func faultBody(f Fault) (contentType string, body []byte) {
	body, err := json.Marshal(envelope{Errors: []apiError{{8000000, "An unknown error occurred."}}, Messages: []string{}})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return "application/json", body
}

// readJSON reads a body; Cloudflare's schemas refuse unknown fields here.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, 8000001, "The request body is invalid: "+err.Error())
		return false
	}
	return true
}

func hostOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return strings.ToLower(host)
	}
	return strings.ToLower(r.Host)
}
