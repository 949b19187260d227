package web

import (
	"net/netip"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"
)

// Tries to sign in: ten at once, then one every so often.
const (
	tryBurst     = 10
	tryByAddress = 20 * time.Second
	tryByName    = time.Minute
	// maxKeys bounds the memory; past it, those that are idle are forgotten.
	maxKeys = 10_000
)

// limiter is a token bucket for each key: a burst at once, then one more every so
// often.
type limiter struct {
	every   time.Duration
	burst   int
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// allow takes a token of the key's bucket at now.
func (l *limiter) allow(key string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buckets == nil {
		l.buckets = make(map[string]*rate.Limiter)
	}
	if l.buckets[key] == nil {
		l.makeRoom(now)
		l.buckets[key] = rate.NewLimiter(rate.Every(l.every), l.burst)
	}
	return l.buckets[key].AllowN(now, 1)
}

// makeRoom forgets what is idle when there are too many keys, and one that is
// not when that is not enough: memory has an end, whoever floods it.
func (l *limiter) makeRoom(now time.Time) {
	if len(l.buckets) < maxKeys {
		return
	}
	some := ""
	for key, bucket := range l.buckets {
		if some = key; bucket.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, key)
		}
	}
	if len(l.buckets) >= maxKeys {
		delete(l.buckets, some)
	}
}

// addressOf is whose tries count together: an address, or for IPv6 its network,
// of which one subscriber has all addresses.
func addressOf(c echo.Context) string {
	const subscriber = 64
	address, err := netip.ParseAddr(c.RealIP())
	if err != nil {
		return c.RealIP()
	}
	if address = address.Unmap(); address.Is4() {
		return address.String()
	}
	network, err := address.WithZone("").Prefix(subscriber)
	if err != nil {
		return address.String()
	}
	return network.String()
}
