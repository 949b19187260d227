package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// newest is older than no post: numbers of posts have at most twenty digits.
var newest = strings.Repeat("9", 21)

// Mentions returns the mentions of an operation that the filter leaves.
func (s *Store) Mentions(ctx context.Context, operationID int64, f app.MentionFilter) (page app.MentionPage, err error) {
	rows, err := s.q.Mentions(ctx, s.pool, dbsqlc.MentionsParams{OperationID: operationID, State: string(f.State), Before: cmp.Or(f.Before, newest), Most: int32(f.Limit) + 1})
	if err != nil {
		return page, fmt.Errorf("read mentions: %w", err)
	}
	page.More = len(rows) > f.Limit
	for _, r := range rows[:min(len(rows), f.Limit)] {
		page.Items = append(page.Items, mentionOf(r))
	}
	counts, err := s.q.MentionCounts(ctx, s.pool, operationID)
	if err != nil {
		return page, fmt.Errorf("count mentions: %w", err)
	}
	page.Counts = make(map[app.MentionState]int, len(counts))
	for _, c := range counts {
		page.Counts[c.State] = c.Count
	}
	page.Look, err = s.look(ctx, operationID)
	return page, err
}

func (s *Store) look(ctx context.Context, operationID int64) (app.MentionLook, error) {
	row, err := s.q.MentionLook(ctx, s.pool, operationID)
	if noRows(err) {
		return app.MentionLook{}, nil
	}
	if err != nil {
		return app.MentionLook{}, fmt.Errorf("read when mentions are looked for: %w", err)
	}
	return app.MentionLook{LookedAt: row.LookedAt, NextAt: &row.NextAt, Account: app.XAccountState(row.Account)}, nil
}

func mentionOf(r dbsqlc.MentionsRow) app.MentionRow {
	m := app.MentionRow{PostID: r.Mention.PostID, AuthorID: r.Mention.AuthorID, Username: r.Username, AuthorName: r.Name, Bio: r.Bio,
		Text: r.Mention.Text, Alts: r.Mention.Alts, Cleared: r.Mention.Cleared, WrittenAt: r.Mention.WrittenAt.UTC(), FoundAt: r.Mention.FoundAt.UTC(),
		State: r.Mention.State, Kind: r.Mention.Kind, Subject: r.Mention.Subject, Why: r.Mention.Why, OptOut: app.OptOut(r.OptOut)}
	if r.StepKey != "" {
		m.Reply = &app.MentionReply{StepKey: r.StepKey, StepState: app.StepState(r.StepState), ValidationID: r.ValidationID, Link: r.Link}
	}
	return m
}
