package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/postgres"
	"vivra/migrations"
)

// empty returns the address of a database without any schema.
func empty(t *testing.T) string {
	t.Helper()
	url := testdb.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
	return url
}

func TestProcessesMigrateTogether(t *testing.T) {
	t.Parallel()
	url := empty(t)
	stores := make([]*postgres.Store, 4)
	for i := range stores {
		stores[i] = openStore(t, url)
	}
	for i, err := range together(len(stores), func(i int) error { return stores[i].Migrate(t.Context()) }) {
		if err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	if ops, err := stores[0].Operations(t.Context()); err != nil || len(ops) != 0 {
		t.Errorf("%v, %v", ops, err)
	}
}

// TestOldBooksAreTakenOver: prices that were settings, and what agents had spent
// before they had shares.
func TestOldBooksAreTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	c := w.start("a.a")
	w.down(20261130000004)
	w.exec(`INSERT INTO agent_runs (operation_id, step_id, agent, task, model, prompt_sha256, system, state, budget_nusd, spent_nusd, reserved_nusd, started_at)
SELECT $1, $2, 'cm', 'a.a', 'gpt-5', 'p', 's', 'running', 1000, 500, 50, $3::timestamptz`, w.op.ID, c.StepID, j0)
	w.exec(`INSERT INTO llm_calls (operation_id, run_id, turn, kind, model, request_sha256, state, reserved_nusd, cost_nusd, error, created_at)
SELECT $1, r.id, 1, 'model', 'gpt-5', 'r', v.state, v.held, v.cost, v.error, $2::timestamptz FROM agent_runs r,
    (VALUES ('settled', 400, 300, ''), ('unknown', 200, 200, 'the process died before the answer was kept'), ('reserved', 50, NULL::bigint, '')) v(state, held, cost, error)`, w.op.ID, j0)
	w.exec(`UPDATE operations SET spent_nusd = 500, reserved_nusd = 50`)
	w.exec(`INSERT INTO settings (key, value, set_by, set_at) VALUES ('llm.prices.tiny', '{"input":1,"cached_input":2,"output":3}', 'ada', $1::timestamptz),
('llm.prices.tiny', '{"input":4,"output":5}', 'bob', $1::timestamptz + interval '1 hour'), ('image.prices.painter', '7', 'ada', $1::timestamptz), ('run.model_retries', '1', 'ada', $1::timestamptz),
('llm.prices.odd', '{"input":6}', 'ada', $1::timestamptz), ('llm.prices.odd', '{"input":-6}', 'ada', $1::timestamptz), ('image.prices.painter', '-7', 'ada', $1::timestamptz),
('llm.prices.gpt-5', '{"input":1}', 'ada', $1::timestamptz), ('llm.prices.gpt-5', 'null', 'ada', $1::timestamptz), ('image.prices.gone', 'null', 'ada', $1::timestamptz),
('budget.warning_percent', '120', 'ada', $1::timestamptz), ('validation.max_rejections', '-1', 'ada', $1::timestamptz), ('run.max_turns', '9999999', 'ada', $1::timestamptz)`, j0)
	w.must(w.store.Migrate(w.ctx))

	list, err := w.store.PriceList(w.ctx)
	w.must(err)
	if first, _ := list.At("tiny", j0); first != (app.Price{Input: 1, Cached: 2, Output: 3}) {
		t.Errorf("tiny cost %+v", first)
	}
	if second, _ := list.At("tiny", j0.Add(time.Hour)); second != (app.Price{Input: 4, Output: 5}) {
		t.Errorf("tiny costs %+v", second)
	}
	if picture, _ := list.ImageAt("painter", "1024x1024", j0); picture != 7 {
		t.Errorf("a picture costs %d", picture)
	}
	usual, _ := app.DefaultPrices().At("gpt-5", j0)
	if price, _ := list.At("gpt-5", j0); price != usual {
		t.Errorf("gpt-5 costs %+v: what was taken back is a price", price)
	}
	if price, _ := list.At("odd", j0); price.Input != 6 {
		t.Errorf("odd costs %+v", price)
	}
	if _, ok := list.ImageAt("gone", "1024x1024", j0); ok {
		t.Error("a picture costs nothing")
	}
	if settings, err := w.store.Settings(w.ctx); err != nil || settings.Retries != 1 || settings.BudgetWarning != 100 || settings.MaxRejections != 0 || settings.MaxTurns != 1<<20 {
		t.Errorf("settings %+v, %v", settings, err)
	}
	spending, err := w.store.Spending(w.ctx, w.op.ID)
	if err != nil || len(spending.Agents) != 1 || spending.Agents[0] != (app.AgentSpending{Agent: "cm", Share: 400, Spent: 500, Reserved: 50}) {
		t.Errorf("spending %+v, %v", spending, err)
	}
	w.share("cm", 60)
	if run, _, err := w.store.OpenRun(w.ctx, c, app.Run{}, j0); err != nil || run.Spent != 550 || w.count("llm_calls WHERE lost") != 2 {
		t.Errorf("the run goes on as %+v, %v", run, err)
	}
	grant, err := w.reserve(c, app.Run{ID: w.runID()}, 50)
	w.must(err)
	w.must(w.settle(c, app.Run{ID: w.runID()}, grant, 50))
}

