// Package dossier knows what each venue's takeover form asks for, and fills it
// from what is known. It is pure; a person submits the forms by hand.
package dossier

import (
	"slices"
	"time"

	"vivra/app"
	"vivra/app/scoring"
)

// Known is what the database and the chain say of a takeover. What could not be
// read is nil or empty and becomes a gap.
type Known struct {
	Op      app.Operation
	Address string // the token's, EIP-55
	Chain   string // its name for people
	// Explorer is the token's page there; LivePage the operation's own.
	Explorer, LivePage string
	Code               string // the one-time code of the verification post
	Site               string // address of the published site
	// ReadAt is when the chain was read for what follows.
	ReadAt    time.Time
	Token     *app.TokenFacts
	Launch    *app.Launch
	Holders   *app.Holders
	Liquidity *app.Liquidity
	// Week is the trading before the takeover, as read at WeekAt.
	Week   *app.Transactions
	WeekAt time.Time
	// Checks are those of the go or no-go that was approved at DecidedAt, Why the
	// words about it that were approved with it.
	Checks    []scoring.Check
	Why       string
	DecidedAt time.Time
	Published []app.Publication
	// Media returns the public address of a file that went out.
	Media func(sha256 string) string
}

// Assemble fills the forms that fit the token. Every value stands once.
func Assemble(k Known) app.DossierPayload {
	p := app.DossierPayload{Fields: []app.DossierField{}, Compiled: compiled}
	for _, v := range venues {
		if why := v.unfit(k); why != "" {
			p.LeftOut = append(p.LeftOut, app.DossierOmission{Name: v.Name, Why: why})
			continue
		}
		p.Venues = append(p.Venues, v.DossierVenue)
	}
	asked := func(f app.DossierField) bool {
		return slices.ContainsFunc(p.Venues, func(v app.DossierVenue) bool { return slices.Contains(v.Fields, f.Key) })
	}
	for _, f := range slices.Concat(k.token(), k.channels(), k.face(), k.evidence(), byHand()) {
		if f.Value == "" {
			f.Source, f.At, f.Link, f.Fixed = "", nil, "", false
		} else {
			f.Missing = ""
		}
		if asked(f) {
			p.Fields = append(p.Fields, f)
		}
	}
	return p
}

// published returns what a step sent out last, nil when nothing.
func (k Known) published(step string) *app.Publication {
	for i := len(k.Published) - 1; i >= 0; i-- {
		if k.Published[i].StepKey == step {
			return &k.Published[i]
		}
	}
	return nil
}

// instant is t for a field, nil when there is none.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	utc := t.UTC().Truncate(time.Second)
	return &utc
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
