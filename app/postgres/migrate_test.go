package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/postgres"
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
