package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/mentions"
	"vivra/app/postgres/dbsqlc"
)

// Look is one process's claim on reading an operation's mentions.
type Look struct {
	OperationID, Fence int64
	// Cursor is the post up to which every mention is stored.
	Cursor string
	// Until is where a look that was cut short goes on, towards the cursor.
	Until string
}

// ClaimLooks returns jobs for the operations whose mentions are due to be read:
// each is one process's until the given wall time.
func (s *Store) ClaimLooks(ctx context.Context, now, wall, until time.Time) ([]app.Job, error) {
	if err := s.q.OpenMentionLooks(ctx, s.pool, now); err != nil {
		return nil, fmt.Errorf("find accounts that have posted: %w", err)
	}
	rows, err := s.q.ClaimMentionLooks(ctx, s.pool, dbsqlc.ClaimMentionLooksParams{LeaseUntil: &until, Now: now, Wall: &wall})
	if err != nil {
		return nil, fmt.Errorf("claim looks at mentions: %w", err)
	}
	jobs := make([]app.Job, len(rows))
	for i, r := range rows {
		jobs[i] = app.Job{Kind: app.JobMentions, ID: r.OperationID, Fence: r.Fence}
	}
	return jobs, nil
}

// ClaimedLook returns the look of a claim, ErrLost if it no longer holds.
func (s *Store) ClaimedLook(ctx context.Context, operationID, fence int64) (Look, error) {
	return s.claimedLook(ctx, s.pool, operationID, fence)
}

func (s *Store) claimedLook(ctx context.Context, db dbsqlc.DBTX, operationID, fence int64) (Look, error) {
	row, err := s.q.ClaimedMentionLook(ctx, db, dbsqlc.ClaimedMentionLookParams{OperationID: operationID, Fence: fence})
	if noRows(err) {
		return Look{}, ErrLost
	}
	if err != nil {
		return Look{}, fmt.Errorf("check claim on mentions: %w", err)
	}
	return Look{OperationID: operationID, Fence: fence, Cursor: row.CursorID, Until: row.UntilID}, nil
}

