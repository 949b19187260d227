package orchestrator_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
)

func system(key string) app.Step { return testop.Step("system", key, key, true) }

// carryOut does a step as its job would.
func (o *office) carryOut(key string) error {
	o.t.Helper()
	o.tick()
	o.taken()
	return o.Do(o.t.Context(), app.Job{Kind: app.JobStep, ID: o.step(key).ID, Fence: o.step(key).Fence})
}

// dossier is the one that waits, and its fields by their keys.
func (o *office) dossier() (v app.Validation, fields map[string]app.DossierField) {
	o.t.Helper()
	v = o.waiting("cto.dossier")
	var p app.DossierPayload
	if err := json.Unmarshal(v.Payload, &p); err != nil {
		o.t.Fatal(err)
	}
	if len(p.Venues) == 0 {
		o.t.Fatalf("it is for no venue: %s", v.Payload)
	}
	fields = map[string]app.DossierField{}
	for _, f := range p.Fields {
		fields[f.Key] = f
	}
	return v, fields
}

// ended ends a step that was given in and has said out.
func (o *office) ended(key, in, out string) {
	o.t.Helper()
	c := o.claim(key)
	if err := o.store.SetInput(o.t.Context(), c, []byte(in), o.clock.Now()); err != nil {
		o.t.Fatal(err)
	}
	if err := o.store.FinishStep(o.t.Context(), c, []byte(out), "Done", o.clock.Now()); err != nil {
		o.t.Fatal(err)
	}
}

// TestDossier: its fields come from what was read, decided and published; it
// waits for a person, who must say what became of the forms.
func TestDossier(t *testing.T) {
	t.Parallel()
	scanner := func(key string) app.Step { return testop.Step("scanner", key, key, false) }
	o := newOffice(t, scanner("scanner.full_report"), scanner("scanner.go_nogo"), person("cm.verification_post"), system("cto.dossier"))
	o.ended("scanner.full_report", `{"baseline_metrics":{"at":"2026-11-30T09:00:00Z"},"baseline_week":{"days":7,"trades":1,"volume_usd":3,"block":8}}`, `{"why_it_died":"The deployer left."}`)
	o.ended("scanner.go_nogo", `{"checks":[{"id":"deployer_share","label":"Held","status":"pass","value":"1.0 %"}]}`, `{"decision":"go"}`)
	if err := o.publish("cm.verification_post", app.KindPost, aPost("V-CODE")); err != nil {
		t.Fatal(err)
	}
	if err := o.carryOut("cto.dossier"); err != nil {
		t.Fatal(err)
	}
	v, fields := o.dossier()
	proof := "https://x.com/" + handle + "/status/" + o.x.Posts()[0].ID
	for key, want := range map[string]string{"address": official, "chain": "Test chain, chain id 8453", "ticker": "DODO", "x_handle": "@" + handle,
		"proof": proof, "live_page": "https://vivra.example/o/dodo-b", "why": "The deployer left.", "website": "", "deployer": o.world.token.Deployer,
		"dev_share": "1.0 % of the circulating supply", "holders": "400, of whom 300 never sold", "trading": "1 trade worth $3.00 in 7 days. No trade ever.", "email": ""} {
		if got, ok := fields[key]; !ok || got.Value != want || got.Value == "" && got.Missing == "" || got.Value != "" && got.Source == "" {
			t.Errorf("%s: %+v, want %q", key, got, want)
		}
	}
	if got := fields["proof"]; got.At == nil || got.Link != proof || !got.Fixed {
		t.Errorf("the proof is vouched for by %+v", got)
	}
	if len(v.Risk.Addresses) != 1 || !v.Risk.Addresses[0].Matches || v.Risk.Marks() != 0 || !strings.Contains(v.Risk.Effect, "submit the forms by hand") {
		t.Errorf("risk %+v", v.Risk)
	}
	if _, err := o.store.ApproveValidation(t.Context(), v.Choice(), testop.Person, nil, o.clock.Now()); app.KindOf(err) != app.Invalid {
		t.Errorf("a dossier without a receipt: %v", err)
	}
}

// TestDossierHoldsNothingUnapproved: a report's words that nobody approved stay
// out. A chain that is down leaves gaps, and a rejected dossier is read anew.
func TestDossierHoldsNothingUnapproved(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testop.Step("scanner", "scanner.full_report", "scanner.full_report", false), person("scanner.go_nogo"), system("cto.dossier"))
	o.ended("scanner.full_report", `{}`, `{"why_it_died":"A model's own words."}`)
	o.world.set(func() { o.world.down = app.Errorf(app.Unavailable, "The RPC endpoint answered 502 Bad Gateway.") })
	if err := o.carryOut("cto.dossier"); err != nil {
		t.Fatal(err)
	}
	v, fields := o.dossier()
	if strings.Contains(string(v.Payload), "own words") {
		t.Error("words that nobody approved stand in it")
	}
	for _, key := range []string{"why", "deployer", "holders", "proof", "trading"} {
		if f := fields[key]; f.Value != "" || f.Missing == "" {
			t.Errorf("%s: %+v", key, f)
		}
	}
	o.world.set(func() { o.world.down = nil })
	o.reject(v, "The chain answers again.")
	o.clock.Advance(time.Minute)
	if err := o.carryOut("cto.dossier"); err != nil {
		t.Fatal(err)
	}
	if _, fields = o.dossier(); fields["holders"].Value == "" {
		t.Error("the chain was not read anew")
	}
}
