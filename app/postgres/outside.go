package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// MetricsHistory returns an operation's readings, the baseline first.
func (s *Store) MetricsHistory(ctx context.Context, operationID int64) ([]app.Metrics, error) {
	rows, err := s.q.MetricsOf(ctx, s.pool, operationID)
	return metrics(rows, err)
}

// Publications returns what went out, in order, each with its receipt.
func (s *Store) Publications(ctx context.Context, operationID int64) ([]app.Publication, error) {
	rows, err := s.q.ApprovedValidations(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("read publications: %w", err)
	}
	var out []app.Publication
	for _, r := range rows {
		parts, before, err := partsOut(r)
		if err != nil {
			return nil, err
		}
		if !r.AllDone && parts.Out == 0 || forTheTeam(r.Validation.Kind) {
			continue
		}
		p := app.Publication{StepKey: r.StepKey, Kind: r.Validation.Kind, Payload: json.RawMessage(r.Validation.Payload), DraftNo: r.Validation.DraftNo,
			ProposedAt: r.Validation.CreatedAt.UTC(), Links: r.Links, SHA256: fmt.Sprintf("%x", r.Validation.PayloadSha256), Price: app.Nano(r.Price)}
		if r.Validation.DecidedAt != nil {
			p.ApprovedAt, p.PublishedAt = r.Validation.DecidedAt.UTC(), r.Validation.DecidedAt.UTC()
		}
		if r.FinishedAt != nil {
			p.PublishedAt = r.FinishedAt.UTC()
		}
		if r.Validation.DecidedBy != app.ByPolicy {
			p.Approvers = 1
		}
		if r.Validation.FirstApprovedBy != "" {
			p.Approvers = 2
		}
		if r.Validation.Kind == app.KindDossier { // where it was sent is public, what it says is not
			p.Payload = nil
			if err := json.Unmarshal(r.Validation.Receipts, &p.Receipts); err != nil {
				return nil, fmt.Errorf("read receipts: %w", err)
			}
			p.Receipts = app.Sent(p.Receipts)
		}
		if out, err = publish(out, p, parts, before); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// forTheTeam tells whether an approved output went nowhere public: a shortlist of
// members, a list to sign off.
func forTheTeam(kind app.ValidationKind) bool {
	return kind == app.KindMods || kind == app.KindHandover
}

// SaveUpdate stores a raw Telegram update, once. chat is 0 when unknown.
func (s *Store) SaveUpdate(ctx context.Context, bot, updateID, chat int64, raw []byte, now time.Time) (fresh bool, err error) {
	n, err := s.q.SaveUpdate(ctx, s.pool, dbsqlc.SaveUpdateParams{BotID: bot, UpdateID: updateID, Raw: raw, ChatID: chat, ReceivedAt: now})
	if err != nil {
		return false, fmt.Errorf("store update: %w", err)
	}
	return n == 1, nil
}

// Updates returns the raw updates of a chat in a window, oldest first.
func (s *Store) Updates(ctx context.Context, chat int64, since, until time.Time) ([][]byte, error) {
	rows, err := s.q.UpdatesOfChat(ctx, s.pool, dbsqlc.UpdatesOfChatParams{ChatID: chat, Since: since, Until: until})
	if err != nil {
		return nil, fmt.Errorf("read updates: %w", err)
	}
	out := make([][]byte, len(rows))
	for i, r := range rows {
		out[i] = r.Raw
	}
	return out, nil
}

// Poll returns where an operation's poll went out, and Telegram's stored result.
func (s *Store) Poll(ctx context.Context, operationID int64) (app.PollRecord, *app.PollResult, error) {
	r, err := s.q.Poll(ctx, s.pool, operationID)
	if err != nil {
		return app.PollRecord{}, nil, notFound(err, "poll")
	}
	rec := app.PollRecord{Question: r.Question, Options: r.Options, XPostID: r.XPostID, TelegramChat: r.TelegramChat,
		TelegramMessageID: r.TelegramMessageID, TelegramPollID: r.TelegramPollID, ClosesAt: r.ClosesAt}
	if len(r.TelegramResult) == 0 {
		return rec, nil, nil
	}
	var result app.PollResult
	if err := json.Unmarshal(r.TelegramResult, &result); err != nil {
		return rec, nil, fmt.Errorf("read poll result: %w", err)
	}
	return rec, &result, nil
}

// SavePollResult keeps what Telegram said when the poll was stopped: it says it once.
func (s *Store) SavePollResult(ctx context.Context, operationID int64, result app.PollResult) error {
	return s.q.SetPollTelegramResult(ctx, s.pool, dbsqlc.SetPollTelegramResultParams{TelegramResult: mustJSON(result), OperationID: operationID})
}

// Site returns the host and address of an operation's deployed site.
func (s *Store) Site(ctx context.Context, operationID int64) (host, url string, err error) {
	r, err := s.q.Site(ctx, s.pool, operationID)
	if err != nil {
		return "", "", notFound(err, "site")
	}
	return r.Host, r.Url, nil
}

// SaveClosedPoll keeps the final counts that an update brought.
func (s *Store) SaveClosedPoll(ctx context.Context, pollID string, result app.PollResult) error {
	return s.q.SetPollResultByPollID(ctx, s.pool, dbsqlc.SetPollResultByPollIDParams{TelegramResult: mustJSON(result), TelegramPollID: pollID})
}
