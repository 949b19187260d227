package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/mentions"
	"vivra/app/postgres/dbsqlc"
)

// LookEnd is what a look leaves behind.
type LookEnd struct {
	Cursor string
	Until  string
	Next   time.Time
	// Bound tells that the day's money for looks is spent.
	Bound string
}

// JudgeMentions applies what code made of new mentions, by post: what is flagged,
// who asked to be left alone, and the steps that read the rest. It does not for
// an operation that was paused meanwhile: there they wait as they are.
func (s *Store) JudgeMentions(ctx context.Context, l Look, verdicts map[string]mentions.Verdict, now time.Time) (applied bool, err error) {
	err = s.inLook(ctx, l, now, func(t *opTx) error {
		if applied = t.op.State == app.OperationRunning; !applied {
			return nil
		}
		return t.judged(ctx, verdicts)
	})
	return applied, err
}

// EndLook gives the claim back.
func (s *Store) EndLook(ctx context.Context, l Look, end LookEnd, now time.Time) error {
	return s.inLook(ctx, l, now, func(t *opTx) error {
		if end.Bound != "" {
			if _, err := t.raise(ctx, "mentions_bound", t.now.Format(time.DateOnly), end.Bound); err != nil {
				return err
			}
		}
		return t.endLook(ctx, end, &t.now)
	})
}

// inLook runs fn in the operation of a look, ErrLost if that is another's by now.
func (s *Store) inLook(ctx context.Context, l Look, now time.Time, fn func(*opTx) error) error {
	return s.inOperation(ctx, l.OperationID, now, func(t *opTx) error {
		if _, err := s.claimedLook(ctx, t, l.OperationID, l.Fence); err != nil {
			return err
		}
		return fn(t)
	})
}

// PutLookOff gives the claim back with nothing read to its end.
func (s *Store) PutLookOff(ctx context.Context, l Look, next, now time.Time) error {
	return s.inLook(ctx, l, now, func(t *opTx) error {
		return t.endLook(ctx, LookEnd{Cursor: l.Cursor, Until: l.Until, Next: next}, nil)
	})
}

func (t *opTx) endLook(ctx context.Context, end LookEnd, looked *time.Time) error {
	err := t.store.q.EndMentionLook(ctx, t, dbsqlc.EndMentionLookParams{OperationID: t.op.ID, NextAt: end.Next, LookedAt: looked, CursorID: end.Cursor, UntilID: end.Until})
	if err != nil {
		return fmt.Errorf("end look at mentions: %w", err)
	}
	return nil
}

