package testdb_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"vivra/app/internal/testdb"
)

func TestMain(m *testing.M) { testdb.Main(m) }

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := pgx.Connect(t.Context(), testdb.URL(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close(t.Context()) })
			if _, err := conn.Exec(t.Context(), "create table mine (id int)"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStoreIsMigrated(t *testing.T) {
	t.Parallel()
	if err := testdb.New(t).Migrate(t.Context()); err != nil {
		t.Errorf("a second migration of the same schema: %v", err)
	}
}
