package doctor

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jonboulle/clockwork"
)

// service is one outside service while it is looked at: its wire, and the
// variables that say where it is and how we are known there.
type service struct {
	*wire
	name    string
	address string // the variable with its address
	key     string // the variables with our key, empty when there is none
}

func newService(wall clockwork.Clock, name, address, key string) service {
	return service{newWire(wall), name, address, key}
}

// ok is a finding with the time of the last answer.
func (s service) ok(seen string, args ...any) Finding {
	return s.timed(ok(s.name, seen, args...))
}

func (s service) warning(seen, advice string, args ...any) Finding {
	return s.timed(warning(s.name, seen, advice, args...))
}

func (s service) broken(seen, advice string, args ...any) Finding {
	return s.timed(broken(s.name, seen, advice, args...))
}

func (s service) timed(f Finding) Finding {
	c := s.seen()
	f.Latency, f.reach = c.latency.Milliseconds(), c.reach()
	return f
}

// maxQuote leaves room beside a service's own words for what to do.
const maxQuote = 160

// failed turns an adapter's error into what is wrong and what to do.
func (s service) failed(err error) Finding {
	what, where := s.fault(err)
	return s.broken("", "%s: %s.", most(capital(what), maxQuote), s.remedy(where))
}

func (s service) remedy(where cause) string {
	switch where {
	case address:
		return "check " + s.address
	case key:
		if s.key != "" {
			return "check " + s.key
		}
		return fmt.Sprintf("check %s, which may need a key in it", s.address)
	case unpaid:
		return "add credit there"
	case theirs:
		return fmt.Sprintf("try again later, and if it stays so check %s", s.address)
	case unencrypted:
		return fmt.Sprintf("check %s, and this machine's clock", s.address)
	}
	return "check " + strings.Join(strings.Fields(s.address+" "+s.key), " and ")
}

// capital begins a sentence, unless with a host's name.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsAny(word, ".:") {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}
