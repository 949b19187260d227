package doctor

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"syscall"
)

// reach tells whether a finding's call came out of our own network.
type reach int

const (
	unasked    reach = iota // no call was made, or to near by
	answered                // somebody was there, whatever they said
	unanswered              // as for each call without a network
)

func (c call) reach() reach {
	switch {
	case c.host == "" || near(c.host):
		return unasked
	case c.err != nil && c.lost():
		return unanswered
	}
	return answered
}

// near is a host on this machine or beside it, which the network outside is not
// needed for.
func near(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".")
}

// lost tells whether the call may have failed on its way.
func (c call) lost() bool {
	var dns *net.DNSError
	var dial *net.OpError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(c.err, &dns), errors.Is(c.err, context.DeadlineExceeded):
		return true
	case errors.As(c.err, &dial) && dial.Op == "dial":
		return !errors.Is(dial.Err, syscall.ECONNREFUSED)
	}
	return errors.As(c.err, &timeout) && timeout.Timeout()
}

// alike is how many services must be out of reach, with none in reach, for it
// to be the network's fault.
const alike = 2

// networkOf says once that the network can't be reached, in place of what each
// service out of reach would have us check.
func networkOf(found []Finding) []Finding {
	var names []string
	network, first := Finding{Service: "network", State: Broken}, -1
	for i, f := range found {
		if f.reach == answered {
			return found
		}
		if f.reach == unanswered {
			if first < 0 {
				first = i
			}
			names = append(names, f.Service)
			network.Cost += f.Cost
		}
	}
	if names = slices.Compact(names); len(names) < alike {
		return found
	}
	network.Advice = "This machine reaches nothing outside, so these could not be looked at: " + strings.Join(names, ", ") +
		". Bring its network up, see that it resolves names (DNS) and may go out, then run vivra doctor again."
	rest := slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.reach == unanswered })
	return slices.Insert(rest, first, network)
}
