package web_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/edits"
	"vivra/app/effects"
)

// queued is what the exhibit keeps of its queue beside the outputs.
type queued struct {
	offered int
	decided []string // ids, in the order of their decisions
	sent    []app.EffectStatus
	ahead   time.Duration // by which the clock was moved on
	undo    *time.Duration
	byTwo   bool
}

func (x *exhibit) now() time.Time {
	defer x.lock()()
	return today.Add(x.queue.ahead)
}

// advance moves the clock on; what can no longer be undone is applied.
func (x *exhibit) advance(d time.Duration) {
	defer x.lock()()
	x.queue.ahead += d
	now := today.Add(x.queue.ahead)
	for i := range x.validations {
		v := &x.validations[i]
		if v.AppliedAt == nil && v.AppliesAt != nil && !now.Before(*v.AppliesAt) {
			v.AppliedAt = &now
			x.carryOut(*v, now)
		}
	}
}

// carryOut has the calls of an approved output made at once.
func (x *exhibit) carryOut(v app.Validation, now time.Time) {
	if v.State != app.ValidationApproved {
		return
	}
	calls, err := effects.Plan(v)
	if err != nil {
		panic(err)
	}
	for _, e := range calls {
		e.State, e.DoneAt, e.Cost, e.StepKey = app.EffectDone, &now, e.Price, v.StepKey
		x.queue.sent = append(x.queue.sent, app.EffectStatus{Effect: e, ValidationKind: v.Kind, Link: "https://x.com/dodo_back/status/7"})
	}
}

func (x *exhibit) Settings(context.Context) (app.Settings, error) {
	defer x.lock()()
	s := app.DefaultSettings()
	s.SecondApprover = x.queue.byTwo
	if x.queue.undo != nil {
		s.Undo = *x.queue.undo
	}
	return s, x.down
}

// waiting counts what waits; its caller holds the lock.
func (x *exhibit) waiting() (n int) {
	for _, v := range x.validations {
		if v.State == app.ValidationPending {
			n++
		}
	}
	return n
}

