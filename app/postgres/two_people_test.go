package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// byTwo is a go or no-go that two people must approve.
func byTwo(t *testing.T) (*world, app.Validation) {
	w := goNoGo(t)
	w.set("validation.second_approver", "true")
	return w, w.goNoGoOutput("go")
}

func TestTwoPeopleApprove(t *testing.T) {
	t.Parallel()
	w, v := byTwo(t)
	first, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0.Add(time.Minute))
	w.must(err)
	if first.State != app.ValidationPending || first.FirstApprovedBy != "ada" || first.FirstApprovedAt == nil || first.Nonce == v.Nonce {
		t.Errorf("after the first approval: %+v", first)
	}
	w.apply(j0.Add(time.Hour))
	if w.now(v).State != app.ValidationPending || w.step("scanner.go_nogo").State != app.StepWaiting {
		t.Error("one person was enough")
	}
	for _, c := range []app.Choice{v.Choice(), first.Choice()} {
		_, err = w.store.ApproveValidation(w.ctx, c, ada, nil, j0)
		w.conflict(err, "You approved this output at 2027-03-10 09:18:00 UTC. Another person must approve it too.")
	}
	_, err = w.store.ApproveValidation(w.ctx, v.Choice(), bob, nil, j0)
	w.conflict(err, "ada approved this output at 2027-03-10 09:18:00 UTC")
	if items, err := w.store.QueueWindow(w.ctx, "", 10); err != nil || len(items.Items) != 1 || items.Items[0].FirstApprovedBy != "ada" {
		t.Errorf("the queue shows %+v, %v", items, err)
	}
	_, err = w.store.ApproveValidation(w.ctx, first.Choice(), bob, nil, j0.Add(3*time.Minute))
	w.must(err)
	w.apply(j0.Add(3 * time.Minute))
	if s := w.step("scanner.go_nogo"); s.State != app.StepDone || !slices.Contains(w.summaries("scanner.go_nogo"), "Approved by two people after 3m0s, draft 1") {
		t.Errorf("the step is %s, the log says %q", s.State, w.summaries("scanner.go_nogo"))
	}
	audit, err := w.store.Audit(w.ctx, 2)
	w.must(err)
	if audit[0].User != "bob" || audit[0].Action != "validation.approved" || audit[1].User != "ada" || audit[1].Action != "validation.approved_first" {
		t.Errorf("the audit says %+v", audit)
	}
	if all, err := w.store.Publications(w.ctx, w.op.ID); err != nil || len(all) != 1 || all[0].Approvers != 2 {
		t.Errorf("published is %+v, %v", all, err)
	}
}

// TestWhoMayNotDecideIsNotOneOfTwo: whoever was shut out since has not approved.
func TestWhoMayNotDecideIsNotOneOfTwo(t *testing.T) {
	t.Parallel()
	for name, shut := range map[string]func(w *world, user int64) error{
		"disabled": func(w *world, user int64) error { return w.store.DisableUser(w.ctx, user, bob, j0) },
		"demoted":  func(w *world, user int64) error { return w.store.ChangeRole(w.ctx, user, app.RoleViewer, bob, j0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := byTwo(t)
			all := w.hired("approver.cy", "admin.dee")
			first, err := w.store.ApproveValidation(w.ctx, v.Choice(), all["approver.cy"], nil, j0)
			w.must(err)
			w.must(shut(w, all["approver.cy"].ID))
			_, err = w.store.ApproveValidation(w.ctx, first.Choice(), ada, nil, j0)
			if app.KindOf(err) != app.Conflict {
				t.Errorf("a page from before is taken: %v", err)
			}
			_, err = w.store.ApproveValidation(w.ctx, w.now(v).Choice(), ada, nil, j0)
			w.must(err)
			if got := w.now(v); got.State != app.ValidationPending || got.FirstApprovedBy != "ada" {
				t.Errorf("it is %s, first approved by %q", got.State, got.FirstApprovedBy)
			}
		})
	}
}

