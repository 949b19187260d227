package public_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/public"
)

// mark gives every text within v the name of its place.
func mark(v reflect.Value, place string) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`"` + place + `"`))
	case v.Type() == reflect.TypeFor[time.Time]():
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		mark(v.Elem(), place)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				mark(v.Field(i), place+"."+v.Type().Field(i).Name)
			}
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		mark(v.Index(0), place)
	case v.Kind() == reflect.String:
		v.SetString(place)
	}
}

func marked[T any](place string) T {
	var v T
	mark(reflect.ValueOf(&v).Elem(), place)
	return v
}

// kept are the places whose texts are still there.
func kept(t *testing.T, place string, of any) string {
	t.Helper()
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, word := range strings.Split(string(text), `"`) {
		if rest, ok := strings.CutPrefix(word, place+"."); ok && !slices.Contains(found, rest) {
			found = append(found, rest)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

// TestOnlyWhatIsNamedIsPublic: of all texts that there are, these are kept. Who
// adds one here has thought about who will read it.
func TestOnlyWhatIsNamedIsPublic(t *testing.T) {
	t.Parallel()
	unsent := marked[app.Publication]("p")
	unsent.Receipts = nil
	for _, c := range []struct {
		name, place string
		of          any
		want        string
	}{
		{"operation", "o", public.OperationOf(marked[app.Operation]("o"), []app.Step{marked[app.Step]("o.step")}), "HeadHash SiteHost Slug State StopReason Token.Name Token.Symbol XHandle"},
		{"summary", "o", public.SummariesOf([]app.OperationSummary{marked[app.OperationSummary]("o")}), "LastSummary Operation.HeadHash Operation.SiteHost Operation.Slug Operation.State Operation.StopReason Operation.Token.Name Operation.Token.Symbol Operation.XHandle"},
		{"step", "s", public.StepsOf([]app.Step{marked[app.Step]("s")}), "Agent Key State Task"},
		{"step beside", "s", public.BesideOf(app.StepsBeside{Steps: []app.BesideStep{marked[app.BesideStep]("s")}}), "Step.Agent Step.Key Step.State Step.Task"},
		{"publication", "p", public.PublicationsOf([]app.Publication{unsent}), "Kind Links Payload SHA256 StepKey"},
		{"submission", "p", public.PublicationsOf([]app.Publication{marked[app.Publication]("p")}), "Kind Links Receipts.Link Receipts.Name SHA256 StepKey"},
	} {
		if got := kept(t, c.place, c.of); got != c.want {
			t.Errorf("of %s is public\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

func TestTheVerdictIsOneOfTwoWords(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		`{"verdict": "revived", "summary": "x"}`: "revived", `{"verdict": "dead_again"}`: "dead_again", `{"verdict": "send it all"}`: "", `{}`: "", `not JSON`: "", ``: "",
	} {
		for _, state := range []app.StepState{app.StepDone, app.StepWaiting, app.StepFailed} {
			op := public.OperationOf(app.Operation{}, []app.Step{{Task: "scanner.go_nogo", State: app.StepDone, Output: json.RawMessage(`{"verdict": "revived"}`)}, {Task: "scanner.verdict", State: state, Output: json.RawMessage(output)}})
			if expected := map[bool]string{true: want}[state == app.StepDone]; op.Verdict != expected {
				t.Errorf("%s, %s: %q, want %q", state, output, op.Verdict, expected)
			}
		}
		listed := public.SummariesOf([]app.OperationSummary{{Verdict: fmt.Sprint(want, map[bool]string{true: "?"}[want == ""])}})
		if listed[0].Verdict != want {
			t.Errorf("in a list %q is %q", want, listed[0].Verdict)
		}
	}
}
