package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// opTx is a transaction that holds the operation's row: whatever changes an
// operation goes through one, so that its log has no gaps and its money no races.
type opTx struct {
	pgx.Tx
	store   *Store
	op      app.Operation
	head    []byte
	overrun app.Nano
	now     time.Time
	lines   []app.EventLine
	known   *app.Settings // when they were read already
}

// inOperation runs fn with the operation's row locked. The lines that fn adds
// are chained to the log, and the operation saved, in the same commit.
func (s *Store) inOperation(ctx context.Context, id int64, now time.Time, fn func(*opTx) error) error {
	var lines []app.EventLine
	err := s.again(ctx, func(tx pgx.Tx) error {
		row, err := s.q.OperationForUpdate(ctx, tx, id)
		return s.locked(ctx, tx, row, err, now, func(t *opTx) error {
			err := fn(t)
			lines = t.lines
			return err
		})
	})
	for _, line := range lines {
		if err == nil && s.Logged != nil {
			s.Logged(line)
		}
	}
	return err
}

// inOperationAlone is inOperation that fails with errBusy while anyone else has
// the operation.
func (s *Store) inOperationAlone(ctx context.Context, id int64, now time.Time, fn func(*opTx) error) error {
	return s.again(ctx, func(tx pgx.Tx) error {
		row, err := s.q.OperationForUpdateNow(ctx, tx, id)
		return s.locked(ctx, tx, dbsqlc.OperationForUpdateRow(row), err, now, fn)
	})
}

// errBusy says that another transaction has the operation.
var errBusy = errors.New("another process is at the operation")

// locked runs fn with the row that err is about.
func (s *Store) locked(ctx context.Context, tx pgx.Tx, row dbsqlc.OperationForUpdateRow, err error, now time.Time, fn func(*opTx) error) error {
	if sqlState(err) == "55P03" {
		return errBusy
	}
	if err != nil {
		return notFound(err, "operation")
	}
	t := &opTx{Tx: tx, store: s, op: operationOf(row.Operation, row.Token), head: row.Operation.HeadHash,
		overrun: row.Operation.OverrunNusd, now: now.UTC()}
	if err := fn(t); err != nil {
		return err
	}
	return t.seal(ctx)
}

// add puts a line in the public log.
func (t *opTx) add(line app.EventLine) {
	line.Summary, line.Link = plain(line.Summary), plain(line.Link)
	t.lines = append(t.lines, line)
}

// seal chains the new lines, saves the operation and tells every process.
func (t *opTx) seal(ctx context.Context) error {
	batch := new(pgx.Batch)
	for _, line := range t.lines {
		params, err := t.chain(line)
		if err != nil {
			return err
		}
		batch.Queue(addEventSQL, params...)
	}
	batch.Queue(sealOperationSQL, t.op.State, t.op.StopReason, t.op.Spent, t.op.Reserved, t.overrun, t.op.Seq, t.head, t.op.ID)
	batch.Queue(`SELECT pg_notify('vivra', $1)`, strconv.FormatInt(t.op.ID, 10))
	if err := t.SendBatch(ctx, batch).Close(); err != nil {
		if isConstraint(err, "operations_within_cap") {
			return ErrOverCap
		}
		return fmt.Errorf("seal operation: %w", err)
	}
	return nil
}

