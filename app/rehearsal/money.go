package rehearsal

import (
	"context"

	"vivra/app"
	"vivra/app/rehearsal/xsim"
)

// XMoney is what X was paid, as the product showed and booked it, and as X did.
type XMoney struct {
	Shown   app.Nano     `json:"shown_nusd"`   // before the approvals, of all that went out whole
	Posts   app.Nano     `json:"posts_nusd"`   // booked for publications
	Wasted  app.Nano     `json:"wasted_nusd"`  // booked for alt texts of posts that did not go out
	Reads   app.Nano     `json:"reads_nusd"`   // booked for reads
	Lost    int          `json:"lost_reads"`   // whose answer never came: booked at their bounds
	Charged xsim.Charges `json:"charged_nusd"` // by X
	Billed  app.Nano     `json:"billed_nusd"`  // of X's reads: what the operation's own come to
}

// proveMoney: what was shown before each approval is what X charged for it, and
// what was booked for reads is what X charged for those.
func (r *rehearsal) proveMoney(ctx context.Context, s *Summary, fault func(string, ...any)) error {
	var err error
	m := &s.X
	m.Charged, m.Billed = r.world.X.Charges(), r.billed()
	if m.Reads, m.Lost, err = r.app.Store.ReadCosts(ctx, r.op.ID); err != nil {
		return err
	}
	if m.Wasted, err = r.app.Store.Wasted(ctx, r.op.ID); err != nil {
		return err
	}
	if err := r.provePublications(ctx, m, fault); err != nil {
		return err
	}
	// What a process that died had sent before is booked at the most that it can
	// have cost.
	if booked, charged := m.Posts+m.Wasted, m.Charged.Posts+m.Charged.AltTexts; booked < charged || booked > charged && m.Wasted == 0 {
		fault("X charged %s for posts and alt texts, %s is booked", charged, booked)
	}
	if m.Reads < m.Billed || m.Reads > m.Billed && m.Lost == 0 {
		fault("X charged %s for reads, %s is booked", m.Billed, m.Reads)
	}
	return nil
}

// provePublications compares each publication on X with what was shown of it
// when it was decided on.
func (r *rehearsal) provePublications(ctx context.Context, m *XMoney, fault func(string, ...any)) error {
	all, err := r.app.Store.Effects(ctx, r.op.ID)
	if err != nil {
		return err
	}
	charged := map[string]app.Nano{} // by post
	for _, p := range r.world.X.Posts() {
		charged[p.ID] = p.Price()
	}
	outputs := map[string]*publicationPrice{}
	for _, e := range all {
		p := outputs[e.ValidationID]
		if p == nil {
			p = &publicationPrice{step: e.StepKey}
			outputs[e.ValidationID] = p
		}
		p.add(e, charged[e.ProviderID])
	}
	for id, p := range outputs {
		v, err := r.app.Store.Validation(ctx, id)
		if err != nil {
			return err
		}
		m.Posts += p.booked
		if p.booked != p.charged {
			fault("%s: %s is booked, X charged %s for it", p.step, p.booked, p.charged)
		}
		if p.open {
			continue
		}
		m.Shown += v.Risk.PublishPrice
		if v.Risk.PublishPrice != p.charged {
			fault("%s was to cost %s, X charged %s for it", p.step, v.Risk.PublishPrice, p.charged)
		}
	}
	return nil
}

// publicationPrice is what came of the price of one approved output.
type publicationPrice struct {
	step            string
	booked, charged app.Nano
	open            bool // a part of it did not go out
}

func (p *publicationPrice) add(e app.EffectStatus, charged app.Nano) {
	if e.State != app.EffectDone {
		p.open = true
		return
	}
	p.booked += e.Cost
	if e.Kind == "x.post" {
		p.charged += charged
	}
}

// billed is what X would have billed for the operation's reads alone: what was
// read for the account when it was connected is not the operation's, and what
// the operation read on that day too is.
func (r *rehearsal) billed() (sum app.Nano) {
	for key, read := range r.world.X.Reads() {
		if read.Times > r.before[key].Times {
			sum += read.Price
		}
	}
	return sum
}
