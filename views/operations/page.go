// Package operations is the public live page of one takeover.
package operations

import (
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/public"
	"vivra/views/ui"
)

// Page is what the live page shows.
type Page struct {
	Op           public.Operation
	Steps        []public.Step // by due time
	Beside       public.Beside
	Waiting      app.Waiting
	Publications []public.Publication
	Spending     app.Spending
	Sources      []app.SourceCost
	Metrics      []app.Metrics // oldest first; the first is the baseline
	Log          Log
	State        string // names the parts as they are; empty: unknown
	Now          time.Time
	Pace         float64 // of Now, in the reader's seconds
	Explorer     string  // base address of a block explorer, empty: no link
	PublicURL    string
}

// Log is the part of the log on the page.
type Log struct {
	Slug   string
	Filter paths.Log
	Events []app.Event // oldest first
	Agents []string    // those to filter by
	Older  bool        // there are rows before the first
	// Previous is the row before the first, for its heading.
	Previous app.Event
}

// Agents are those that work on the steps, for the filter.
func Agents(steps []public.Step) []string {
	set := map[string]bool{}
	for _, s := range steps {
		set[s.Agent] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func (p Page) day() int { return min(p.Op.Day(p.Now), 30) }

func (p Page) inState(state app.StepState) []public.Step {
	var found []public.Step
	for _, s := range p.Steps {
		if s.State == state {
			found = append(found, s)
		}
	}
	return found
}

// next is the pending step that falls due first.
func (p Page) next() (public.Step, bool) {
	pending := p.inState(app.StepPending)
	if len(pending) == 0 || p.Op.State.Final() {
		return public.Step{}, false
	}
	return pending[0], true
}

func (p Page) title() string { return p.Op.Token.Symbol + " takeover, " + p.dayText() }

func (p Page) dayText() string {
	if p.Op.State == app.OperationScheduled {
		return "scheduled"
	}
	return "day " + decimal(p.day()) + " of 30"
}

// after is the sequence number the stream goes on from: the last the page knows.
func (p Page) after() int64 { return max(p.Log.Last(), p.Op.Seq) }

func (p Page) preview(pub public.Publication) ui.Preview {
	return ui.Preview{Kind: pub.Kind, Payload: pub.Payload, Of: pub.Parts.Total, Media: func(sha string) string { return paths.OperationMedia(p.Op.Slug, sha) }}
}

// newest returns the publications, the last one first.
func (p Page) newest() []public.Publication {
	all := slices.Clone(p.Publications)
	slices.Reverse(all)
	return all
}

func price(m app.Metrics) float64   { return m.PriceUSD }
func holders(m app.Metrics) float64 { return float64(m.Holders) }
func volume(m app.Metrics) float64  { return m.Volume24hUSD }

// opened marks a folded part that is shown open at first.
func opened(open bool) templ.Attributes {
	if !open {
		return nil
	}
	return templ.Attributes{"open": true}
}

func today(p Page, c dayCell) templ.Attributes {
	if p.Op.State == app.OperationScheduled || c.number != p.Op.Day(p.Now) {
		return nil
	}
	return templ.Attributes{"aria-current": "date"}
}

// linkText names a link by where it leads.
func linkText(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return "open"
	}
	return u.Host
}

func platformPrice(n app.Nano) string {
	if n == 0 {
		return ""
	}
	return " · " + n.String() + " at the platform"
}

// nextWords tell when the next step comes, before the instant if that stands.
func (p Page) nextWords() string {
	if p.Op.State == app.OperationPaused {
		return "once it is resumed"
	}
	return "due"
}

// published tells whether the step of that key is done.
func (p Page) published(key string) bool {
	return slices.ContainsFunc(p.Steps, func(s public.Step) bool { return s.Key == key && s.State == app.StepDone })
}