// TestTwoPeopleAtOnce: whoever looks at the same page, one is first, and nobody decides.
func TestTwoPeopleAtOnce(t *testing.T) {
	t.Parallel()
	w, v := byTwo(t)
	won := 0
	for _, err := range together(20, func(i int) error {
		_, err := w.store.ApproveValidation(w.ctx, v.Choice(), []app.User{ada, bob}[i%2], nil, j0)
		return err
	}) {
		if err == nil {
			won++
			continue
		}
		w.conflict(err, "pproved this output at")
	}
	got := w.now(v)
	if won != 1 || got.State != app.ValidationPending || got.FirstApprovedBy == "" || w.count("admin_audit WHERE action LIKE 'validation%'") != 1 {
		t.Errorf("%d approvals, it is %s, approved first by %q", won, got.State, got.FirstApprovedBy)
	}
	second := ada
	if got.FirstApprovedBy == "ada" {
		second = bob
	}
	won = 0
	for _, err := range together(20, func(i int) error {
		_, err := w.store.ApproveValidation(w.ctx, got.Choice(), []app.User{ada, bob}[i%2], nil, j0)
		return err
	}) {
		if err == nil {
			won++
		}
	}
	if got = w.now(v); won != 1 || got.State != app.ValidationApproved || got.DecidedBy != second.Name {
		t.Errorf("%d approvals, it is %s by %s", won, got.State, got.DecidedBy)
	}
}

func TestOnePersonRejectsOrUndoesWhatTwoApprove(t *testing.T) {
	t.Parallel()
	w, v := byTwo(t)
	approve := func(by app.User) app.Validation {
		t.Helper()
		got, err := w.store.ApproveValidation(w.ctx, w.now(v).Choice(), by, nil, j0)
		w.must(err)
		return got
	}
	approve(ada)
	approve(bob)
	got, err := w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), bob, j0)
	w.must(err)
	if got.FirstApprovedBy != "ada" || got.FirstApprovedAt == nil {
		t.Errorf("bob's undo took ada's approval back: %+v", got)
	}
	approve(bob)
	if got, err = w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), ada, j0); err != nil || got.FirstApprovedBy != "" || got.FirstApprovedAt != nil {
		t.Errorf("ada's undo left her approval: %+v, %v", got, err)
	}
	approve(bob)
	w.reject(w.now(v), "not this one", j0)
	if w.state() != app.OperationStopped {
		t.Errorf("one rejection left it %s", w.state())
	}
}

// TestAFirstApprovalIsTakenBack by who gave it, as long as nobody was second.
func TestAFirstApprovalIsTakenBack(t *testing.T) {
	t.Parallel()
	w, v := byTwo(t)
	first, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0)
	w.must(err)
	_, err = w.store.WithdrawDecision(w.ctx, first.Choice(), bob, j0)
	w.conflict(err, "no decision to take back")
	_, err = w.store.WithdrawDecision(w.ctx, v.Choice(), ada, j0)
	w.conflict(err, "You approved this output at")
	got, err := w.store.WithdrawDecision(w.ctx, first.Choice(), ada, j0.Add(time.Hour)) // it does not go out, so there is no haste
	w.must(err)
	if got.State != app.ValidationPending || got.FirstApprovedBy != "" || got.FirstApprovedAt != nil || got.Nonce == first.Nonce {
		t.Errorf("taken back it is %+v", got)
	}
	audit, err := w.store.Audit(w.ctx, 1)
	w.must(err)
	if audit[0].User != "ada" || audit[0].Action != "validation.withdrawn" || !strings.Contains(string(audit[0].Before), `"first_approved_by": "ada"`) {
		t.Errorf("the audit says %+v", audit[0])
	}
	_, err = w.store.ApproveValidation(w.ctx, first.Choice(), bob, nil, j0)
	w.conflict(err, "not the one you saw")
	again, err := w.store.ApproveValidation(w.ctx, got.Choice(), bob, nil, j0)
	w.must(err)
	if again.State != app.ValidationPending || again.FirstApprovedBy != "bob" {
		t.Errorf("bob's is no first approval: %+v", again)
	}
}

// TestOneIsEnoughElsewhere: two people are asked for go or no-go and handover
// only, and for nothing when the team does not want it any more.
func TestOneIsEnoughElsewhere(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 1, app.Dollar)
	w.set("validation.second_approver", "true")
	w.approve(vs[0], j0)
	if len(w.effects(vs[0])) != 1 {
		t.Error("a post waits for two people")
	}
	op := w.operation(2, app.Dollar, step("handover", "system", validates))
	v := w.waitingIn(op.ID, "handover", app.KindHandover, app.HandoverPayload{Items: []string{"a"}}, j0)
	_, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0)
	w.must(err)
	w.set("validation.second_approver", "false")
	w.approve(w.now(v), j0)
	if op, err := w.store.Operation(w.ctx, op.ID); err != nil || op.State != app.OperationCompleted {
		t.Errorf("it is %s, %v", op.State, err)
	}
}
