package chainsim

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"vivra/app"
)

// Options shape the local chain. Only Start is required.
type Options struct {
	Seed int64
	// Start is J0: the token was launched 75 days before and has been dead for 40.
	Start time.Time
	// Addr is where the JSON-RPC listens, 127.0.0.1 with a free port by default.
	Addr string
	// Name and Symbol of the token.
	Name, Symbol string
	// DeployerShare is about how much of the circulating supply the deployer
	// still holds at Start (0..1), 0.015 by default. More than 0.05 makes the
	// token one that must not be taken over.
	DeployerShare float64
	// QuoteUSD is the price of the chain's coin in US dollars, 3,000 by default.
	QuoteUSD float64
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Name == "" {
		o.Name, o.Symbol = "Moth Lamp", "MOTH"
	}
	if o.DeployerShare == 0 {
		o.DeployerShare = 0.015
	}
	if o.QuoteUSD == 0 {
		o.QuoteUSD = 3000
	}
	o.Start = o.Start.UTC().Truncate(time.Second)
	return o
}

// Server is the running chain.
type Server struct {
	opts      Options
	contracts contracts
	people    []person
	evm       *evm
	http      *http.Server
	url       string

	mu     sync.Mutex
	places places
	pool   pool
	held   []amount // tokens of each person
	fresh  int      // the next person who has never traded
	ready  map[int]bool
	fault  *Fault
}

// places are where the contracts stand.
type places struct {
	weth, factory, router, launcher, token, pair common.Address
}

// New starts the chain and plays the token's first life and death.
func New(opts Options) (*Server, error) {
	s := &Server{opts: opts.withDefaults(), fresh: firstNewcomer, ready: map[int]bool{}}
	var err error
	if s.contracts, err = loadContracts(); err != nil {
		return nil, err
	}
	s.people = makePeople(s.opts.Seed, peopleCount)
	s.held = make([]amount, peopleCount)
	alloc := types.GenesisAlloc{}
	for _, p := range s.people {
		alloc[p.address] = types.Account{Balance: ether(1000)}
	}
	if s.evm, err = newEVM(alloc, unix(s.opts.Start.Add(-launchedBefore-2*time.Hour))); err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, s.evm.close())
	}
	return s, nil
}

func (s *Server) begin() error {
	if err := s.liveAndDie(); err != nil {
		return fmt.Errorf("play the first life: %w", err)
	}
	return s.listen()
}

func (s *Server) listen() error {
	l, err := net.Listen("tcp", s.opts.Addr)
	if err != nil {
		return fmt.Errorf("listen for JSON-RPC: %w", err)
	}
	s.url = "http://" + l.Addr().String()
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return nil
}

// Close stops the chain.
func (s *Server) Close() error {
	if err := s.http.Close(); err != nil {
		return fmt.Errorf("stop JSON-RPC: %w", err)
	}
	return s.evm.close()
}

// ServeHTTP answers JSON-RPC, or fails as it was told to.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f := s.nextFault(); f != nil {
		f.play(w)
		return
	}
	s.evm.rpc.ServeHTTP(w, r)
}

// URL is the HTTP address of the JSON-RPC.
func (s *Server) URL() string { return s.url }

// Token is the token that is taken over.
func (s *Server) Token() app.Address { return app.Address(s.places.token) }

// Ref names the token.
func (s *Server) Ref() app.TokenRef { return app.TokenRef{ChainID: ChainID, Address: s.Token()} }

// Pair is the token's pool.
func (s *Server) Pair() app.Address { return app.Address(s.places.pair) }

// Factory is where pools are found.
func (s *Server) Factory() app.Address { return app.Address(s.places.factory) }

// Launcher is what the token was launched with.
func (s *Server) Launcher() app.Address { return app.Address(s.places.launcher) }

// Quote is the wrapped coin that the pool trades against.
func (s *Server) Quote() app.Address { return app.Address(s.places.weth) }

// Deployer is the account that launched the token.
func (s *Server) Deployer() app.Address { return app.Address(s.people[deployer].address) }

// EOA is an account with coins and no code.
func (s *Server) EOA() app.Address { return app.Address(s.people[builder].address) }

// QuoteUSD is the price of the chain's coin in US dollars.
func (s *Server) QuoteUSD() float64 { return s.opts.QuoteUSD }

// Now is the time of the newest block.
func (s *Server) Now() time.Time {
	_, at := s.evm.now()
	return time.Unix(int64(at), 0).UTC()
}
