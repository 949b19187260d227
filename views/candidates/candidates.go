// Package candidates shows which tokens may be taken over, and why.
package candidates

import (
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/scoring"
	"vivra/views/ui"
)

// Page is a part of the list.
type Page struct {
	State      app.CandidateState // empty: any
	Number     int                // of the part, from 1
	More       bool               // whether there is a part behind it
	Candidates []app.CandidateSummary
	PublicURL  string
	Now        time.Time
}

func (p Page) title() string {
	if p.State == "" {
		return "Candidates"
	}
	return "Candidates: " + ui.CandidateWord(p.State)
}

// Report is the page of one candidate.
type Report struct {
	Candidate app.Candidate
	// Found is what the report says; nil when only the score was kept.
	Found     *scoring.Report
	Metrics   []app.Metrics
	Holders   *app.Holders
	HoldersAt time.Time
	Explorer  string
	PublicURL string
	Now       time.Time
}

func (r Report) address() string { return ui.Checksum(r.Candidate.Token.Ref.Address) }

func (r Report) path() string {
	return paths.Candidate(r.Candidate.Token.Ref.ChainID, r.address())
}

func (r Report) open() bool { return r.Candidate.Slug != "" && !r.Candidate.Takeover.Final() }

// verdict is what the checks alone come to.
func (r Report) verdict() (tone, word string) {
	if r.Found == nil {
		return "off", "no report"
	}
	switch r.Found.Decision() {
	case scoring.NoGo:
		return "bad", "no-go by the checks"
	case scoring.Unclear:
		return "wait", "not blocked, not all is known"
	}
	return "live", "go by the checks"
}

// sentence is the verdict in words.
func (r Report) sentence() string {
	if r.Found == nil {
		return "Only the score of this candidate was kept. The next scan brings its report."
	}
	return r.Found.Sentence()
}

// deadSentence says whether it is dead by the rule.
func deadSentence(dead string) string {
	switch dead {
	case "yes":
		return "It is dead by the rule: no trade for 7 days or under $100 traded in them, and nothing done by the deployer for 14 days."
	case "no":
		return "It is not dead by the rule, which takes 7 days without a trade or under $100 traded in them, and 14 days without a deed of the deployer."
	}
	return "Whether it is dead is not known: the trades or the deployer could not be read."
}

func checkTone(s scoring.Status) string {
	switch s {
	case scoring.Pass:
		return "live"
	case scoring.Warn:
		return "wait"
	case scoring.Fail:
		return "bad"
	}
	return "off"
}

func checkWord(s scoring.Status) string {
	switch s {
	case scoring.Warn:
		return "warning"
	case scoring.Fail:
		return "blocks"
	}
	return string(s)
}

func points(p scoring.Part) string {
	if !p.Known {
		return fmt.Sprintf("unknown, 0 of %d", p.Max)
	}
	return fmt.Sprintf("%d of %d", p.Points, p.Max)
}

// filled is how much of a bar of 1000 a part fills.
func filled(points, most int) string { return fmt.Sprint(1000 * points / max(most, 1)) }

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

func shareWidth(share float64) string {
	return fmt.Sprintf("%.0f", 1000*min(max(share, 0), 1))
}
