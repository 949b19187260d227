package live_test

import (
	"testing"

	"vivra/app/live"
)

func TestChangesReachOnlyTheirTopicAndCoalesce(t *testing.T) {
	t.Parallel()
	var hub live.Hub
	one, leave := hub.Subscribe(live.Operation(1))
	two, leaveTwo := hub.Subscribe(live.Operation(2))
	defer leaveTwo()

	hub.Changed(live.Operation(1))
	hub.Changed(live.Operation(1)) // must not block although nobody has looked
	if len(one) != 1 || len(two) != 0 {
		t.Fatalf("topic 1 holds %d changes and topic 2 holds %d, want 1 and 0", len(one), len(two))
	}
	hub.ChangedAll()
	if len(two) != 1 {
		t.Error("ChangedAll did not reach topic 2")
	}

	<-two
	hub.OperationChanged("1")
	if len(two) != 0 {
		t.Error("a change of operation 1 reached operation 2")
	}
	hub.OperationChanged("0")
	if len(two) != 1 {
		t.Error("a lost connection must wake everyone")
	}

	<-one
	leave()
	hub.Changed(live.Operation(1))
	if len(one) != 0 {
		t.Error("a change arrived after the end of the subscription")
	}
}

func TestAGrowingAnswerWakesItsRunOnly(t *testing.T) {
	t.Parallel()
	var hub live.Hub
	run, leave := hub.Subscribe(live.Run("r1"))
	other, leaveOther := hub.Subscribe(live.Run("r2"))
	list, leaveList := hub.Subscribe(live.Validations)
	defer leave()
	defer leaveOther()
	defer leaveList()

	hub.OperationChanged("run:r1")
	if len(run) != 1 || len(other) != 0 || len(list) != 0 {
		t.Errorf("the run holds %d changes, another %d and the queue %d, want 1, 0 and 0", len(run), len(other), len(list))
	}
	if !live.OfRun("run:r1") || live.OfRun("17") {
		t.Error("an announcement of a run can't be told from one of an operation")
	}
}
