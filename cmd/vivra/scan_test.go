package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app/boot"
	"vivra/app/rehearsal/chainsim"
	"vivra/app/scan"
)

// scanned runs the command on a chain of its own, through a door that may refuse
// some of what it is asked.
type scanned struct {
	*chainsim.Server
	env map[string]string
}

func newScanned(t *testing.T, o chainsim.Options, refuse func(call string) bool) scanned {
	t.Helper()
	o.Start = time.Now().UTC().Truncate(time.Second)
	sim, err := chainsim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Close() })
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if refuse != nil && refuse(string(body)) {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		sim.ServeHTTP(w, r)
	}))
	t.Cleanup(door.Close)
	known, err := boot.ChainConfig{ChainID: chainsim.ChainID, Name: "a chain", Network: "local", QuoteUSD: sim.QuoteUSD(),
		Factories: boot.Addresses{sim.Factory()}, Launchers: boot.Addresses{sim.Launcher()}, Quote: sim.Quote()}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return scanned{sim, map[string]string{"RPC_URL": door.URL, "VIVRA_CHAIN": known}}
}

func (s scanned) run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"scan"}, args...), only(s.env), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func (s scanned) result(t *testing.T, address string, want int) (r scan.Result) {
	t.Helper()
	code, out, errs := s.run(t, "--json", address)
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != want {
		t.Fatalf("exit code %d, want %d: %v: %s%s", code, want, err, out, errs)
	}
	return r
}

func status(r scan.Result) string {
	var all []string
	for _, c := range r.Checks {
		all = append(all, c.ID+" "+string(c.Status))
		if c.Rule == "" || c.Source == "" || c.Value == "" {
			all = append(all, "without rule, source or value")
		}
	}
	return strings.Join(all, ", ")
}

func TestScan(t *testing.T) {
	t.Parallel()
	s := newScanned(t, chainsim.Options{Name: "Lost\u202e \x1b[31mDodo", Symbol: "LOST"}, nil)
	r := s.result(t, s.Token().Hex(), 0)
	if r.Partial || len(r.Gaps) > 0 || r.Decision != "go" || r.Dead != "yes" || r.Score < 30 || len(r.Checks) != 9 || strings.Contains(status(r), "unknown") || strings.Contains(status(r), "without") {
		t.Errorf("%s (%s), score %d, dead %s, gaps %v: %s", r.Decision, r.Sentence, r.Score, r.Dead, r.Gaps, status(r))
	}
	code, out, errs := s.run(t, s.Token().Hex())
	if code != 0 || !strings.Contains(out, "go: No check forbids a takeover.") || !strings.Contains(out, "LOST") || strings.ContainsAny(out, "\u202e\x1b") {
		t.Errorf("exit code %d: %q%s", code, out, errs)
	}
}

// TestScanOfADevBag: 6 % at the deployer forbids it.
func TestScanOfADevBag(t *testing.T) {
	t.Parallel()
	s := newScanned(t, chainsim.Options{DeployerShare: 0.06}, nil)
	if r := s.result(t, s.Token().Hex(), 1); r.Decision != "no_go" || !strings.Contains(status(r), "deployer_share fail") {
		t.Errorf("%s: %s", r.Decision, status(r))
	}
	if code, out, errs := s.run(t, s.Token().Hex()); code != 1 || !strings.Contains(out, "no-go: 1 check forbids") || !strings.Contains(errs, "may not be taken over") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// TestAPartialScanPassesNothingUnknown, and says what could not be read and why.
func TestAPartialScanPassesNothingUnknown(t *testing.T) {
	t.Parallel()
	whole := newScanned(t, chainsim.Options{}, nil)
	healthy := whole.result(t, whole.Token().Hex(), 0)
	// The trade is simulated with code that is put in place for the call.
	s := newScanned(t, chainsim.Options{}, func(call string) bool { return strings.Contains(call, `"code":"0x`) })
	r := s.result(t, s.Token().Hex(), 0)
	if !r.Partial || len(r.Gaps) == 0 || r.Decision != "unclear" || !strings.Contains(r.Gaps[0].Why, "503") {
		t.Errorf("%s, gaps %v", r.Decision, r.Gaps)
	}
	for i, c := range r.Checks {
		if c.Status != "unknown" && c.Status != healthy.Checks[i].Status {
			t.Errorf("%s is %s, and with all calls answered %s", c.ID, c.Status, healthy.Checks[i].Status)
		}
	}
	if _, out, _ := s.run(t, s.Token().Hex()); !strings.Contains(out, "This report is partial") || !strings.Contains(out, "Could not read a trade, simulated") {
		t.Errorf("it says %s", out)
	}
}

func TestScanOfNoToken(t *testing.T) {
	t.Parallel()
	s := newScanned(t, chainsim.Options{}, nil)
	counter, err := s.DeployCounter()
	if err != nil {
		t.Fatal(err)
	}
	right := s.Token().Hex()
	wrong := strings.Replace(right, right[2:3], map[bool]string{true: "b", false: "a"}[right[2] == 'a'], 1)
	for _, c := range []struct {
		name, address string
		code          int
	}{
		{"an account", s.EOA().Hex(), 2}, {"another contract", counter.Hex(), 2}, {"nothing", "0x0000000000000000000000000000000000000123", 2},
		{"a name", "dodo.eth", 2}, {"no address", "0x12", 2}, {"a wrong checksum", wrong, 2},
	} {
		code, out, errs := s.run(t, c.address)
		if code != c.code || out != "" || len(errs) < 20 || strings.Contains(errs, `"level"`) {
			t.Errorf("%s: exit code %d, want %d: %s%s", c.name, code, c.code, out, errs)
		}
	}
	s.env["RPC_URL"] = "http://127.0.0.1:1"
	if code, _, errs := s.run(t, right); code != 1 || !strings.Contains(errs, "could not be reached") {
		t.Errorf("without an endpoint: %d, %s", code, errs)
	}
	delete(s.env, "RPC_URL")
	if code, _, errs := s.run(t, right); code != 2 || !strings.Contains(errs, "RPC_URL") {
		t.Errorf("without one named: %d, %s", code, errs)
	}
}