const (
	addEventSQL = `INSERT INTO events (operation_id, seq, at, step_key, kind, agent, cost_nusd, line, prev_hash, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	sealOperationSQL = `UPDATE operations SET state = $1, stop_reason = $2, spent_nusd = $3, reserved_nusd = $4,
overrun_nusd = $5, seq = $6, head_hash = $7 WHERE id = $8`
)

// ErrOverCap says that the database's own check stopped a spending beyond the cap.
var ErrOverCap = errors.New("the operation's cap would be passed")

func (t *opTx) chain(line app.EventLine) ([]any, error) {
	t.op.Seq++
	line.Seq, line.At = t.op.Seq, t.now
	text, err := app.CanonicalJSON(line)
	if err != nil {
		return nil, err
	}
	prev := t.head
	t.head = app.ChainHash(prev, text)
	return []any{t.op.ID, line.Seq, line.At, line.Step, line.Kind, line.Agent, line.Cost, string(text), prev, t.head}, nil
}

func isConstraint(err error, name string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.ConstraintName == name
}

func operationOf(o dbsqlc.Operation, t dbsqlc.Token) app.Operation {
	return app.Operation{
		ID: o.ID, Slug: o.Slug, Token: tokenOf(t), J0: o.J0.UTC(), State: o.State, Cap: o.CapNusd, Spent: o.SpentNusd,
		Reserved: o.ReservedNusd, Envelope: o.EnvelopeNusd, XHandle: o.XHandle, TelegramChat: o.TelegramChat,
		SiteHost: o.SiteHost, Seq: o.Seq, HeadHash: hex.EncodeToString(o.HeadHash), StopReason: o.StopReason,
	}
}

func tokenOf(t dbsqlc.Token) app.Token {
	return app.Token{ID: t.ID, Ref: app.TokenRef{ChainID: t.ChainID, Address: app.Address(t.Address)}, Name: t.Name, Symbol: t.Symbol, Decimals: t.Decimals}
}

func eventOf(e dbsqlc.Event) (app.Event, error) {
	ev := app.Event{OperationID: e.OperationID, Seq: e.Seq, Line: json.RawMessage(e.Line),
		PrevHash: hex.EncodeToString(e.PrevHash), Hash: hex.EncodeToString(e.Hash)}
	if err := json.Unmarshal(ev.Line, &ev.EventLine); err != nil {
		return ev, fmt.Errorf("read log line %d: %w", e.Seq, err)
	}
	return ev, nil
}

// Events returns the lines before seq (0: the newest), oldest first.
func (s *Store) Events(ctx context.Context, operationID, before int64, limit int) ([]app.Event, error) {
	rows, err := s.q.EventsBefore(ctx, s.pool, dbsqlc.EventsBeforeParams{OperationID: operationID, Before: before, Most: int32(limit)})
	return events(rows, err)
}

// EventsOf returns those lines before seq (0: the newest) that are of an agent and
// a kind (empty: of any), oldest first.
func (s *Store) EventsOf(ctx context.Context, operationID, before int64, agent, kind string, limit int) ([]app.Event, error) {
	rows, err := s.q.EventsOf(ctx, s.pool, dbsqlc.EventsOfParams{OperationID: operationID, Before: before, Agent: agent, Kind: kind, Most: int32(limit)})
	return events(rows, err)
}

// EventsAfter returns the lines after seq, oldest first.
func (s *Store) EventsAfter(ctx context.Context, operationID, after int64, limit int) ([]app.Event, error) {
	rows, err := s.q.EventsAfter(ctx, s.pool, dbsqlc.EventsAfterParams{OperationID: operationID, After: after, Most: int32(limit)})
	return events(rows, err)
}

func events(rows []dbsqlc.Event, err error) ([]app.Event, error) {
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	out := make([]app.Event, len(rows))
	for i, row := range rows {
		if out[i], err = eventOf(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// LogTotals returns how many lines an operation's log has and what they cost.
func (s *Store) LogTotals(ctx context.Context, operationID int64) (entries int64, cost app.Nano, err error) {
	row, err := s.q.LogTotals(ctx, s.pool, operationID)
	if err != nil {
		return 0, 0, fmt.Errorf("sum log: %w", err)
	}
	return row.Entries, app.Nano(row.Cost), nil
}

// CostByAgent is one agent's spending on one model or platform.
type CostByAgent struct {
	Agent string   `json:"agent"`
	Model string   `json:"model"`
	Cost  app.Nano `json:"cost_nusd"`
}

// LogCosts sums an operation's log by agent and model.
func (s *Store) LogCosts(ctx context.Context, operationID int64) ([]CostByAgent, error) {
	rows, err := s.q.LogCosts(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("sum log by agent: %w", err)
	}
	out := make([]CostByAgent, len(rows))
	for i, r := range rows {
		out[i] = CostByAgent{r.Agent, r.Model, app.Nano(r.Cost)}
	}
	return out, nil
}
