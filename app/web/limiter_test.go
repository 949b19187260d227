package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestTriesAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for from, same := range map[string]string{"203.0.113.7": "203.0.113.7", "2001:db8:1:2::1": "2001:db8:1:2:ffff::9"} {
		for i := range 10 {
			if res := c.visitor(from).tries(fmt.Sprint("name", i, from), "guess"); res.StatusCode != http.StatusUnprocessableEntity {
				t.Fatalf("try %d answers %s", i+1, res.Status)
			}
		}
		if res := c.visitor(same).tries("viewer", "correct horse battery"); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" || !strings.Contains(res.body, "Too many tries from your address") {
			t.Errorf("the eleventh try from %s answers %s", same, res.Status)
		}
	}
	if v := c.visitor("203.0.113.8"); v.tries("viewer", "correct horse battery").StatusCode != http.StatusSeeOther {
		t.Error("another address is held up")
	}
	c.later(time.Minute)
	if v := c.visitor("203.0.113.7"); v.tries("viewer", "correct horse battery").StatusCode != http.StatusSeeOther {
		t.Error("a minute later the address is still held up")
	}
}

// TestAStrangerCantLockAPersonOut: who guesses at a name from everywhere uses up
// the strangers' tries, not those of a browser that the person has used before.
func TestAStrangerCantLockAPersonOut(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	own := c.visitor("198.51.100.1")
	own.signIn("viewer")
	own.submit(own.get("/admin"), "header form", nil)
	for _, name := range []string{"viewer", "nobody"} { // an account and none answer alike
		last := page{}
		for i := range 11 {
			last = c.visitor(fmt.Sprint("203.0.113.", i)).tries(name, "guess")
		}
		if last.StatusCode != http.StatusTooManyRequests || !strings.Contains(last.body, "Too many tries for this name") {
			t.Errorf("the eleventh guess at %s answers %s", name, last.Status)
		}
	}
	if res := c.visitor("203.0.113.99").tries("viewer", "correct horse battery"); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a stranger's right guess answers %s", res.Status)
	}
	if res := own.tries("viewer", "correct horse battery"); res.StatusCode != http.StatusSeeOther {
		t.Errorf("the person is locked out: %s", res.Status)
	}
	own.submit(own.get("/admin"), "header form", nil)
	if res := own.tries("approver", "guess"); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("another name: %s", res.Status)
	}
	for range 8 {
		own.tries("viewer", "guess")
	}
	if res := own.tries("viewer", "correct horse battery"); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a known browser may guess without end: %s", res.Status)
	}
	c.later(time.Minute)
	if res := c.visitor("203.0.113.98").tries("viewer", "correct horse battery"); res.StatusCode != http.StatusSeeOther {
		t.Errorf("a minute later: %s", res.Status)
	}
}
