package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/mentions"
	"vivra/app/postgres/dbsqlc"
)

// leaveAlone keeps an author from being answered again, and takes back what is
// not out yet. A wish in plain words holds for every account of ours; one that
// only a reader saw, which anybody's words may have talked into it, for this one.
func (t *opTx) leaveAlone(ctx context.Context, m dbsqlc.Mention, v mentions.Verdict) error {
	p := dbsqlc.AddMentionOptOutParams{AuthorID: m.AuthorID, OperationID: t.op.ID, PostID: m.PostID, At: t.now}
	if v.Why == mentions.Reader {
		p.Account = strings.ToLower(t.op.XHandle)
	}
	if err := t.store.q.AddMentionOptOut(ctx, t, p); err != nil {
		return fmt.Errorf("keep an author's wish: %w", err)
	}
	rows, err := t.store.q.OpenRepliesTo(ctx, t, dbsqlc.OpenRepliesToParams{OperationID: t.op.ID, AuthorID: m.AuthorID})
	if err != nil {
		return fmt.Errorf("list drafts for an author: %w", err)
	}
	for _, st := range stepsOf(rows) {
		calls, err := t.callsOf(ctx, st)
		if err != nil {
			return err
		}
		if st.MaySkip(calls) != nil {
			continue // it is on its way
		}
		if err := t.cutIn(ctx, st, askedOut); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Skipped: " + askedOut})
		if err := t.endStep(ctx, st.ID, app.StepSkipped, nil, askedOut); err != nil {
			return err
		}
	}
	return nil
}

// optedOut tells whether an author asked to be left alone by an account.
func (t *opTx) optedOut(ctx context.Context, handle, authorID string) (bool, error) {
	out, err := t.store.q.MentionOptedOut(ctx, t, dbsqlc.MentionOptedOutParams{AuthorID: authorID, Handle: handle})
	if err != nil {
		return false, fmt.Errorf("look for an author's wish: %w", err)
	}
	return out, nil
}

// RemoveOptOut lets an author be answered again by the account of an operation:
// a person found that they have not asked to be left alone, or not any more.
func (s *Store) RemoveOptOut(ctx context.Context, op app.Operation, authorID, reason string, by app.User, now time.Time) error {
	return s.audited(ctx, by.Name, "opt_out.remove", op.Slug+" "+plain(authorID), now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		rows, err := s.q.RemoveMentionOptOuts(ctx, tx, dbsqlc.RemoveMentionOptOutsParams{AuthorID: plain(authorID), Handle: op.XHandle})
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("take back an author's wish: %w", err)
		case len(rows) == 0:
			return nil, nil, app.Errorf(app.Conflict, "This author has not asked to be left alone, or somebody has taken that back before you. Nothing was changed.")
		}
		wishes := make([]map[string]any, len(rows))
		for i, r := range rows {
			wishes[i] = map[string]any{"post": r.PostID, "account": r.Account, "at": r.At.UTC()}
		}
		return wishes, map[string]any{"reason": reason}, nil
	})
}
