package postgres

import (
	"context"
	"time"

	"vivra/app"
)

// ApproveBatch approves outputs of one kind, each by itself: what became of one
// says nothing of the others.
func (s *Store) ApproveBatch(ctx context.Context, kind app.ValidationKind, all []app.Choice, by app.User, now time.Time) ([]app.Decision, error) {
	if alone(kind) {
		return nil, app.Errorf(app.Invalid, "An output of this kind is looked at by itself. Nothing was decided.")
	}
	out := make([]app.Decision, len(all))
	for i, c := range all {
		if err := ctx.Err(); err != nil {
			return out[:i], err
		}
		v, err := s.decide(ctx, c, by, now, func(t *opTx, v app.Validation) error {
			if err := together(kind, v); err != nil {
				return err
			}
			return t.approveBy(ctx, v, by, nil)
		})
		if err != nil {
			// The zero validation of an id that nobody knows says enough.
			v, _ = s.Validation(ctx, c.ID)
		}
		out[i] = app.Decision{Choice: c, Validation: v, Err: err}
	}
	return out, nil
}

// alone tells whether an output of a kind is decided by itself. Who approves a
// profile says that they have applied it on X.
func alone(kind app.ValidationKind) bool { return kind.AlwaysByPerson() || kind == app.KindProfile }

// together refuses what a person must look at by itself.
func together(kind app.ValidationKind, v app.Validation) error {
	switch {
	case v.Kind != kind:
		return app.Errorf(app.Invalid, "This output is of another kind: open it to decide.")
	case v.Risk.Marks() > 0:
		return app.Errorf(app.Invalid, "This output has risk marks: open it to decide.")
	}
	return nil
}
