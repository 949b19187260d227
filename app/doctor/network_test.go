package doctor

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// asks is a check that calls an address as those of services do.
func asks(name, url string) Check {
	s := newService(clockwork.NewRealClock(), name, "ITS_URL", "")
	return one(name, func(ctx context.Context) Finding {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return s.broken("", "It is no web address.")
		}
		res, err := s.client().Do(req)
		if err != nil {
			return s.failed(err)
		}
		defer res.Body.Close()
		return s.ok("it answers")
	})
}

// TestOffTheNetIsSaidOnce, and only where nothing outside answers: what is near
// by, and what needs no network, is told as ever.
func TestOffTheNetIsSaidOnce(t *testing.T) {
	t.Parallel()
	near := answers(t, 200, "application/json", "{}")
	for name, c := range map[string]struct {
		urls map[string]string
		off  bool
	}{
		"no names":        {map[string]string{"a": "https://a.invalid", "b": "https://b.invalid/x", "c": "http://c.invalid:81"}, true},
		"no way and near": {map[string]string{"a": "https://a.invalid", "b": "https://b.invalid", "c": "https://c.invalid", "d": near, "e": nobody(t)}, true},
		"too few":         {map[string]string{"a": "https://a.invalid", "d": near}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks := []Check{one("folder", func(context.Context) Finding { return ok("folder", "can be written") })}
			for service, url := range c.urls {
				checks = append(checks, asks(service, url))
			}
			r := examined(t, 20*time.Second, checks...)
			var said []string
			for _, f := range r.Findings {
				if f.Service == "network" {
					said = append(said, f.Advice)
				} else if strings.Contains(f.Advice, ".invalid") && c.off {
					t.Errorf("it advises %q", f.Advice)
				}
			}
			if (len(said) == 1) != c.off || r.Healthy || c.off && !strings.Contains(r.Screen(), "reaches nothing outside") {
				t.Errorf("the network is told of in %q, by the screen\n%s", said, r.Screen())
			}
		})
	}
}

// TestWhatIsLostOnItsWay: an answer of any kind, a refused connection too, shows
// that there is a network.
func TestWhatIsLostOnItsWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		found []reach
		off   bool
	}{
		"all lost":         {[]reach{unanswered, unasked, unanswered, unanswered}, true},
		"one was there":    {[]reach{unanswered, unanswered, answered, unanswered, unanswered}, false},
		"nobody was asked": {[]reach{unasked, unasked, unasked}, false},
		"too few":          {[]reach{unanswered, unasked}, false},
	} {
		found := []Finding{{Service: "folder", State: OK}}
		for i, r := range c.found {
			found = append(found, Finding{Service: string(rune('a' + i)), State: Broken, reach: r, Cost: 1})
		}
		got := networkOf(found)
		if off := got[1].Service == "network"; off != c.off {
			t.Errorf("%s: %+v", name, got)
		}
		var before, after Report
		for _, f := range found {
			before.add(f)
		}
		for _, f := range got {
			after.add(f)
		}
		if before.Cost != after.Cost {
			t.Errorf("%s: of %s %s are left", name, before.Cost, after.Cost)
		}
	}
}
