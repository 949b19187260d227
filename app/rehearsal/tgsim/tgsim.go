// Package tgsim plays Telegram for one bot: the Bot API, its groups, and the
// people who chat, ask, vote and lie in them.
package tgsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"vivra/app/rehearsal/fault"
)

// Fault makes the server misbehave; its Path is a method's name: "/sendMessage".
type Fault = fault.Fault

// Bot is the account the token belongs to.
type Bot struct {
	ID       int64
	Username string
	Name     string
}

// Group is a supergroup the bot is in.
type Group struct {
	ID          int64
	Title       string
	Description string
	// Lacks are rights the bot does not have, such as can_pin_messages.
	Lacks []string
	// NotAdmin makes the bot a plain member.
	NotAdmin bool
	// Address is the official one, which helpful members name; empty: they
	// point to the pinned message.
	Address string
	// Before is how many messages more it had at its start than others.
	Before int64
	// Silent: nobody chats by themselves.
	Silent bool
}

// Options describe the world at its start.
type Options struct {
	Now    func() time.Time
	Seed   int64
	Token  string
	Bot    Bot
	Groups []Group
	// Poison is what attackers write in the groups, some of it each day, and
	// PoisonNames what they call themselves: they have no username.
	Poison, PoisonNames []string
	// HTTP delivers to the webhook; optional.
	HTTP *http.Client
}

// Server is Telegram. It is safe for concurrent use.
type Server struct {
	opts   Options
	faults fault.Set

	mu       sync.Mutex
	groups   map[int64]*group
	polls    []*poll
	sent     []Published
	advanced time.Time
	updates  queue
}

type group struct {
	Group
	photo    []byte
	pinned   int64
	lastID   int64
	messages map[int64]map[string]any
	lines    map[string]int64 // the message id of a line of the day's plan
}

// New returns a server; Close stops its deliveries.
func New(opts Options) *Server {
	if opts.HTTP == nil {
		opts.HTTP = &http.Client{Timeout: 10 * time.Second}
	}
	s := &Server{opts: opts, groups: map[int64]*group{}, advanced: opts.Now()}
	s.faults.Path = func(r *http.Request) string { return "/" + methodOf(r) }
	s.faults.Body = faultBody
	for _, g := range opts.Groups {
		s.groups[g.ID] = &group{Group: g, lastID: 500 + g.Before, messages: map[int64]map[string]any{}, lines: map[string]int64{}}
	}
	s.updates.start(opts.HTTP)
	return s
}

// Close stops the deliveries and waits for those under way.
func (s *Server) Close() { s.updates.stop() }

// Drain waits until everything has been delivered to the webhook. Without one
// it returns at once.
func (s *Server) Drain(ctx context.Context) error { return s.updates.drain(ctx) }

// Fail makes the next matching requests go wrong.
func (s *Server) Fail(f Fault) { s.faults.Add(f) }

// ServeHTTP answers one call of the Bot API, unless a fault comes first.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.faults.Serve(w, r, http.HandlerFunc(s.serve))
}

// method is one method of the Bot API, called under the lock.
type method func(s *Server, p params) (result any, err error)

var methods = map[string]method{
	"getMe": (*Server).getMe, "getChat": (*Server).getChat, "getChatMember": (*Server).getChatMember,
	"getChatAdministrators": (*Server).getChatAdministrators,
	"setChatTitle":          (*Server).setChatTitle, "setChatDescription": (*Server).setChatDescription, "setChatPhoto": (*Server).setChatPhoto,
	"sendMessage": (*Server).sendMessage, "pinChatMessage": (*Server).pinChatMessage,
	"sendPoll": (*Server).sendPoll, "stopPoll": (*Server).stopPoll,
	"setWebhook": (*Server).setWebhook, "deleteWebhook": (*Server).deleteWebhook, "getWebhookInfo": (*Server).getWebhookInfo,
	"getUpdates": (*Server).getUpdates,
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	name := methodOf(r)
	call, known := methods[name]
	switch {
	case !strings.HasPrefix(r.URL.Path, "/bot"+s.opts.Token+"/"):
		answer(w, nil, refuse(http.StatusUnauthorized, "Unauthorized"))
		return
	case !known:
		answer(w, nil, refuse(http.StatusNotFound, "Not Found: method not found"))
		return
	}
	p, err := readParams(r)
	if err != nil {
		answer(w, nil, refuse(http.StatusBadRequest, "Bad Request: can't parse the request"))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	result, err := call(s, p)
	answer(w, result, err)
}

func methodOf(r *http.Request) string { return r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] }

// refusal is an answer that is not ok.
type refusal struct {
	Code        int
	Description string
}

func (e *refusal) Error() string { return e.Description }

func refuse(code int, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "Bad Request: "+format, args...)
}

func answer(w http.ResponseWriter, result any, err error) {
	status, body := http.StatusOK, map[string]any{"ok": true, "result": result}
	if err != nil {
		status, body = http.StatusBadRequest, map[string]any{"ok": false, "error_code": http.StatusBadRequest, "description": err.Error()}
		var e *refusal
		if errors.As(err, &e) {
			status, body["error_code"] = e.Code, e.Code
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}

// faultBody is what the Bot API answers along with a status.
func faultBody(f Fault) (contentType string, body []byte) {
	shape := map[string]any{"ok": false, "error_code": f.Status, "description": http.StatusText(f.Status)}
	if f.RetryAfter > 0 {
		seconds := int(f.RetryAfter / time.Second)
		shape["description"] = fmt.Sprintf("Too Many Requests: retry after %d", seconds)
		shape["parameters"] = map[string]any{"retry_after": seconds}
	}
	body, err := json.Marshal(shape)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return "application/json", body
}
