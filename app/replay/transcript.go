package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// OpenRun gives the run as it was stored so far.
func (b books) OpenRun(_ context.Context, _ app.Claim, fresh app.Run, _ time.Time) (app.Run, []app.RunItem, error) {
	if !b.opened {
		b.compareProgram(fresh)
	}
	if !b.opened && fresh.Tainted {
		b.run.Tainted, b.run.Sources = true, slices.Clone(fresh.Sources)
	}
	b.opened = true
	run := b.run
	run.Sources = slices.Clone(run.Sources)
	if last := b.lastAsked(); last != nil && !b.forgot {
		run.Asked = *last
	}
	return run, slices.Clone(b.stored.Items[:b.items]), nil
}

// compareProgram tells first what of the program is no longer as it was.
func (b books) compareProgram(fresh app.Run) {
	b.fresh = fresh
	if fresh.PromptSHA256 != b.stored.Run.PromptSHA256 {
		b.note("The prompt of %s has changed since this run. Played is the system prompt that was stored with it; the tools' schemas are this program's, so if they changed too, every request differs.", b.run.Agent)
	}
	if fresh.Budget != b.stored.Run.Budget {
		b.note("A run of %s may cost %s now; this one could cost %s.", b.run.Agent, fresh.Budget, b.stored.Run.Budget)
	}
}

// AddItem compares what code said to the model.
func (b books) AddItem(_ context.Context, _ app.Claim, _ string, turn int, item json.RawMessage, _ time.Time) error {
	return b.keep(turn, "", item)
}

// BeginTranscript compares what the run was told first.
func (b books) BeginTranscript(_ context.Context, _ app.Claim, _ string, item json.RawMessage, _ []string, _ time.Time) error {
	return b.keep(0, "", item)
}

func (b *session) taint(source string) {
	b.run.Tainted = true
	if !slices.Contains(b.run.Sources, source) {
		b.run.Sources = append(b.run.Sources, source)
	}
}

// AnswerCall compares the result of a tool call.
func (b books) AnswerCall(_ context.Context, _ app.Claim, a postgres.Answer, _ time.Time) error {
	if a.Tainted {
		b.taint(a.Source)
	}
	b.report.Results++
	return b.keep(a.Turn, a.CallID, a.Item)
}

// keep compares an entry of the transcript with the one that was stored.
func (b *session) keep(turn int, callID string, item json.RawMessage) error {
	if b.items >= len(b.stored.Items) {
		if b.limited() {
			return postgres.ErrLost
		}
		b.endOutside("before the next entry of the transcript was kept")
		return postgres.ErrLost
	}
	stored := b.stored.Items[b.items]
	b.items++
	if stored.Turn != turn || stored.CallID != callID {
		b.differ(Difference{Turn: turn, What: "transcript", Sentence: fmt.Sprintf("Entry %d is of turn %d and call %q; stored is one of turn %d and call %q.", stored.Seq, turn, callID, stored.Turn, stored.CallID)})
	}
	if !same(stored.Item, item) {
		b.differ(Difference{Turn: turn, What: "transcript", Sentence: fmt.Sprintf("Entry %d of the transcript is not what is stored.", stored.Seq), Diff: diff(stored.Item, item)})
	}
	return nil
}

// TokenFile is of no use: the first message is stored.
func (b books) TokenFile(context.Context, int64, string) (json.RawMessage, int, error) {
	return nil, 0, fmt.Errorf("a run that is played again reads no token file")
}

// Settings are those of the time.
func (b books) Settings(context.Context) (app.Settings, error) {
	return b.settings(newClock(b.session).Now())
}

// RenewLease implements runner.Watch: nobody else wants the run.
func (b books) RenewLease(context.Context, app.Claim, time.Time) error { return nil }

// OperationState implements runner.Watch.
func (b books) OperationState(context.Context, int64) (app.OperationState, error) {
	return app.OperationRunning, nil
}

// Overhear implements runner.Watch: nobody listens.
func (b books) Overhear(context.Context, int64, string, string, time.Time) error { return nil }

// AddLine implements runner.Alarms: the log has it.
func (b books) AddLine(context.Context, app.Claim, app.EventLine, time.Time) error { return nil }

// RaiseAlert implements runner.Alarms: the team was told at the time.
func (b books) RaiseAlert(context.Context, int64, string, string, string, time.Time) error {
	return nil
}
