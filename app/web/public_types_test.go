package web_test

import (
	"reflect"
	"strings"
	"testing"

	"vivra/views/candidates"
	"vivra/views/home"
	"vivra/views/operations"
)

// TestPublicPagesAreMadeOfPublicTypes: of the team's own types they hold those
// that are named here. All their fields are shown, or may be.
func TestPublicPagesAreMadeOfPublicTypes(t *testing.T) {
	t.Parallel()
	open := map[string]bool{
		"TokenRef": true, "Token": true, "Address": true, "Nano": true, "Parts": true,
		"OperationState": true, "StepState": true, "ValidationKind": true, "CandidateState": true, "CostSource": true,
		"Waiting": true, "Spending": true, "AgentSpending": true, "SourceCost": true, "Metrics": true,
		"Event": true, "EventLine": true, // a row of the log is written to be public
		"Candidate": true, "CandidateSummary": true, "Holders": true, "Holder": true, // read on chain, scored by code
	}
	seen := map[reflect.Type]bool{}
	var walk func(of reflect.Type, place string)
	walk = func(of reflect.Type, place string) {
		if seen[of] {
			return
		}
		seen[of] = true
		if of.PkgPath() == "vivra/app" && !open[of.Name()] {
			t.Errorf("%s holds an app.%s: show it as a type of app/public, or say here why all of it is public", place, of.Name())
		}
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(of.Elem(), place)
		case reflect.Struct:
			if !strings.HasPrefix(of.PkgPath(), "vivra/") {
				return
			}
			for i := range of.NumField() {
				walk(of.Field(i).Type, place+"."+of.Field(i).Name)
			}
		}
	}
	for _, page := range []any{operations.Page{}, home.Page{}, candidates.Page{}, candidates.Report{}} {
		walk(reflect.TypeOf(page), reflect.TypeOf(page).String())
	}
	if len(seen) < 30 {
		t.Errorf("%d types were looked at", len(seen))
	}
}
