package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/migrations"
)

// offered has a dossier wait.
func (w *world) offered(p app.DossierPayload) app.Validation {
	w.t.Helper()
	w.must(w.store.AwaitPerson(w.ctx, w.start("cto.dossier"), postgres.Proposal{Kind: app.KindDossier, Payload: p}, j0))
	var id string
	w.scan([]any{&id}, `SELECT id::text FROM validations`)
	return w.now(app.Validation{ID: id})
}

// TestDossierIsSubmitted: what became of each form is kept with the decision,
// goes with it when it is taken back, and only where it was sent becomes public.
func TestDossierIsSubmitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cto.dossier", "system", validates))
	v := w.offered(app.DossierPayload{Fields: []app.DossierField{{Key: "why", Label: "Why", Value: "It was left."}},
		Venues: []app.DossierVenue{{Key: "a", Name: "Alpha", Fields: []string{"why"}}, {Key: "b", Name: "Beta", Fields: []string{"why"}}}})
	entered := []app.Receipt{{Venue: "b", Reason: "too\x00 dear"}, {Venue: "a", Link: "https://alpha.example/r/1"}}
	if _, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, entered[:1], j0); !isKind(err, app.Invalid) || !strings.HasPrefix(err.Error(), "Alpha: ") {
		t.Errorf("without a receipt of one: %v", err)
	}
	approved, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, entered, j0)
	w.must(err)
	want := []app.Receipt{{Venue: "a", Name: "Alpha", Link: "https://alpha.example/r/1", By: "ada", At: j0}, {Venue: "b", Name: "Beta", Reason: "too dear", By: "ada", At: j0}}
	if diff := cmp.Diff(want, approved.Receipts); diff != "" {
		t.Errorf("kept is (-want +got):\n%s", diff)
	}
	withdrawn, err := w.store.WithdrawDecision(w.ctx, approved.Choice(), ada, j0.Add(time.Second))
	w.must(err)
	if len(withdrawn.Receipts) != 0 {
		t.Errorf("taken back it keeps %+v", withdrawn.Receipts)
	}
	_, err = w.store.ApproveValidation(w.ctx, withdrawn.Choice(), bob, entered, j0)
	w.must(err)
	w.apply(j0)
	published, err := w.store.Publications(w.ctx, w.op.ID)
	w.must(err)
	if len(published) != 1 || len(published[0].Receipts) != 1 || published[0].Receipts[0].Name != "Alpha" || published[0].Payload != nil || len(published[0].Links) != 0 {
		t.Errorf("public is %+v", published)
	}
	events, err := w.store.EventsAfter(w.ctx, w.op.ID, 0, 100)
	w.must(err)
	i := slices.IndexFunc(events, func(e app.Event) bool { return e.Link != "" })
	if i < 0 || events[i].Link != "https://alpha.example/r/1" || events[i].Summary != "Submitted by hand to Alpha" {
		t.Errorf("the log says %+v", events)
	}
	for _, e := range events {
		if strings.Contains(e.Summary, "dear") || strings.Contains(e.Summary, "left") {
			t.Errorf("the log says %q", e.Summary)
		}
	}
}

// TestOldDossiers: a draft that was written for one form is decided as it
// stands, and a receipt of before there were several is kept.
func TestOldDossiers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cto.dossier", "system", validates))
	old := app.DossierPayload{Venue: "Takeover form", Fields: []app.DossierField{{Label: "Ticker", Value: "EMBER", Source: "chain"}}}
	v := w.offered(old)
	if !strings.Contains(string(v.Payload), `{"fields":[{"label":"Ticker","source":"chain","value":"EMBER"}],"venue":"Takeover form"}`) {
		t.Errorf("an old draft is now spelled %s", v.Payload)
	}
	got, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, []app.Receipt{{Venue: "form", Link: "https://form.example/1"}}, j0)
	w.must(err)
	w.apply(j0)
	db := stdlib.OpenDBFromPool(w.db)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	w.must(err)
	_, err = p.DownTo(w.ctx, 20261130000012)
	w.must(err)
	if n := w.count("validations WHERE receipt_url = 'https://form.example/1'"); n != 1 {
		t.Errorf("going back, %d receipts are kept", n)
	}
	w.must(w.store.Migrate(w.ctx))
	now := w.now(v)
	if diff := cmp.Diff(got.Receipts, now.Receipts); diff != "" || now.FrozenSHA256 != v.FrozenSHA256 {
		t.Errorf("taken over it is (-before +after):\n%s", diff)
	}
}
