package postgres_test

import (
	"testing"
	"time"

	"vivra/app"
	"vivra/app/preflight"
)

// TestPriceIsOfTheTextThatGoesOut: whoever wrote the text last, and however often
// it waited, what is shown before the approval is what is booked after it.
func TestPriceIsOfTheTextThatGoesOut(t *testing.T) {
	t.Parallel()
	w, v := written(t)
	if v.Risk.PublishPrice != preflight.PricePost { // its tool said nothing
		t.Errorf("the agent's draft costs %s", v.Risk.PublishPrice)
	}
	linked := w.edit(v, "See https://ember.fun", bob, j0)
	if linked.Risk.PublishPrice != preflight.PriceLink {
		t.Errorf("with a link it costs %s", linked.Risk.PublishPrice)
	}
	applied := w.approve(linked, j0)
	late := applied.Add(app.DefaultSettings().ApprovalExpires + time.Hour)
	w.must(w.store.ExpireApprovals(w.ctx, late))
	queue, err := w.store.WaitingOf(w.ctx, w.op.ID)
	w.must(err)
	if len(queue) != 1 || queue[0].ID == linked.ID || queue[0].PublishPrice != preflight.PriceLink {
		t.Fatalf("the queue shows %+v", queue)
	}
	again := w.edit(w.now(app.Validation{ID: queue[0].ID}), "No link after all.", bob, late)
	w.approve(again, late)
	effects, err := w.store.Effects(w.ctx, w.op.ID)
	w.must(err)
	last := effects[len(effects)-1]
	if again.Risk.PublishPrice != preflight.PricePost || last.ValidationID != again.ID || last.Price != preflight.PricePost {
		t.Errorf("shown %s, to be booked %s", again.Risk.PublishPrice, last.Price)
	}
}
