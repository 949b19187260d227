package operations

import (
	"strings"
	"time"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/ui"
)

// tokens tells what a model call used and where its cost figure comes from.
func tokens(e app.Event) string {
	var parts []string
	if e.Model != "" {
		parts = append(parts, e.Model)
	}
	if e.TokensIn+e.TokensOut > 0 {
		parts = append(parts, ui.Integer(e.TokensIn)+" in", ui.Integer(e.TokensOut)+" out")
	}
	if source := ui.CostSource(e.CostSource); source != "" && e.Cost != 0 {
		parts = append(parts, source)
	}
	return strings.Join(parts, ", ")
}

// Last is the number of the last row, 0 when there is none.
func (l Log) Last() int64 {
	if n := len(l.Events); n > 0 {
		return l.Events[n-1].Seq
	}
	return 0
}

func (l Log) before(i int) app.Event {
	if i == 0 {
		return l.Previous
	}
	return l.Events[i-1]
}

// begins tells whether e begins another step, or another day of one, than the row
// before it.
func begins(e, previous app.Event) bool {
	const day = 24 * time.Hour
	return e.Step != previous.Step || !e.At.Truncate(day).Equal(previous.At.Truncate(day))
}

func (l Log) older() paths.Log {
	f := l.Filter
	if len(l.Events) > 0 {
		f.Before = l.Events[0].Seq
	}
	return f
}

func (l Log) newest() paths.Log {
	return paths.Log{Agent: l.Filter.Agent, Kind: l.Filter.Kind}
}

// headline ends the sentence that the token's name begins.
func headline(s app.OperationState) string {
	switch s {
	case app.OperationScheduled:
		return "will be brought back"
	case app.OperationStopped:
		return "takeover was stopped"
	case app.OperationCompleted:
		return "was handed over"
	}
	return "is being brought back"
}

func verdictTone(verdict string) string {
	if verdict == "revived" {
		return "live"
	}
	return "off"
}
