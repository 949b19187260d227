// Package testdb gives each test a migrated database of its own.
package testdb

import (
	"fmt"
	"os"
	"testing"

	"vivra/app/postgres"
)

// New returns a store on a fresh, migrated database, which is dropped when the
// test ends.
func New(tb testing.TB) *postgres.Store {
	tb.Helper()
	store, err := postgres.Open(tb.Context(), URL(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(store.Close)
	return store
}

// URL returns the address of such a database, for tests that start processes
// or open several stores on it.
func URL(tb testing.TB) string {
	tb.Helper()
	s, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	name, err := s.clone(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.drop(name); err != nil {
			tb.Error(err)
		}
	})
	return s.on(name)
}

// Main runs the tests of a package and stops the server they used. Call it
// from TestMain in each package that calls New or URL, with what else is to be
// stopped, such as testbrowser.Stop.
func Main(m *testing.M, stop ...func() error) {
	code := m.Run()
	for _, f := range append(stop, stopShared) {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, "after the tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
