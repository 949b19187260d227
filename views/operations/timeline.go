package operations

import (
	"slices"
	"strconv"
	"time"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/public"
	"vivra/views/ui"
)

// row is one entry of the timeline: a step of its own, or the recurring steps
// of one week folded together.
type row struct {
	step public.Step
	week *week
}

// week holds the recurring steps of seven days; the fifth has the last two.
type week struct {
	number int
	steps  []public.Step
}

// timeline orders all steps by due time, recurring ones folded by week at the
// place of the week's first.
func timeline(op public.Operation, steps []public.Step) []row {
	var rows []row
	weeks := map[int]*week{}
	for _, s := range byDue(steps) {
		if !s.Recurring {
			rows = append(rows, row{step: s})
			continue
		}
		n := weekOf(op.Day(s.DueAt))
		if weeks[n] == nil {
			weeks[n] = &week{number: n}
			rows = append(rows, row{week: weeks[n]})
		}
		weeks[n].steps = append(weeks[n].steps, s)
	}
	return rows
}

func byDue(steps []public.Step) []public.Step {
	return slices.SortedStableFunc(slices.Values(steps), func(a, b public.Step) int { return a.DueAt.Compare(b.DueAt) })
}

// weekOf returns 1 for days 1 to 7, 2 for 8 to 14, and so on.
func weekOf(day int) int { return max(day-1, 0)/7 + 1 }

func (w week) title() string {
	first, last := 7*(w.number-1)+1, min(7*w.number, 30)
	return "Week " + decimal(w.number) + ", days " + decimal(first) + " to " + decimal(last)
}

func (w week) cost() (sum app.Nano) {
	for _, s := range w.steps {
		sum += s.Cost
	}
	return sum
}

// tally counts the week's steps by state, in the order of a step's life.
func (w week) tally() []tally {
	order := []app.StepState{app.StepDone, app.StepRunning, app.StepWaiting, app.StepFailed, app.StepSkipped, app.StepCancelled, app.StepPending}
	var found []tally
	for _, state := range order {
		n := 0
		for _, s := range w.steps {
			if s.State == state {
				n++
			}
		}
		if n > 0 {
			found = append(found, tally{state, n})
		}
	}
	return found
}

type tally struct {
	state app.StepState
	n     int
}

func (t tally) text() string {
	word := ui.StepWord(t.state)
	if t.state == app.StepWaiting && t.n > 1 {
		word = "wait for a person"
	}
	return decimal(t.n) + " " + word
}

// active tells whether something happens in the week now, so it is shown open.
func (w week) active() bool {
	return slices.ContainsFunc(w.steps, func(s public.Step) bool {
		return s.State == app.StepRunning || s.State == app.StepWaiting || s.State == app.StepFailed
	})
}

// dayCell is one day of the calendar with a mark for each step.
type dayCell struct {
	number int
	steps  []public.Step
}

// days returns the 31 cells from day 0 on.
func days(op public.Operation, steps []public.Step) []dayCell {
	cells := make([]dayCell, 31)
	for i := range cells {
		cells[i].number = i
	}
	for _, s := range byDue(steps) {
		if d := op.Day(s.DueAt); d < len(cells) {
			cells[d].steps = append(cells[d].steps, s)
		}
	}
	return cells
}

// label tells the cell in words, for those who do not see its marks.
func (c dayCell) label() string {
	text := "day " + decimal(c.number)
	for _, t := range (week{steps: c.steps}).tally() {
		text += ", " + t.text()
	}
	return text
}

func (c dayCell) link() string {
	if len(c.steps) == 0 {
		return "#plan"
	}
	return "#" + paths.StepID(c.steps[0].Key)
}

// actual tells how long after its time a step began, and how long it took.
func actual(s public.Step) string {
	text := ""
	if late := s.StartedAt.Sub(s.DueAt); late >= time.Minute {
		text += " · " + ui.Duration(late) + " after plan"
	}
	if s.FinishedAt != nil {
		text += " · took " + ui.Duration(s.FinishedAt.Sub(*s.StartedAt))
	}
	return text
}

// actualFormat leaves the day out when it is the planned one.
func actualFormat(s public.Step) string {
	if s.StartedAt.UTC().YearDay() == s.DueAt.UTC().YearDay() {
		return ui.Hour
	}
	return ui.Minute
}

func decimal(n int) string { return strconv.Itoa(n) }
