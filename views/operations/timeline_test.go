package operations

import (
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/public"
)

var start = time.Date(2026, 11, 28, 21, 30, 0, 0, time.UTC)

func TestRecurringRowsAreFoldedByWeek(t *testing.T) {
	t.Parallel()
	op := public.Operation{J0: start}
	steps := []public.Step{{Key: "handover", DueAt: start.AddDate(0, 0, 30)}, {Key: "first", DueAt: start}}
	for day := 1; day <= 30; day++ {
		at := time.Date(2026, 11, 28+day, 8, 0, 0, 0, time.UTC)
		steps = append(steps, public.Step{Key: "daily", Recurring: true, DueAt: at, State: app.StepPending, Cost: 2})
	}
	steps[2].State, steps[3].State = app.StepDone, app.StepWaiting

	rows := timeline(op, steps)
	var shape []string
	for _, r := range rows {
		if r.week == nil {
			shape = append(shape, r.step.Key)
			continue
		}
		shape = append(shape, r.week.title())
	}
	want := "first|Week 1, days 1 to 7|Week 2, days 8 to 14|Week 3, days 15 to 21|Week 4, days 22 to 28|Week 5, days 29 to 30|handover"
	if got := strings.Join(shape, "|"); got != want {
		t.Errorf("the timeline is\n%s, want\n%s", got, want)
	}
	first := rows[1].week
	if len(first.steps) != 7 || first.cost() != 14 || !first.active() || rows[2].week.active() {
		t.Errorf("week 1 has %d steps, costs %d, active: %t", len(first.steps), first.cost(), first.active())
	}
	var tallies []string
	for _, one := range first.tally() {
		tallies = append(tallies, one.text())
	}
	if got := strings.Join(tallies, ", "); got != "1 done, 1 waits for a person, 5 planned" {
		t.Errorf("week 1 tells %q", got)
	}
}

func TestDaysHoldEveryStep(t *testing.T) {
	t.Parallel()
	steps := []public.Step{{Key: "late at night", DueAt: start.Add(3 * time.Hour)}, {Key: "now", DueAt: start, State: app.StepDone}, {Key: "too far", DueAt: start.AddDate(0, 0, 40)}}
	cells := days(public.Operation{J0: start}, steps)
	if len(cells) != 31 || len(cells[0].steps) != 1 || len(cells[1].steps) != 1 {
		t.Fatalf("day 0 has %d steps and day 1 has %d of %d days", len(cells[0].steps), len(cells[1].steps), len(cells))
	}
	if got := cells[0].label(); got != "day 0, 1 done" {
		t.Errorf("day 0 is called %q", got)
	}
}
