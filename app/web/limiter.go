package web

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Tries to sign in: ten at once, then one every twenty seconds an address.
const (
	signInBurst = 10
	signInEvery = 20 * time.Second
	// maxAddresses bounds the memory; past it, those that are idle are forgotten.
	maxAddresses = 10_000
)

// limiter is a token bucket for each address. The zero value is ready.
type limiter struct {
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// allow takes a token of the address's bucket at now.
func (l *limiter) allow(address string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buckets == nil {
		l.buckets = make(map[string]*rate.Limiter)
	}
	if len(l.buckets) >= maxAddresses {
		l.forget(now)
	}
	if l.buckets[address] == nil {
		l.buckets[address] = rate.NewLimiter(rate.Every(signInEvery), signInBurst)
	}
	return l.buckets[address].AllowN(now, 1)
}

func (l *limiter) forget(now time.Time) {
	for address, bucket := range l.buckets {
		if bucket.TokensAt(now) >= signInBurst {
			delete(l.buckets, address)
		}
	}
}