func (x *exhibit) pending(fits func(app.Validation) bool) (all []app.Validation) {
	defer x.lock()()
	for _, v := range x.validations {
		if v.State == app.ValidationPending && fits(v) {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b app.Validation) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all
}

func every(app.Validation) bool { return true }

// items are the waiting outputs as the lists show them.
func (x *exhibit) items() (items []app.QueueItem) {
	for _, v := range x.pending(every) {
		to := ""
		if v.Answers() != nil {
			to = "support_desk_x"
		}
		items = append(items, app.QueueItem{ID: v.ID, OperationSlug: v.OperationSlug, TokenSymbol: v.TokenSymbol, StepKey: v.StepKey, To: to, Agent: v.Agent, Kind: v.Kind,
			PublishPrice: v.Risk.PublishPrice, Marks: v.Risk.Marks(), DraftNo: v.DraftNo, FirstApprovedBy: v.FirstApprovedBy, CreatedAt: v.CreatedAt})
	}
	return items
}

func (x *exhibit) QueueWindow(ctx context.Context, around string, size int) (app.QueueWindow, error) {
	items, at := x.items(), 0
	if v, err := x.Validation(ctx, around); err == nil {
		for at < len(items) && (items[at].CreatedAt.Before(v.CreatedAt) || items[at].CreatedAt.Equal(v.CreatedAt) && items[at].ID < v.ID) {
			at++
		}
	}
	from := max(0, min(at-size/2, len(items)-size))
	to := min(from+size, len(items))
	return app.QueueWindow{Items: items[from:to], Before: from, After: len(items) - to}, x.down
}

func (x *exhibit) QueueCount(context.Context) (int, error) { return len(x.items()), x.down }

func (x *exhibit) WaitingOf(context.Context, int64) ([]app.QueueItem, error) {
	return x.items(), x.down
}

func (x *exhibit) WaitingFor(context.Context, int64) (app.Waiting, error) {
	items := x.items()
	if len(items) == 0 {
		return app.Waiting{}, x.down
	}
	return app.Waiting{Count: len(items), Oldest: &items[0].CreatedAt}, x.down
}

// together tells whether v may be approved with others.
func together(v app.Validation) bool {
	return v.Risk.Marks() == 0 && !v.Kind.ByTwo() && v.Kind != app.KindDossier
}

func (x *exhibit) Batches(context.Context) (map[app.ValidationKind]int, error) {
	counts := map[app.ValidationKind]int{}
	for _, v := range x.pending(together) {
		counts[v.Kind]++
	}
	return counts, x.down
}

func (x *exhibit) Batch(_ context.Context, kind app.ValidationKind, limit int) ([]app.Validation, error) {
	all := x.pending(func(v app.Validation) bool { return v.Kind == kind && together(v) })
	return all[:min(limit, len(all))], x.down
}

func (x *exhibit) Undoable(_ context.Context, now time.Time) (all []app.Validation, err error) {
	defer x.lock()()
	for _, id := range slices.Backward(x.queue.decided) {
		for _, v := range x.validations {
			if v.ID == id && v.Undoable(now) {
				all = append(all, v)
			}
		}
	}
	return all, x.down
}

func (x *exhibit) Validation(_ context.Context, id string) (app.Validation, error) {
	defer x.lock()()
	for _, v := range x.validations {
		if v.ID == id {
			return v, x.down
		}
	}
	return app.Validation{}, app.Errorf(app.NotFound, "There is no such output.")
}

func (x *exhibit) PreviousDraft(_ context.Context, id string) (*app.Validation, error) {
	if id != "v1" {
		return nil, x.down
	}
	before := thread
	before.Posts = slices.Clone(thread.Posts)
	before.Posts[2].Text = "The chart will follow."
	return &app.Validation{ID: "v0", Kind: app.KindThread, Agent: "cm", State: app.ValidationRejected, DraftNo: 1, Payload: must(before)}, x.down
}

func (x *exhibit) AssetByHash(_ context.Context, hash string) (app.Asset, error) {
	return app.Asset{SHA256: hash, MIME: "image/png", Width: 320, Height: 240}, x.down
}

func (x *exhibit) Build(_ context.Context, id string) (app.Build, int64, error) {
	report := map[string]any{"links": 7, "addresses": 1, "problems": []string{}, "weight": 41_200}
	if id == "b2" {
		report = map[string]any{"passed": 3, "failed": 0, "log": "ok    shows the ten largest holders\nok    says how old its figures are\nok    shows no address but the token's\n"}
	}
	return app.Build{ID: id, Report: must(report), Passed: true}, 1, x.down
}

// open returns the waiting output that a choice names; its caller holds the lock.
func (x *exhibit) open(c app.Choice) (*app.Validation, error) {
	for i := range x.validations {
		v := &x.validations[i]
		switch {
		case v.ID != c.ID:
			continue
		case v.State != app.ValidationPending:
			return v, app.Errorf(app.Conflict, "%s this output at %s.", strings.TrimSpace(v.DecidedBy+" "+string(v.State)), timeOf(v.DecidedAt))
		case v.FrozenSHA256 != c.FrozenSHA256 || v.Nonce != c.Nonce:
			return v, app.Errorf(app.Conflict, "This output has changed since you opened it.")
		}
		return v, nil
	}
	return nil, app.Errorf(app.NotFound, "There is no such output.")
}

func timeOf(at *time.Time) string {
	if at == nil {
		return "some time"
	}
	return at.Format(time.RFC3339)
}

func (x *exhibit) decide(c app.Choice, word, reason string, state app.ValidationState, by app.User, now time.Time) (app.Validation, error) {
	settings, _ := x.Settings(context.Background())
	defer x.lock()()
	v, err := x.open(c)
	if v == nil {
		return app.Validation{}, err
	}
	if err != nil {
		return *v, err
	}
	x.told = append(x.told, word+" "+v.ID+" by "+by.Name)
	v.Nonce += "'"
	if settings.SecondApprover && v.Kind.ByTwo() && state == app.ValidationApproved && v.FirstApprovedBy == "" {
		v.FirstApprovedBy, v.FirstApprovedAt = by.Name, &now
		return *v, nil
	}
	until := now.Add(settings.Undo)
	v.State, v.DecidedBy, v.DecidedAt, v.Reason, v.AppliesAt = state, by.Name, &now, reason, &until
	if settings.Undo == 0 {
		v.AppliedAt = &now
	}
	x.queue.decided = append(x.queue.decided, v.ID)
	return *v, nil
}

func (x *exhibit) ApproveValidation(_ context.Context, c app.Choice, by app.User, receipts []app.Receipt, now time.Time) (app.Validation, error) {
	said, settled, err := x.settle(c, receipts, by, now)
	if err != nil {
		return app.Validation{}, err
	}
	v, err := x.decide(c, "approve "+said, "", app.ValidationApproved, by, now)
	defer x.lock()()
	for i := range x.validations {
		if err == nil && x.validations[i].ID == c.ID {
			x.validations[i].Receipts = settled
			v = x.validations[i]
		}
	}
	return v, err
}

// settle is what is kept of the receipts of a waiting dossier, as the store does.
func (x *exhibit) settle(c app.Choice, receipts []app.Receipt, by app.User, now time.Time) (said string, settled []app.Receipt, err error) {
	defer x.lock()()
	v, err := x.open(c)
	if err != nil || v.Kind != app.KindDossier {
		return "", nil, nil // the decision says so
	}
	var dossier app.DossierPayload
	if err := json.Unmarshal(v.Payload, &dossier); err != nil {
		return "", nil, err
	}
	settled, err = dossier.Settle(receipts, by.Name, now)
	var told []string
	for _, r := range settled {
		told = append(told, r.Venue+"="+cmp.Or(r.Link, r.Reason))
	}
	return strings.Join(told, " "), settled, err
}

func (x *exhibit) RejectValidation(_ context.Context, c app.Choice, by app.User, reason string, now time.Time) (app.Validation, error) {
	return x.decide(c, "reject", reason, app.ValidationRejected, by, now)
}

func (x *exhibit) ApproveBatch(ctx context.Context, kind app.ValidationKind, all []app.Choice, by app.User, now time.Time) (results []app.Decision, err error) {
	for _, c := range all {
		v, err := x.Validation(ctx, c.ID)
		if err == nil && (v.Kind != kind || !together(v)) {
			err = app.Errorf(app.Invalid, "This output has to be decided by itself.")
		}
		if err == nil {
			v, err = x.ApproveValidation(ctx, c, by, nil, now)
		}
		results = append(results, app.Decision{Choice: c, Validation: v, Err: err})
	}
	return results, x.down
}

func (x *exhibit) WithdrawDecision(_ context.Context, c app.Choice, by app.User, now time.Time) (app.Validation, error) {
	defer x.lock()()
	for i := range x.validations {
		v := &x.validations[i]
		switch {
		case v.ID != c.ID:
			continue
		case v.Nonce != c.Nonce:
			return *v, app.Errorf(app.Conflict, "The decision that you wanted to take back is gone.")
		case v.State == app.ValidationPending && v.FirstApprovedBy == by.Name:
			v.FirstApprovedBy, v.FirstApprovedAt = "", nil
			v.Nonce += "'"
			x.told = append(x.told, "withdraw "+c.ID+" by "+by.Name)
			return *v, nil
		case !v.Undoable(now):
			return *v, app.Errorf(app.Conflict, "It is too late to take this decision back.")
		case v.DecidedBy != by.Name && by.Role != app.RoleAdmin:
			return *v, app.Errorf(app.Denied, "Only %s or an admin can take this decision back.", v.DecidedBy)
		}
		v.State, v.DecidedBy, v.DecidedAt, v.Reason, v.AppliesAt = app.ValidationPending, "", nil, "", nil
		v.Nonce += "'"
		x.told = append(x.told, "withdraw "+c.ID+" by "+by.Name)
		return *v, nil
	}
	return app.Validation{}, app.Errorf(app.NotFound, "There is no such output.")
}

// EditValidation takes what fits the kind and promises no price.
func (x *exhibit) EditValidation(_ context.Context, c app.Choice, values map[string]string, by app.User) (app.Validation, error) {
	defer x.lock()()
	v, err := x.open(c)
	if err != nil {
		return app.Validation{}, err
	}
	payload, err := edits.Apply(v.Kind, v.Payload, values)
	if err != nil {
		return app.Validation{}, err
	}
	if strings.Contains(string(must(payload)), "10x") {
		return app.Validation{}, app.Errorf(app.Invalid, "The text promises a price: 10x. Say what was built.")
	}
	draft := *v
	draft.ID, draft.Payload, draft.DraftNo, draft.EditedBy, draft.Replaces = fmt.Sprintf("%s-%d", v.ID, v.DraftNo+1), must(payload), v.DraftNo+1, by.Name, v.ID
	v.State, v.VoidReason = app.ValidationVoid, "edited by "+by.Name
	x.told = append(x.told, "edit "+v.ID+" by "+by.Name)
	x.add(draft)
	return *x.last(), nil
}