// RenewLook keeps the claim alive until lease (wall clock), ErrLost if it no
// longer holds.
func (s *Store) RenewLook(ctx context.Context, l Look, lease time.Time) error {
	n, err := s.q.RenewMentionLook(ctx, s.pool, dbsqlc.RenewMentionLookParams{LeaseUntil: &lease, OperationID: l.OperationID, Fence: l.Fence})
	if err != nil {
		return fmt.Errorf("renew claim on mentions: %w", err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}

// MentionCosts is what the looks of now's UTC day have cost an operation.
func (s *Store) MentionCosts(ctx context.Context, operationID int64, now time.Time) (app.Nano, error) {
	cost, err := s.q.MentionCosts(ctx, s.pool, dbsqlc.MentionCostsParams{OperationID: operationID, Day: day(now)})
	if err != nil {
		return 0, fmt.Errorf("sum the looks at mentions: %w", err)
	}
	return app.Nano(cost), nil
}

// MentionCursor returns the newest mention that was written at least
// app.MentionOverlap before an instant, "" when there is none. A zero instant is when the newest
// that is known was written.
func (s *Store) MentionCursor(ctx context.Context, operationID int64, before time.Time) (string, error) {
	if before.IsZero() {
		var err error
		if before, err = s.q.NewestMention(ctx, s.pool, operationID); err != nil {
			return "", fmt.Errorf("look for the newest mention: %w", err)
		}
	}
	id, err := s.q.MentionCursor(ctx, s.pool, dbsqlc.MentionCursorParams{OperationID: operationID, By: before.Add(-app.MentionOverlap)})
	if err != nil {
		return "", fmt.Errorf("look for where the next look begins: %w", err)
	}
	return id, nil
}

// MentionsSince is how many mentions are known that are newer than a post.
func (s *Store) MentionsSince(ctx context.Context, operationID int64, post string) (int, error) {
	n, err := s.q.MentionsSince(ctx, s.pool, dbsqlc.MentionsSinceParams{OperationID: operationID, Since: post})
	if err != nil {
		return 0, fmt.Errorf("count mentions: %w", err)
	}
	return n, nil
}

func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// AddMentions stores a page that a look found, each post once, and that it goes
// on after it: l.Until is the page's last. userID is the account that is looked
// for. ErrLost if the look is another's by now.
func (s *Store) AddMentions(ctx context.Context, l Look, userID string, posts []app.Post, now time.Time) error {
	p := dbsqlc.AddMentionsParams{OperationID: l.OperationID, Fence: l.Fence, UntilID: l.Until, FoundAt: now}
	for _, post := range posts {
		alts, err := json.Marshal(cleaned(post.AltTexts))
		if err != nil {
			return fmt.Errorf("keep what pictures show: %w", err)
		}
		p.PostIds, p.AuthorIds = append(p.PostIds, post.ID), append(p.AuthorIds, post.AuthorID)
		p.Texts, p.Alts = append(p.Texts, plain(post.Text)), append(p.Alts, string(alts))
		p.Summons, p.Quotes = append(p.Summons, slices.Contains(post.MentionIDs, userID)), append(p.Quotes, post.QuotesID)
		p.Named, p.Owns = append(p.Named, len(post.MentionIDs)), append(p.Owns, post.AuthorID == userID)
		p.WrittenAts = append(p.WrittenAts, post.CreatedAt)
	}
	held, err := s.q.AddMentions(ctx, s.pool, p)
	if err != nil {
		return fmt.Errorf("store mentions: %w", err)
	}
	if held == 0 {
		return ErrLost
	}
	return nil
}

// AdvanceLook keeps how far a look has come, ErrLost if it is another's by now.
func (s *Store) AdvanceLook(ctx context.Context, l Look) error {
	n, err := s.q.AdvanceMentionLook(ctx, s.pool, dbsqlc.AdvanceMentionLookParams{CursorID: l.Cursor, UntilID: l.Until, OperationID: l.OperationID, Fence: l.Fence})
	if err != nil {
		return fmt.Errorf("keep how far mentions are read: %w", err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}

func cleaned(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = plain(text)
	}
	return out
}

// UnknownAuthors returns who wrote new mentions and was not looked up since.
func (s *Store) UnknownAuthors(ctx context.Context, operationID int64, since time.Time, most int) ([]string, error) {
	ids, err := s.q.UnknownAuthors(ctx, s.pool, dbsqlc.UnknownAuthorsParams{OperationID: operationID, Since: since, Most: int32(most)})
	if err != nil {
		return nil, fmt.Errorf("list unknown authors: %w", err)
	}
	return ids, nil
}

// SaveAuthors keeps what authors show of themselves.
func (s *Store) SaveAuthors(ctx context.Context, authors []app.XUser, now time.Time) error {
	for _, a := range authors {
		p := dbsqlc.SaveMentionAuthorParams{AuthorID: a.ID, Username: plain(a.Username), Name: plain(a.Name), Bio: plain(a.Bio), Followers: a.Followers, ReadAt: now}
		if !a.CreatedAt.IsZero() {
			p.JoinedAt = &a.CreatedAt
		}
		if err := s.q.SaveMentionAuthor(ctx, s.pool, p); err != nil {
			return fmt.Errorf("keep author: %w", err)
		}
	}
	return nil
}

// NewMentions returns mentions that no rule has looked at, the oldest first, no
// more than most: of those whose author was looked up.
func (s *Store) NewMentions(ctx context.Context, operationID int64, most int) ([]mentions.Post, error) {
	rows, err := s.q.NewMentions(ctx, s.pool, dbsqlc.NewMentionsParams{OperationID: operationID, Most: int32(most)})
	if err != nil {
		return nil, fmt.Errorf("list new mentions: %w", err)
	}
	out := make([]mentions.Post, len(rows))
	for i, r := range rows {
		m := r.Mention
		out[i] = mentions.Post{ID: m.PostID, AuthorID: m.AuthorID, Text: m.Text, Alts: m.Alts, Named: m.Named, Own: m.Own,
			Copies: r.Copies, Today: r.Today, WrittenAt: m.WrittenAt.UTC()}
		if r.Known {
			out[i].Author = &mentions.Author{Username: r.Username, Name: r.Name, Bio: r.Bio, Followers: r.Followers, JoinedAt: r.JoinedAt}
		}
	}
	return out, nil
}
