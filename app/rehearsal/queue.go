package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"vivra/app"
	"vivra/app/paths"
)

// decide takes every pending output in hand that the script does not leave
// alone, and returns how many were decided.
func (t *team) decide(ctx context.Context) (n int, err error) {
	pending, err := t.app.Store.PendingValidations(ctx)
	if err != nil {
		return 0, err
	}
	var together []app.Validation
	for _, v := range pending {
		if t.left[v.ID] || t.ripe != nil && !t.ripe(v) {
			continue
		}
		d, took := t.script.on(v.StepKey)
		switch d.Decide {
		case "leave":
			t.left[v.ID] = true
			continue
		case "batch":
			together = append(together, v)
			continue
		}
		if err := t.take(ctx, d, v); err != nil {
			return n, fmt.Errorf("%s %s: %w", d.Decide, v.StepKey, err)
		}
		took()
		n++
	}
	more, err := t.batches(ctx, together)
	return n + more, err
}

func (t *team) take(ctx context.Context, d Decision, v app.Validation) error {
	switch d.Decide {
	case "reject":
		t.tell("rejected", v)
		_, err := t.submit(ctx, paths.Validation(v.ID), paths.ValidationRejection(v.ID), url.Values{"reason": {d.Reason}})
		return err
	case "undo":
		return t.undo(ctx, v)
	case "edit":
		return t.edit(ctx, v, d.Text)
	}
	return t.approve(ctx, v)
}

func (t *team) tell(what string, v app.Validation) {
	if t.told != nil {
		t.told(what, v.StepKey)
	}
}

// approve does by hand what has to be done by hand, then approves.
func (t *team) approve(ctx context.Context, v app.Validation) error {
	fields := url.Values{}
	switch v.Kind {
	case app.KindProfile:
		if err := t.applyProfile(ctx, v.Payload); err != nil {
			return err
		}
	case app.KindDossier:
		var err error
		if fields, err = submitted(v.Payload); err != nil {
			return err
		}
	}
	_, err := t.submit(ctx, paths.Validation(v.ID), paths.ValidationApproval(v.ID), fields)
	return err
}

// submitted is what a person says of a dossier's forms: all were sent but the
// paid one, unless it is the only one.
func submitted(payload json.RawMessage) (url.Values, error) {
	var dossier app.DossierPayload
	if err := json.Unmarshal(payload, &dossier); err != nil {
		return nil, fmt.Errorf("read the dossier: %w", err)
	}
	fields, forms := url.Values{}, dossier.Forms()
	for _, v := range forms {
		fields.Set("receipt."+v.Key, "https://venue.example/receipts/"+v.Key)
		if v.Key == "dexscreener" && len(forms) > 1 {
			fields.Set("receipt."+v.Key, "")
			fields.Set("reason."+v.Key, "The token has no profile there yet.")
		}
	}
	return fields, nil
}

// undo approves an output and takes that back; it waits anew.
func (t *team) undo(ctx context.Context, v app.Validation) error {
	if err := t.approve(ctx, v); err != nil {
		return err
	}
	if t.pause != nil {
		t.pause(ctx)
	}
	t.tell("took back the approval of", v)
	_, err := t.submit(ctx, paths.Validation(v.ID), paths.ValidationWithdrawal(v.ID), nil)
	return err
}

// edit writes a draft with more to say in place of an agent's; it waits in turn.
func (t *team) edit(ctx context.Context, v app.Validation, more string) error {
	doc, err := t.get(ctx, paths.ValidationDraft(v.ID))
	if err != nil {
		return err
	}
	first := doc.Find(`[name^="field."]`).First()
	text := first.Text() + first.AttrOr("value", "")
	t.tell("edited", v)
	_, err = t.submit(ctx, paths.ValidationDraft(v.ID), paths.ValidationDraft(v.ID), url.Values{first.AttrOr("name", ""): {text + more}})
	return err
}

// batches approves outputs of one kind together once there are two.
func (t *team) batches(ctx context.Context, all []app.Validation) (n int, err error) {
	byKind := map[app.ValidationKind][]app.Validation{}
	for _, v := range all {
		byKind[v.Kind] = append(byKind[v.Kind], v)
	}
	for kind, some := range byKind {
		if len(some) < 2 {
			continue
		}
		if err := t.batch(ctx, kind, some); err != nil {
			return n, fmt.Errorf("approve several of %s: %w", kind, err)
		}
		n += len(some)
	}
	return n, nil
}

func (t *team) batch(ctx context.Context, kind app.ValidationKind, some []app.Validation) error {
	page := paths.ValidationBatch(string(kind))
	doc, err := t.get(ctx, page)
	if err != nil {
		return err
	}
	var ticked []string
	for _, v := range some {
		box := doc.Find(fmt.Sprintf("input[name=choice][value^=%q]", v.ID))
		ticked = append(ticked, box.AttrOr("value", ""))
	}
	said, err := t.submit(ctx, page, page, url.Values{"choice": ticked})
	if err != nil {
		return err
	}
	if refused := said.Find("main .fault"); refused.Length() > 0 {
		return fmt.Errorf("it was refused: %s", strings.Join(strings.Fields(refused.Text()), " "))
	}
	for _, v := range some {
		t.tell("approved, among others,", v)
		_, took := t.script.on(v.StepKey)
		took()
	}
	return nil
}