func (w *world) runID() (id string) {
	w.t.Helper()
	w.scan([]any{&id}, `SELECT id FROM agent_runs`)
	return id
}

// down takes the schema back to a version.
func (w *world) down(version int64) {
	w.t.Helper()
	db := stdlib.OpenDBFromPool(w.db)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	w.must(err)
	_, err = p.DownTo(w.ctx, version)
	w.must(err)
}

// TestNamesThatOnlyCaseTellsApart were allowed once: the newest account on X
// stays, and everyone stays who they are.
func TestNamesThatOnlyCaseTellsApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.down(20261130000007)
	w.exec(`INSERT INTO x_accounts (handle, user_id, access_sealed, refresh_sealed, key_id, scopes, expires_at, updated_at) VALUES
('Ember', '77', 'a', 'b', 'k', '{}', $1, $1), ('ember', '77', 'c', 'd', 'k', '{}', $1, $1::timestamptz + interval '1 hour')`, j0)
	w.exec(`INSERT INTO users (name, role, password_hash, created_at) VALUES ('Zed', 'admin', 'x', $1), ('zed', 'viewer', 'y', $1)`, j0)
	w.must(w.store.Migrate(w.ctx))
	if a, err := w.store.XAccount(w.ctx, "EMBER"); err != nil || a.Handle != "ember" {
		t.Errorf("%+v, %v", a, err)
	}
	if u, err := w.store.UserByName(w.ctx, "Zed"); err != nil || u.Role != app.RoleAdmin || w.count("users WHERE name LIKE 'zed.%'") != 1 {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestAnOlderProgramAndBack: what was decided and not applied waits again, and
// links that were closed stay closed.
func TestAnOlderProgramAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.post", "cm", validates))
	v := w.waiting("cm.post", app.KindPost, post("gm"))
	w.decided(v)
	zed := w.hired("admin.zed")["admin.zed"]
	w.exec(`INSERT INTO invites (token_sha256, role, created_at, expires_at, revoked_at, for_user) VALUES
(sha256('r'), 'admin', $1, $2, $1, NULL), (sha256('p'), 'admin', $1, $2, NULL, $3), (sha256('o'), 'admin', $1, $2, NULL, NULL)`, j0, j0.Add(time.Hour), zed.ID)
	w.down(20261130000007)
	if n := w.count("invites WHERE used_by IS NULL"); n != 1 {
		t.Errorf("%d links are open", n)
	}
	w.must(w.store.Migrate(w.ctx))
	w.apply(j0)
	if got := w.now(v); got.State != app.ValidationPending || w.step("cm.post").State != app.StepWaiting || w.count("effects") != 0 {
		t.Errorf("the output is %s, its step %s, with %d effects", got.State, w.step("cm.post").State, w.count("effects"))
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.must(w.store.Migrate(w.ctx))
	var version int64
	w.scan([]any{&version}, `SELECT max(version_id) FROM goose_db_version`)
	w.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (20991231000001, true)`)
	err := w.store.Migrate(w.ctx)
	want := app.Errorf(app.Conflict, "The database is at schema 20991231000001 and this program knows schemas up to %d. Run the newer program.", version)
	if !isKind(err, app.Conflict) || err.Error() != want.Message {
		t.Errorf("said %v, want %v", err, want)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{"not an address": "postgres://user:hunter2@host:port/db", "nobody there": "postgres://user:hunter2@127.0.0.1:1/db?connect_timeout=2"} {
		store, err := postgres.Open(t.Context(), dsn)
		if err == nil {
			store.Close()
			t.Errorf("%s was opened", name)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error holds the password: %v", name, err)
		}
	}
}
