// Package xsim plays X: its API v2, its token endpoint, its prices, and the
// people who vote and mention.
package xsim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"vivra/app"
	"vivra/app/rehearsal/fault"
)

// Fault makes the server misbehave.
type Fault = fault.Fault

// Account is one account on X.
type Account struct {
	ID        string
	Username  string
	Name      string
	Bio       string
	URL       string
	Followers int
	Following int
	Posts     int
	Protected bool
	CreatedAt time.Time
	// AccessToken and RefreshToken are what the account has granted the
	// application; empty for other people's accounts.
	AccessToken  string
	RefreshToken string
	// OwnsApp: reads of its own content cost less.
	OwnsApp bool
	// History are older posts, oldest first; only Text and CreatedAt are used.
	History []app.Post
}

// Options describe the world at its start.
type Options struct {
	Now func() time.Time
	// Wall is the time of those who use a browser; nil: Now.
	Wall         func() time.Time
	Seed         int64
	Accounts     []Account
	ClientID     string
	ClientSecret string
	// Callbacks are where the application may have people led back to; nil: any
	// address of this machine.
	Callbacks []string
	// Poison is what attackers write to the accounts every day, some of it at a
	// time, beside what the crowd writes.
	Poison []string
}

// Server is X. It is safe for concurrent use.
type Server struct {
	opts   Options
	mux    *http.ServeMux
	faults fault.Set

	mu          sync.Mutex
	accounts    map[string]*account // by id
	tokens      map[string]*grant   // by access token
	refresh     map[string]*family  // unspent refresh tokens
	spent       map[string]*family  // spent ones
	codes       map[string]*code
	posts       []*post // by time
	media       map[string]*media
	lastID      int64
	issued      int
	pollsOpened int
	charges     Charges
	reads       map[string]Read // by kind, id and day
	advanced    time.Time
}

type account struct {
	Account
	picture []byte
	writes  []time.Time // of posts within the rate-limit window
}

// New returns a server whose access tokens are good for two hours from now on.
func New(opts Options) *Server {
	s := &Server{
		opts: opts, mux: http.NewServeMux(), accounts: map[string]*account{}, tokens: map[string]*grant{},
		refresh: map[string]*family{}, spent: map[string]*family{}, codes: map[string]*code{}, media: map[string]*media{}, reads: map[string]Read{},
		advanced: opts.Now(),
	}
	if s.opts.Wall == nil {
		s.opts.Wall = opts.Now
	}
	s.faults.Body = faultBody
	for _, a := range slices.Concat(opts.Accounts, crowd) {
		s.add(a)
	}
	slices.SortStableFunc(s.posts, func(a, b *post) int { return a.at.Compare(b.at) })
	s.routes()
	return s
}

func (s *Server) add(a Account) {
	s.accounts[a.ID] = &account{Account: a}
	of := &family{a.ID, scopes}
	if a.AccessToken != "" {
		s.tokens[a.AccessToken] = &grant{of, s.opts.Now().Add(lifetime)}
	}
	if a.RefreshToken != "" {
		s.refresh[a.RefreshToken] = of
	}
	for _, old := range a.History {
		s.posts = append(s.posts, &post{id: s.newID(old.CreatedAt), author: a.ID, text: old.Text, at: old.CreatedAt.UTC()})
	}
}

func (s *Server) routes() {
	s.mux.HandleFunc("GET /i/oauth2/authorize", s.showConsent)
	s.mux.HandleFunc("POST /i/oauth2/authorize", s.decideConsent)
	s.mux.HandleFunc("POST /2/oauth2/token", s.byClient(s.createToken))
	s.mux.HandleFunc("POST /2/oauth2/revoke", s.byClient(s.revokeToken))
	s.mux.HandleFunc("POST /2/tweets", s.authorised(s.createPost))
	s.mux.HandleFunc("GET /2/tweets", s.authorised(s.lookUpPosts))
	s.mux.HandleFunc("POST /2/media/upload/initialize", s.authorised(s.openMedia))
	s.mux.HandleFunc("POST /2/media/upload/{id}/append", s.authorised(s.appendMedia))
	s.mux.HandleFunc("POST /2/media/upload/{id}/finalize", s.authorised(s.closeMedia))
	s.mux.HandleFunc("GET /2/media/upload", s.authorised(s.mediaStatus))
	s.mux.HandleFunc("POST /2/media/metadata", s.authorised(s.describeMedia))
	s.mux.HandleFunc("GET /2/users", s.authorised(s.lookUpUsers))
	s.mux.HandleFunc("GET /2/users/me", s.authorised(s.me))
	s.mux.HandleFunc("GET /2/users/by/username/{username}", s.authorised(s.userByName))
	s.mux.HandleFunc("GET /2/users/{id}/tweets", s.authorised(s.timeline))
	s.mux.HandleFunc("GET /2/users/{id}/mentions", s.authorised(s.mentions))
	s.mux.HandleFunc("GET /profile_images/{id}/{file}", s.pictureFile)
}

// ServeHTTP answers one request, unless a fault comes first.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.faults.Serve(w, r, s.mux) }

// Fail makes the next matching requests go wrong.
func (s *Server) Fail(f Fault) { s.faults.Add(f) }

// newID returns ids that grow with time, as X's do.
func (s *Server) newID(at time.Time) string {
	const epoch = 1288834974657 // milliseconds, 2010-11-04
	s.lastID++
	return strconv.FormatInt((at.UnixMilli()-epoch)<<22|s.lastID&0x3fffff, 10)
}

// handler is a handler of an authorised account, called under the lock.
type handler func(w http.ResponseWriter, r *http.Request, me *account)

func (s *Server) authorised(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		token, ok := bearer(r)
		g := s.tokens[token]
		if !ok || g == nil || !s.opts.Now().Before(g.expires) {
			problem(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
			return
		}
		next(w, r, s.accounts[g.account])
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}
