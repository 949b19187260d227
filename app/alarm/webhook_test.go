package alarm_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/alarm"
	"vivra/app/internal/testop"
)

func TestAnAlertIsPostedSignedAndOnce(t *testing.T) {
	t.Parallel()
	tm, r := newTeam(t, app.AlertWebhook), newReceiver(t)
	tm.raise(1, "CM was refused x_post. It wrote: “<b>hi</b>”")
	a, hook := tm.alarm(tm.store), tm.webhook(r)
	if n, err := tm.once(a, hook); n != 1 || err != nil {
		t.Fatalf("%d brought, %v", n, err)
	}
	if n, err := tm.once(a, hook); n != 0 || err != nil || len(r.calls) != 1 {
		t.Errorf("again: %d brought, %v, %d calls", n, err, len(r.calls))
	}
	got := r.calls[0]
	at := got.header.Get(alarm.HeaderTimestamp)
	if at != strconv.FormatInt(tm.wall.Now().Unix(), 10) || got.header.Get(alarm.HeaderSignature) != "sha256="+alarm.Sign(secret, at, got.body) {
		t.Errorf("headers: %v", got.header)
	}
	var body struct {
		ID                             int64
		Kind, Operation, Message, Link string
		At                             time.Time
	}
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	if strconv.FormatInt(body.ID, 10) != got.header.Get(alarm.HeaderID) || body.Kind != "unsafe_output" || body.Operation != tm.op.Slug ||
		body.Message != "CM was refused x_post. It wrote: “<b>hi</b>”" || !body.At.Equal(testop.J0) ||
		body.Link != publicURL+"/admin/operations/"+tm.op.Slug+"#step-cm-daily_post-d00" {
		t.Errorf("body: %s", got.body)
	}
}

// TestSignIsWhatTheReadmeSays: openssl computes the same.
func TestSignIsWhatTheReadmeSays(t *testing.T) {
	t.Parallel()
	// printf '1796000000.{"id":7}' | openssl dgst -sha256 -hmac alert-secret-0123456789
	const want = "4afd5c615915bdf09f3ba9eaa459faf1cf0cac499cb4d806339d026a6a107629"
	if got := alarm.Sign(secret, "1796000000", []byte(`{"id":7}`)); got != want {
		t.Errorf("got %s", got)
	}
}

// TestWhatAWebhookMayDo: whatever goes wrong, the alert comes again with the
// same number, later, and the team is told why in words without a secret.
func TestWhatAWebhookMayDo(t *testing.T) {
	t.Parallel()
	elsewhere := newReceiver(t)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"fails":           {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "answered 500"},
		"refuses":         {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "answered 401"},
		"redirects":       {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, "redirects are not followed"},
		"hangs":           {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no answer in time"},
		"dies meanwhile":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "broke off"},
		"never stops":     {endless, "no answer in time|ok"},
		"asks to go slow": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "300"); w.WriteHeader(429) }, "answered 429"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, r := newTeam(t, app.AlertWebhook), newReceiver(t, c.answer)
			tm.raise(1, "Look.")
			a, hook := tm.alarm(tm.store), tm.webhook(r)
			n, err := tm.once(a, hook)
			if n != 1 {
				t.Fatalf("%d brought, %v", n, err)
			}
			if strings.HasSuffix(c.says, "|ok") && err == nil {
				return // an answer that is too long is an answer
			}
			var fault *alarm.Fault
			if want := strings.TrimSuffix(c.says, "|ok"); !errors.As(err, &fault) || !strings.Contains(fault.Why, want) {
				t.Errorf("the fault is %v, want …%s…", err, want)
			}
			if n, err := tm.once(a, hook); n != 0 || err != nil {
				t.Errorf("at once again: %d, %v", n, err)
			}
			tm.clock.Advance(max(30*time.Second, fault.Wait))
			if n, err := tm.once(a, hook); n != 1 || err != nil {
				t.Errorf("later: %d, %v", n, err)
			}
			if ids := r.ids(); len(ids) != 2 || ids[0] != ids[1] {
				t.Errorf("came as %v", ids)
			}
		})
	}
	t.Cleanup(func() {
		if n := len(elsewhere.ids()); n != 0 {
			t.Errorf("%d calls followed a redirect", n)
		}
	})
}