func (t *opTx) judged(ctx context.Context, verdicts map[string]mentions.Verdict) error {
	rows, err := t.store.q.UnsettledMentions(ctx, t, dbsqlc.UnsettledMentionsParams{OperationID: t.op.ID, PostIds: slices.Collect(maps.Keys(verdicts))})
	if err != nil {
		return fmt.Errorf("list new mentions: %w", err)
	}
	var (
		seen  tally
		toAsk []dbsqlc.Mention
	)
	for _, m := range rows {
		v := verdicts[m.PostID]
		seen.add(v)
		if v.State == app.MentionReading {
			toAsk = append(toAsk, m)
			continue
		}
		if err := t.settleMention(ctx, m, v, ""); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(toAsk, mentions.MostAtOnce) {
		if err := t.askReader(ctx, batch); err != nil {
			return err
		}
	}
	return t.report(ctx, "Read", seen)
}

// askReader has a reader look at a batch of mentions.
func (t *opTx) askReader(ctx context.Context, batch []dbsqlc.Mention) error {
	asked := mentions.Asked{Subjects: mentions.Subjects()}
	for _, m := range batch {
		asked.Mentions = append(asked.Mentions, mentions.AskedPost{ID: m.PostID, Text: m.Text})
	}
	id, err := t.addReader(ctx, batch[len(batch)-1].PostID, asked)
	if err != nil {
		return err
	}
	for _, m := range batch {
		err := t.store.q.SettleMention(ctx, t, dbsqlc.SettleMentionParams{OperationID: t.op.ID, PostID: m.PostID, State: app.MentionReading, ReadingStep: &id})
		if err != nil {
			return fmt.Errorf("save mention: %w", err)
		}
	}
	return nil
}

// addReader adds the step of a reader, named by the newest of its mentions. One
// that was read by a program before is read by a further step.
func (t *opTx) addReader(ctx context.Context, newest string, asked mentions.Asked) (id int64, err error) {
	first := app.MentionsTask + "." + newest
	step := app.ContinuousStep{Key: first, Task: app.MentionsTask, Agent: "cm", Due: t.now, Input: asked}
	for n := 2; ; n++ {
		if id, err = t.addContinuous(ctx, step); err != nil || id != 0 {
			return id, err
		}
		step.Key = fmt.Sprint(first, "-", n)
	}
}

// settleMention stores a verdict; one that allows an answer has it written.
func (t *opTx) settleMention(ctx context.Context, m dbsqlc.Mention, v mentions.Verdict, subject string) error {
	p := dbsqlc.SettleMentionParams{OperationID: t.op.ID, PostID: m.PostID, State: v.State, Kind: string(v.Kind), Subject: subject, Why: string(v.Why), Now: &t.now}
	if v.State == app.MentionDrafted {
		id, err := t.addContinuous(ctx, app.ContinuousStep{Key: app.ReplyTask + "." + m.PostID, Task: app.ReplyTask, Agent: "cm", Due: t.now,
			Input: mentions.Answer{Kind: v.Kind, Subject: subject}, Validates: true})
		if err != nil {
			return err
		}
		if id == 0 {
			return fmt.Errorf("mention %s has a reply already", m.PostID)
		}
		p.ReplyStep = &id
	}
	if err := t.store.q.SettleMention(ctx, t, p); err != nil {
		return fmt.Errorf("save mention: %w", err)
	}
	if v.OptOut {
		return t.leaveAlone(ctx, m, v)
	}
	return nil
}

// tally counts verdicts for the public log, in numbers only.
type tally struct {
	all     int
	states  map[app.MentionState]int
	flagged map[mentions.Kind]int
}

func (c *tally) add(v mentions.Verdict) {
	if c.states == nil {
		c.states, c.flagged = map[app.MentionState]int{}, map[mentions.Kind]int{}
	}
	c.all++
	c.states[v.State]++
	if v.State == app.MentionFlagged {
		c.flagged[v.Kind]++
	}
}

func (c *tally) words() string {
	var parts []string
	for _, s := range []struct {
		state app.MentionState
		words string
	}{{app.MentionReading, "to be classified"}, {app.MentionDrafted, "to be answered"}, {app.MentionIgnored, "left alone"}, {app.MentionFlagged, "flagged for a person"}} {
		if n := c.states[s.state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	if kinds := c.kinds(); kinds != "" {
		parts[len(parts)-1] += " (" + kinds + ")"
	}
	return strings.Join(parts, ", ")
}

func (c *tally) kinds() string {
	var parts []string
	for _, k := range mentions.Kinds() {
		if n := c.flagged[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k.Words()))
		}
	}
	return strings.Join(parts, ", ")
}

// report says publicly how many mentions were read and what was made of them,
// and tells the team of those that a person has to see.
func (t *opTx) report(ctx context.Context, did string, c tally) error {
	if c.all == 0 {
		return nil
	}
	t.add(app.EventLine{Kind: "mentions", Agent: "cm", Step: app.MentionsTask, Summary: fmt.Sprintf("%s %s: %s", did, app.Count(c.all, "mention", "mentions"), c.words())})
	for _, k := range mentions.Kinds() {
		if n := c.flagged[k]; n > 0 {
			if err := t.flagged(ctx, k, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// flagged tells the team of mentions of one kind: once a day, and again for what
// comes after somebody has acknowledged that.
func (t *opTx) flagged(ctx context.Context, k mentions.Kind, n int) error {
	subject := t.now.Format(time.DateOnly) + " " + string(k)
	seen, err := t.store.q.AcknowledgedAlerts(ctx, t, dbsqlc.AcknowledgedAlertsParams{OperationID: t.op.ID, Kind: "mention_flagged", Subject: subject})
	if err != nil {
		return fmt.Errorf("count alerts that were seen: %w", err)
	}
	if seen > 0 {
		subject += fmt.Sprintf(" #%d", seen+1)
	}
	_, err = t.raise(ctx, "mention_flagged", subject, fmt.Sprintf("A person has to see %s on X (%s). What else is flagged for that today joins without another alert until this one is acknowledged.", app.Count(n, "mention", "mentions"), k.Words()))
	return err
}
