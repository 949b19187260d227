package orchestrator_test

import (
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
)

// vault is an office whose blobs are files, and whose rows can be written past
// the store.
type vault struct {
	*office
	dir string
}

func newVault(t *testing.T, steps ...app.Step) *vault {
	t.Helper()
	dir := t.TempDir()
	return &vault{officeAt(t, place{Database: testdb.URL(t), Blobs: "file://" + dir}, testop.J0, steps...), dir}
}

// flip changes the last byte of a stored file.
func (v *vault) flip(sum string) {
	v.t.Helper()
	path := filepath.Join(v.dir, sum[:2], sum)
	b, err := os.ReadFile(path)
	if err != nil {
		v.t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		v.t.Fatal(err)
	}
}

func (v *vault) exec(sql string, args ...any) {
	v.t.Helper()
	conn, err := pgx.Connect(v.t.Context(), v.place.Database)
	if err != nil {
		v.t.Fatal(err)
	}
	defer conn.Close(v.t.Context())
	if _, err := conn.Exec(v.t.Context(), sql, args...); err != nil {
		v.t.Fatal(err)
	}
}

// writes are the calls that reached a platform and were no reading.
func (v *vault) writes() []string {
	return slices.Concat(v.fronts.x.writes(), v.fronts.tg.writes(), v.fronts.pages.writes())
}

// page is a file of the sites in these tests.
var page = []byte("<h1>Dodo</h1>")

func (v *vault) aSite(string) any {
	b := v.build(theStep, "site", map[string][]byte{"/index.html": page, "/404.html": []byte("lost")})
	return app.SitePayload{Host: host, BuildID: b.ID, Template: "signal", ManifestSHA256: b.ManifestSHA256, OfficialAddress: official}
}

// TestWhatChangedSinceApprovalIsNotSent: when anything that an approval binds to
// has changed, no platform hears of it: what was approved waits for a decision
// again, and the team is told how it differs.
func TestWhatChangedSinceApprovalIsNotSent(t *testing.T) {
	t.Parallel()
	picture := app.SHA256Hex(plain(t, color.White))
	post := func(v *vault, text string) any {
		return app.PostPayload{Account: handle, Text: text, Media: []app.Media{v.picture(theStep, color.White)}}
	}
	another := func(v *vault) { v.connect(handle, "900000002", "access-2", "refresh-2") }
	for name, c := range map[string]struct {
		kind    app.ValidationKind
		payload func(v *vault, text string) any
		change  func(v *vault)
		says    string
		// late: it may change even after the attempt was begun.
		late bool
	}{
		"a byte of a picture":     {app.KindPost, post, func(v *vault) { v.flip(picture) }, "picture", true},
		"a byte of the site":      {app.KindSite, (*vault).aSite, func(v *vault) { v.flip(app.SHA256Hex(page)) }, "files of the site", true},
		"who is behind the name":  {app.KindPost, post, another, "account", true},
		"the name of the account": {app.KindPost, post, func(v *vault) { v.exec(`UPDATE operations SET x_handle = 'someone_else'`) }, "someone_else", false},
		"the token's address":     {app.KindPost, post, func(v *vault) { v.exec(`UPDATE tokens SET address = decode(repeat('ee', 20), 'hex')`) }, "address", false},
		"the request": {app.KindPost, post, func(v *vault) {
			v.exec(`UPDATE effects SET request = replace(request, 'gm', 'gn'), request_sha256 = sha256(convert_to(replace(request, 'gm', 'gn'), 'UTF8'))`)
		}, "call", false},
	} {
		change := func(t *testing.T, late bool) {
			t.Parallel()
			v := newVault(t, person(theStep))
			draft := v.await(theStep, c.kind, c.payload(v, "gm"))
			v.approve(draft)
			if late {
				v.Reached = func(point string) {
					if point == "attempting" {
						c.change(v)
					}
				}
			} else {
				c.change(v)
			}
			if err := v.work(); err != nil {
				t.Fatal(err)
			}
			v.withdrawn(draft, c.says)
		}
		t.Run(name, func(t *testing.T) { change(t, false) })
		if c.late {
			t.Run(name+" at the last moment", func(t *testing.T) { change(t, true) })
		}
	}
}

