package rehearsal

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"vivra/app"
)

// prove holds what the local servers saw, the log and the ledger against each
// other, and names each promise that did not hold.
func (r *rehearsal) prove(ctx context.Context, s *Summary) error {
	fault := func(format string, a ...any) { s.Faults = append(s.Faults, fmt.Sprintf(format, a...)) }
	if s.LogCost != s.Spent {
		fault("the log sums to %s, the operation to %s", s.LogCost, s.Spent)
	}
	if s.Spent > s.Cap {
		fault("%s was spent under a cap of %s", s.Spent, s.Cap)
	}
	for _, each := range []func(context.Context, *Summary, func(string, ...any)) error{r.proveEffects, r.proveSent, r.proveLog, r.proveCalls, r.proveMoney} {
		if err := each(ctx, s, fault); err != nil {
			return err
		}
	}
	slices.Sort(s.Faults)
	return nil
}

// proveEffects: what went out was approved before, and each local server saw
// exactly what was booked, once.
func (r *rehearsal) proveEffects(ctx context.Context, s *Summary, fault func(string, ...any)) error {
	effects, err := r.app.Store.Effects(ctx, r.op.ID)
	if err != nil {
		return err
	}
	booked := map[publication]int{}
	for _, e := range effects {
		v, err := r.app.Store.Validation(ctx, e.ValidationID)
		if err != nil {
			return err
		}
		if attempted(e) && (v.State != app.ValidationApproved || v.DecidedAt == nil || e.AttemptedAt.Before(*v.DecidedAt)) {
			fault("%s was attempted without an approval before it", e.Key)
		}
		if e.State == app.EffectDone {
			booked[publication{kind: publicationKinds[e.Kind], id: e.ProviderID}]++
		}
	}
	s.Published = map[string]int{}
	words := map[string]int{}
	for _, p := range r.world.publications() {
		s.Published[p.kind]++
		if words[p.kind+p.words]++; words[p.kind+p.words] == 2 {
			fault("%s was published twice: %s", p.kind, p.words)
		}
		p.words = ""
		booked[p]--
	}
	for p, n := range booked {
		if n != 0 && p.kind != "" {
			fault("%s %s: booked %+d times more often than its local server saw it", p.kind, p.id, n)
		}
	}
	return nil
}

func attempted(e app.EffectStatus) bool {
	return e.AttemptedAt != nil && e.State != app.EffectVoid
}

// publicationKinds are the effects that leave something new at a server.
var publicationKinds = map[string]string{"x.post": "x.post", "tg.message": "tg.message", "tg.poll": "tg.poll", "site.deploy": "deployment", "utility.deploy": "deployment"}

// publication is one thing that a local server was given.
type publication struct{ kind, id, words string }

func (w *World) publications() []publication {
	var all []publication
	for _, p := range w.X.Posts() {
		if p.Account == xAccountID {
			all = append(all, publication{"x.post", p.ID, p.Text})
		}
	}
	for _, p := range w.Telegram.Published() {
		kind := "tg.message"
		if p.PollID != "" {
			kind = "tg.poll"
		}
		all = append(all, publication{kind, fmt.Sprint(p.MessageID), p.Text})
	}
	for _, d := range w.Pages.Deployments() {
		all = append(all, publication{"deployment", d.ID, d.Message})
	}
	return all
}

// proveLog: the log has no gap, and each line's hash follows from the one before.
func (r *rehearsal) proveLog(ctx context.Context, s *Summary, fault func(string, ...any)) error {
	head := make([]byte, 32)
	for seq := int64(0); seq < s.LogEntries; {
		events, err := r.app.Store.EventsAfter(ctx, r.op.ID, seq, 500)
		if err != nil {
			return err
		}
		for _, e := range events {
			hash, err := hex.DecodeString(e.Hash)
			if err != nil {
				return err
			}
			head = app.ChainHash(head, e.Line)
			if e.Seq != seq+1 || !bytes.Equal(head, hash) {
				fault("the log is broken at line %d", e.Seq)
				return nil
			}
			seq = e.Seq
			s.Attacks.logged(e)
		}
		if len(events) == 0 {
			fault("the log ends at line %d of %d", seq, s.LogEntries)
			return nil
		}
	}
	if hex.EncodeToString(head) != s.HeadHash {
		fault("the log's last hash is not the operation's")
	}
	return nil
}

// proveCalls: no answer of a model was paid for twice, and what a lost one may
// have cost is booked.
func (r *rehearsal) proveCalls(ctx context.Context, s *Summary, fault func(string, ...any)) error {
	steps, beside, err := r.steps(ctx)
	if err != nil {
		return err
	}
	for _, st := range append(steps, beside...) {
		runs, err := r.app.Store.RunsOfStep(ctx, st.ID)
		if err != nil {
			return err
		}
		for i, run := range runs {
			if run, err = r.app.Store.Run(ctx, run.ID); err != nil {
				return err
			}
			if run.State == "running" && st.State.Final() || i < len(runs)-1 && run.State == "running" {
				fault("%s is %s and has a run that goes on", st.Key, st.State)
			}
			r.proveRun(run, s, fault)
			if err := s.Attacks.ordered(run); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rehearsal) proveRun(run app.RunTrace, s *Summary, fault func(string, ...any)) {
	paid := map[int]int{}
	for _, c := range run.Calls {
		switch {
		case c.State == "unknown":
			s.LostAnswers++
			if c.Cost != c.Reserved {
				fault("a lost answer of %s is booked at %s, not at its bound of %s", run.StepKey, c.Cost, c.Reserved)
			}
		case c.State == "settled" && c.Turn > 0: // pictures have no turn
			if paid[c.Turn]++; paid[c.Turn] == 2 {
				fault("turn %d of a run of %s was paid twice", c.Turn, run.StepKey)
			}
		}
	}
}
