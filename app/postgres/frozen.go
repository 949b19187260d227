package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// binding is what approvals of the operation bind to, as the database has it now.
func (t *opTx) binding(ctx context.Context) (effects.Binding, error) {
	b := effects.Binding{OfficialAddress: t.op.Token.Ref.Address.Hex(), Account: t.op.XHandle, Chat: t.op.TelegramChat, Host: t.op.SiteHost}
	if b.Account == "" {
		return b, nil
	}
	account, err := t.store.q.XAccount(ctx, t, b.Account)
	if err != nil && !noRows(err) {
		return b, fmt.Errorf("read the account on X: %w", err)
	}
	b.AccountID = account.UserID
	return b, nil
}

// freeze returns what an approval of payload binds to now, and the canonical
// JSON that is kept and hashed.
// out is what of it went out under an earlier approval.
func (t *opTx) freeze(ctx context.Context, kind app.ValidationKind, payload json.RawMessage, out []app.OutCall) (app.Frozen, string, error) {
	b, err := t.binding(ctx)
	if err != nil {
		return app.Frozen{}, "", err
	}
	b.Out = out
	f, err := effects.Freeze(kind, payload, b)
	if err != nil {
		return f, "", unreadable{err}
	}
	text, err := app.CanonicalJSON(f)
	return f, string(text), err
}

// unreadable is a payload that no call can be planned from.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// changes says in sentences how what would go out now differs from what v shows,
// which is what an approval of it binds to. Nil: it may go out.
func (t *opTx) changes(ctx context.Context, v app.Validation) ([]string, error) {
	b, err := t.binding(ctx)
	if err != nil {
		return nil, err
	}
	was, ok := frozenOf(v)
	b.Out = was.Out
	is, err := effects.Freeze(v.Kind, v.Payload, b)
	if err != nil {
		return []string{"What was proposed can't be read any more."}, nil
	}
	if len(v.Frozen) == 0 {
		return []string{"An older version of the program wrote it, which did not keep what an approval binds to."}, nil
	}
	if !ok {
		return []string{"The record of what an approval binds to was itself changed."}, nil
	}
	if was.AccountID == "" {
		was.AccountID = v.AccountID
	}
	return effects.Changes(was, is), nil
}

// outBefore is what of v went out under an earlier approval.
func outBefore(v app.Validation) []app.OutCall {
	f, _ := frozenOf(v) // one that was changed is told of by changes
	return f.Out
}

// bindAccount binds v to the account on X that is behind the name as its first
// attempt begins, where it was not connected when the draft was frozen.
func (t *opTx) bindAccount(ctx context.Context, v app.Validation, kind string) error {
	if f, ok := frozenOf(v); !ok || !effects.OnX(kind) || f.AccountID != "" || v.AccountID != "" {
		return nil
	}
	b, err := t.binding(ctx)
	if err != nil || b.AccountID == "" {
		return err
	}
	if err := t.store.q.BindAccount(ctx, t, dbsqlc.BindAccountParams{AccountID: b.AccountID, ID: v.ID}); err != nil {
		return fmt.Errorf("bind the account on X: %w", err)
	}
	return nil
}

// frozenOf reads what v binds to, if it is what was hashed.
func frozenOf(v app.Validation) (f app.Frozen, ok bool) {
	err := json.Unmarshal(v.Frozen, &f)
	return f, err == nil && app.SHA256Hex(v.Frozen) == v.FrozenSHA256
}