// withdrawn fails unless a draft is void, unpublished, and waits anew.
func (v *vault) withdrawn(draft app.Validation, says string) {
	v.t.Helper()
	if writes := v.writes(); len(writes) > 0 {
		v.t.Errorf("platforms heard of it: %v", writes)
	}
	for _, e := range v.effects() {
		if e.State != app.EffectVoid {
			v.t.Errorf("the effect is %s: %s", e.State, e.Error)
		}
	}
	old, err := v.store.Validation(v.t.Context(), draft.ID)
	if err != nil || old.State != app.ValidationVoid {
		v.t.Errorf("the draft is %s: %v", old.State, err)
	}
	anew := v.waiting(theStep)
	if anew.Replaces != draft.ID || string(anew.Payload) != string(draft.Payload) || anew.Risk.Marks() == 0 {
		v.t.Errorf("what waits replaces %q with %s and has %d marks", anew.Replaces, anew.Payload, anew.Risk.Marks())
	}
	alerts := testop.Alerts(v.t, v.store, "payload_changed")
	if len(alerts) != 1 || !strings.Contains(alerts[0].Message, says) {
		v.t.Errorf("the team is told %+v", alerts)
	}
	if st := v.step(theStep); st.State != app.StepWaiting || len(testop.Alerts(v.t, v.store, "publication_failed")) != 0 {
		v.t.Errorf("the step is %s: %s", st.State, st.Error)
	}
	testop.Balanced(v.t, v.store, v.op)
}

// TestApprovedAnew: what was withdrawn because another account stands behind the
// name goes out there once a person has approved that.
func TestApprovedAnew(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person(theStep))
	o.approve(o.await(theStep, app.KindPost, aPost("gm")))
	o.connect(handle, "900000002", access, refresh)
	if err := o.work(); err != nil || len(o.x.Posts()) != 0 {
		t.Fatalf("%d posts: %v", len(o.x.Posts()), err)
	}
	o.approve(o.waiting(theStep))
	if err := o.work(); err != nil || len(o.x.Posts()) != 1 || o.step(theStep).State != app.StepDone {
		t.Errorf("%d posts, the step is %s: %v", len(o.x.Posts()), o.step(theStep).State, err)
	}
}

// TestSiteUnderTheUtility: the site that a utility goes out with is the one that
// was approved, or neither goes out.
func TestSiteUnderTheUtility(t *testing.T) {
	t.Parallel()
	v := newVault(t, person("site"), person(theStep))
	site := v.build("site", "site", map[string][]byte{"/index.html": page, "/404.html": []byte("lost")})
	if err := v.publish("site", app.KindSite, app.SitePayload{Host: host, BuildID: site.ID, ManifestSHA256: site.ManifestSHA256, OfficialAddress: official}); err != nil {
		t.Fatal(err)
	}
	game := v.build(theStep, "utility", map[string][]byte{"/index.html": []byte("game")})
	v.flip(app.SHA256Hex(page))
	if err := v.publish(theStep, app.KindUtility, app.UtilityPayload{Host: host, Path: "/play", BuildID: game.ID, ManifestSHA256: game.ManifestSHA256}); err != nil {
		t.Fatal(err)
	}
	if n := len(v.pages.Deployments()); n != 1 || len(testop.Alerts(t, v.store, "payload_changed")) != 1 {
		t.Errorf("%d deployments", n)
	}
	v.waiting(theStep)
}

// TestPartOfItIsOut: when a thread changes behind its first post, the rest stays
// in, and the team is told what is out.
func TestPartOfItIsOut(t *testing.T) {
	t.Parallel()
	v := newVault(t, person(theStep))
	second := aPost("two")
	second.Media = []app.Media{v.picture(theStep, color.White)}
	v.approve(v.await(theStep, app.KindThread, app.ThreadPayload{Account: handle, Posts: []app.PostPayload{aPost("one"), second, aPost("three"), aPost("four")}}))
	v.Reached = func(point string) {
		if point == "booked" {
			v.flip(second.Media[0].SHA256)
			v.Reached = nil
		}
	}
	if err := v.work(); err != nil {
		t.Fatal(err)
	}
	if got := states(v.effects()); !slices.Equal(got, []app.EffectState{app.EffectDone, app.EffectVoid, app.EffectVoid, app.EffectVoid}) || len(v.x.Posts()) != 1 {
		t.Errorf("effects %v, %d posts", got, len(v.x.Posts()))
	}
	alerts := testop.Alerts(t, v.store, "payload_changed")
	if len(alerts) != 1 || !strings.Contains(alerts[0].Message, v.x.Posts()[0].ID) || v.step(theStep).State != app.StepFailed {
		t.Errorf("the step is %s, the team is told %+v", v.step(theStep).State, alerts)
	}
	testop.Balanced(t, v.store, v.op)
}
