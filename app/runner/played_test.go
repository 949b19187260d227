package runner_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/internal/testop"
)

// played is everything that is left of one run, with what chance decides taken out.
type played struct {
	Step, Run, Error, Output string
	Turns, Attempts          int
	Tainted                  bool
	Items, Log, Waiting      []string
	Files                    map[string]string
	Settled                  []string
	Alerts                   []string
}

var (
	anyUUID  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyNonce = regexp.MustCompile(`\b[0-9a-f]{32}\b`)
)

func plainly(text string) string {
	return anyNonce.ReplaceAllString(anyUUID.ReplaceAllString(text, "uuid"), "nonce")
}

func (tr *troupe) played(t *testing.T, i int) (p played, run app.RunTrace) {
	t.Helper()
	st := *tr.stage
	st.t, st.op = t, tr.ops[i]
	steps, err := st.store.Steps(t.Context(), st.op.ID)
	if err != nil {
		t.Fatal(err)
	}
	step := steps[0]
	run = st.run(step.Key)
	p = played{Step: string(step.State), Run: run.State, Error: plainly(step.Error), Output: plainly(string(step.Output)), Turns: run.Turns, Attempts: step.Attempt,
		Tainted: run.Tainted, Files: map[string]string{}}
	for _, it := range run.Items {
		p.Items = append(p.Items, fmt.Sprint(it.Turn, " ", plainly(string(it.Content))))
	}
	for _, call := range run.Calls {
		if call.State == "settled" {
			p.Settled = append(p.Settled, fmt.Sprint(call.Turn, " ", call.Model, " ", call.Cost, " ", call.Reserved))
		}
	}
	for _, e := range testop.Log(t, st.store, st.op) {
		if !strings.HasPrefix(e.Summary, "An answer was lost") {
			p.Log = append(p.Log, fmt.Sprint(e.Kind, " ", e.Tool, " ", e.Cost, " ", e.Summary))
		}
	}
	for _, section := range app.Sections {
		content, version, err := st.store.TokenFile(t.Context(), st.op.Token.ID, section)
		if err != nil {
			t.Fatal(err)
		}
		p.Files[section] = fmt.Sprint(version, " ", string(content))
	}
	pending, err := st.store.PendingValidations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range pending {
		if v.OperationID == st.op.ID {
			p.Waiting = append(p.Waiting, fmt.Sprint(v.Kind, " ", v.DraftNo, " ", v.State, " ", plainly(string(v.Payload)), " ", encode(t, v.Risk)))
		}
	}
	alerts, err := st.store.Alerts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range alerts {
		if a.OperationID == st.op.ID {
			p.Alerts = append(p.Alerts, a.Kind+" "+plainly(a.Message))
		}
	}
	return p, run
}

func (tr *troupe) compare(t *testing.T, other *troupe, i int) {
	t.Helper()
	want, _ := tr.played(t, i)
	got, run := other.played(t, i)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run %d (%s) differs (-undisturbed +killed):\n%s", i, run.Task, diff)
	}
	other.countedOnce(t, i, run)
}

// countedOnce checks that each turn has one answer, that whatever was asked
// beside it is booked as lost, and that all of it is in the sums.
func (tr *troupe) countedOnce(t *testing.T, i int, run app.RunTrace) {
	t.Helper()
	rows, lost := map[int]int{}, map[int]int{}
	var sum app.Nano
	for _, call := range run.Calls {
		rows[call.Turn]++
		sum += call.Cost
		switch {
		case call.State == "unknown" && call.Cost == call.Reserved && call.Source == "bound":
			lost[call.Turn]++
		case call.State != "settled":
			t.Errorf("run %d: a call is %s", i, call.State)
		}
	}
	for turn := 1; turn <= run.Turns; turn++ {
		asked := tr.asked[fmt.Sprintf("%x %d", tr.ops[i].Token.Ref.Address[:], turn)]
		if rows[turn]-lost[turn] != 1 || asked < 1 || asked-1 > lost[turn] {
			t.Errorf("run %d, turn %d: asked %d times, %d calls of which %d were lost", i, turn, asked, rows[turn], lost[turn])
		}
	}
	if spent := testop.Balanced(t, tr.store, tr.ops[i]); spent != sum || spent != run.Spent {
		t.Errorf("run %d: its calls cost %s, it has spent %s, the operation %s", i, sum, run.Spent, spent)
	}
}
