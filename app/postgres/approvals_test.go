package postgres_test

import (
	"strings"
	"testing"

	"vivra/app"
)

// TestApprovalOfWhatHasChanged: nothing is approved, and the same payload waits
// anew with what is different. What contradicts the operation is only rejected.
func TestApprovalOfWhatHasChanged(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 1, app.Dollar)
	v := vs[0]
	w.exec(`UPDATE operations SET site_host = 'other.example' WHERE id = $1`, w.op.ID)
	_, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0)
	w.conflict(err, "a new draft waits")
	queue, err := w.store.PendingValidations(w.ctx)
	w.must(err)
	if old := w.now(v); old.State != app.ValidationVoid || old.DecidedBy != "" || len(queue) != 1 || queue[0].Replaces != v.ID || queue[0].Risk.Marks() == 0 {
		t.Fatalf("the old one is %s, the queue is %+v", old.State, queue)
	}
	if len(w.alerts("payload_changed")) != 1 || w.count("admin_audit WHERE action LIKE 'validation%'") != 0 {
		t.Errorf("alerts %v", w.alerts("payload_changed"))
	}
	w.approve(queue[0], j0)
	if len(w.effects(queue[0])) != 1 || len(w.effects(v)) != 0 {
		t.Error("the new draft was not approved")
	}

	op := w.operation(2, app.Dollar, step("cm.post_0", "cm", validates))
	against := w.waitingIn(op.ID, "cm.post_0", app.KindPost, app.PostPayload{Account: "somebody", Text: "gm"}, j0)
	_, err = w.store.ApproveValidation(w.ctx, against.Choice(), ada, nil, j0)
	w.conflict(err, "can't be approved")
	if !strings.Contains(err.Error(), "somebody") || w.now(against).State != app.ValidationPending {
		t.Errorf("it is %s: %v", w.now(against).State, err)
	}
	w.reject(against, "the wrong account", j0)
	if s := w.stepIn(op.ID, "cm.post_0"); s.State != app.StepPending || s.Rejections != 1 {
		t.Errorf("its step is %s after %d rejections", s.State, s.Rejections)
	}
}

// TestDraftsOfAnOlderProgram bind to nothing yet: they wait anew before they are approved.
func TestDraftsOfAnOlderProgram(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 2, app.Dollar)
	w.exec(`ALTER TABLE validations DISABLE TRIGGER validations_frozen`)
	w.exec(`UPDATE validations SET frozen = '', frozen_sha256 = sha256('')`)
	w.exec(`ALTER TABLE validations ENABLE TRIGGER validations_frozen`)
	_, err := w.store.ApproveValidation(w.ctx, w.now(vs[0]).Choice(), ada, nil, j0)
	w.conflict(err, "a new draft waits")
	w.reject(w.now(vs[1]), "no", j0)
	queue, err := w.store.PendingValidations(w.ctx)
	w.must(err)
	if len(queue) != 1 || len(queue[0].Frozen) == 0 || queue[0].PayloadSHA256 != vs[0].PayloadSHA256 {
		t.Fatalf("the queue is %+v", queue)
	}
	w.approve(queue[0], j0)
	if len(w.effects(queue[0])) != 1 {
		t.Error("it was not approved")
	}
}