func endless(w http.ResponseWriter, r *http.Request) {
	chunk := make([]byte, 32<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func TestGivenUpAfterADayAndTold(t *testing.T) {
	t.Parallel()
	down := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	tm := newTeam(t, app.AlertWebhook)
	r := newReceiver(t)
	for range 200 {
		r.answers = append(r.answers, down)
	}
	tm.raise(1, "Look.")
	a, hook := tm.alarm(tm.store), tm.webhook(r)
	tries := 0
	for range 24 * 60 {
		if n, _ := tm.once(a, hook); n > 0 {
			tries++
		}
		if tries == 3 && len(tm.faults()) != 1 {
			t.Errorf("after three failures: %+v", tm.faults())
		}
		tm.clock.Advance(time.Minute)
	}
	if f := tm.faults(); len(f) != 1 || f[0].GivenUp != 0 || f[0].Waiting != 1 || tries < 20 || tries > 110 {
		t.Errorf("just before a day has passed, after %d tries: %+v", tries, f)
	}
	tm.clock.Advance(15 * time.Minute)
	_, _ = tm.once(a, hook)
	if f := tm.faults(); len(f) != 1 || f[0].GivenUp != 1 || f[0].Channel != app.AlertWebhook || !strings.Contains(f[0].Why, "answered 502") || !f[0].Since.Equal(testop.J0) {
		t.Errorf("after a day: %+v", f)
	}
	tm.clock.Advance(48 * time.Hour)
	if n, _ := tm.once(a, hook); n != 0 {
		t.Error("what was given up is tried again")
	}
	alerts := testop.Alerts(t, tm.store, "unsafe_output")
	if err := tm.store.AcknowledgeAlert(t.Context(), alerts[0].ID, testop.Person, tm.clock.Now()); err != nil || len(tm.faults()) != 0 {
		t.Errorf("acknowledged, %v: %+v", err, tm.faults())
	}
}

func (tm *team) faults() []app.DeliveryFault {
	tm.t.Helper()
	f, err := tm.store.DeliveryFaults(tm.t.Context())
	if err != nil {
		tm.t.Fatal(err)
	}
	return f
}

// TestACrashAfterSendingRepeatsAndNeverLoses: the process ends between the
// answer and its mark.
func TestACrashAfterSendingRepeatsAndNeverLoses(t *testing.T) {
	t.Parallel()
	tm, r := newTeam(t, app.AlertWebhook), newReceiver(t)
	tm.raise(1, "Look.")
	dying := tm.alarm(tm.store)
	dying.Reached = func(string) { panic("killed") }
	func() {
		defer func() { _ = recover() }()
		_, _ = dying.Once(t.Context(), tm.webhook(r))
	}()
	other := tm.alarm(tm.open())
	if n, err := tm.once(other, tm.webhook(r)); n != 0 || err != nil {
		t.Errorf("under the dead process's lease: %d, %v", n, err)
	}
	tm.wall.Advance(2 * time.Minute)
	if n, err := tm.once(other, tm.webhook(r)); n != 1 || err != nil {
		t.Errorf("after it: %d, %v", n, err)
	}
	if n, err := tm.once(other, tm.webhook(r)); n != 0 || err != nil {
		t.Errorf("once more: %d, %v", n, err)
	}
	if ids := r.ids(); len(ids) != 2 || ids[0] != ids[1] {
		t.Errorf("came as %v", ids)
	}
}

// TestALateWorkerChangesNothing: who has lost the lease does not undo what
// another has done since.
func TestALateWorkerChangesNothing(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, app.AlertWebhook)
	tm.raise(1, "Look.")
	var other *alarm.Alarm
	var fine *receiver
	slow := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		tm.wall.Advance(3 * time.Minute)
		if n, err := other.Once(t.Context(), tm.webhook(fine)); n != 1 || err != nil {
			t.Errorf("the other: %d, %v", n, err)
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	fine, other = newReceiver(t), tm.alarm(tm.open())
	late := alarm.NewWebhook(alarm.WebhookConfig{URL: slow.URL, Secret: secret, PublicURL: publicURL, Wall: tm.wall})
	if _, err := tm.once(tm.alarm(tm.store), late); err == nil {
		t.Fatal("the late one succeeded")
	}
	tm.clock.Advance(time.Hour)
	if n, err := tm.once(other, tm.webhook(fine)); n != 0 || err != nil || len(fine.ids()) != 1 {
		t.Errorf("brought again: %d, %v, %v", n, err, fine.ids())
	}
}

func TestTwoProcessesBringEachAlertOnce(t *testing.T) {
	t.Parallel()
	const many = 120
	tm, r := newTeam(t, app.AlertWebhook), newReceiver(t)
	tm.raise(many, "Look.")
	for _, store := range []*alarm.Alarm{tm.alarm(tm.store), tm.alarm(tm.open())} {
		store.Channels, store.Wall = []alarm.Channel{tm.webhook(r)}, clockwork.NewRealClock()
		tm.running(store)
	}
	await(t, "alerts", r.received, many)
	ids := r.ids()
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != many || len(r.ids()) != many {
		t.Errorf("%d calls of %d alerts, want %d", len(r.ids()), n, many)
	}
}

// TestAHangingChannelHoldsUpNothing: neither the other channel nor who raises.
func TestAHangingChannelHoldsUpNothing(t *testing.T) {
	t.Parallel()
	tm, room := newTeam(t, app.AlertTelegram, app.AlertWebhook), newChatroom(t)
	let := make(chan struct{})
	free := sync.OnceFunc(func() { close(let) })
	asked := make(chan struct{}, 1)
	hanging := newReceiver(t, func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-let })
	t.Cleanup(free)
	hook := alarm.NewWebhook(alarm.WebhookConfig{URL: hanging.URL, Secret: secret, PublicURL: publicURL, Wall: tm.wall})
	a := tm.alarm(tm.store, hook, room.channel())
	a.Wall, a.Pulse = clockwork.NewRealClock(), 10*time.Millisecond
	tm.raise(1, "The first.")
	tm.running(a)
	await(t, "the hanging call", asked, 1)
	await(t, "a message", room.received, 1)
	if err := tm.store.RaiseAlert(t.Context(), tm.op.ID, "rejected", "another", "The second.", tm.clock.Now()); err != nil {
		t.Fatal(err)
	}
	tm.clock.Advance(30 * time.Second)
	await(t, "the next message", room.received, 1)
	free()
	await(t, "the webhook's alerts", hanging.received, 2)
}
