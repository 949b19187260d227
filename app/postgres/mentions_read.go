package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/mentions"
	"vivra/app/postgres/dbsqlc"
)

// classified applies what a reader said of a batch. It may choose from closed
// lists only, and what follows is decided here.
func (t *opTx) classified(ctx context.Context, st app.Step) error {
	rows, err := t.store.q.MentionsOfReading(ctx, t, &st.ID)
	if err != nil {
		return fmt.Errorf("list mentions that were read: %w", err)
	}
	byID := make(map[string]dbsqlc.Mention, len(rows))
	asked := make([]string, len(rows))
	for i, m := range rows {
		asked[i], byID[m.PostID] = m.PostID, m
	}
	said, err := mentions.Readings(st.Output, asked)
	if err != nil {
		return err
	}
	settings, err := t.settings(ctx)
	if err != nil {
		return err
	}
	if err := t.lockAccount(ctx, t.op.XHandle); err != nil { // whose limits they share
		return err
	}
	var seen tally
	for _, r := range said {
		m := byID[r.ID]
		if !unsettled(m) {
			continue
		}
		limits, err := t.limits(ctx, m, settings)
		if err != nil {
			return err
		}
		v := mentions.Decide(r, limits)
		seen.add(v)
		if err := t.settleMention(ctx, m, v, r.Subject); err != nil {
			return err
		}
	}
	return t.report(ctx, "Classified", seen)
}

// unsettled tells whether nothing but a reader that failed has decided on m.
func unsettled(m dbsqlc.Mention) bool {
	return m.State == app.MentionReading || m.State == app.MentionFlagged && m.Why == string(mentions.Unread)
}

func (t *opTx) limits(ctx context.Context, m dbsqlc.Mention, settings app.Settings) (mentions.Limits, error) {
	l := mentions.Limits{Approval: settings.XReplyApproval, Summons: m.Summons}
	var err error
	if l.OptedOut, err = t.optedOut(ctx, t.op.XHandle, m.AuthorID); err != nil {
		return l, err
	}
	n, err := t.store.q.MentionAnswers(ctx, t, dbsqlc.MentionAnswersParams{AuthorID: m.AuthorID, Handle: t.op.XHandle, Day: day(t.now), Hour: t.now.Add(-time.Hour)})
	if err != nil {
		return l, fmt.Errorf("count the account's answers: %w", err)
	}
	replied, err := t.store.q.HasStep(ctx, t, dbsqlc.HasStepParams{OperationID: t.op.ID, Key: app.ReplyTask + "." + m.PostID})
	if err != nil {
		return l, fmt.Errorf("look for a reply: %w", err)
	}
	l.Open, l.ThisHour = n.ToAuthor > 0 || replied, n.ThisHour
	return l, nil
}

// unread leaves what a reader could not read to a person.
func (t *opTx) unread(ctx context.Context, st app.Step) error {
	if st.Task != app.MentionsTask {
		return nil
	}
	n, err := t.store.q.FlagUnread(ctx, t, dbsqlc.FlagUnreadParams{Now: &t.now, StepID: &st.ID})
	if err != nil {
		return fmt.Errorf("flag what could not be read: %w", err)
	}
	if n > 0 {
		t.add(app.EventLine{Kind: "mentions", Agent: "cm", Step: st.Key, Summary: app.Count(int(n), "mention", "mentions") + " could not be classified: flagged for a person"})
	}
	return nil
}

func (t *opTx) mentionAnswered(ctx context.Context, st app.Step) error {
	if err := t.store.q.MentionAnswered(ctx, t, dbsqlc.MentionAnsweredParams{Now: &t.now, StepID: &st.ID}); err != nil {
		return fmt.Errorf("save mention: %w", err)
	}
	return nil
}

// MentionOfStep returns the mention that a step writes the answer to.
func (s *Store) MentionOfStep(ctx context.Context, stepID int64) (app.MentionRow, error) {
	r, err := s.q.MentionOfReply(ctx, s.pool, &stepID)
	if err != nil {
		return app.MentionRow{}, notFound(err, "mention to answer")
	}
	return mentionOf(dbsqlc.MentionsRow{Mention: r.Mention, Username: r.Username}), nil
}
