package rehearsal

import (
	"context"
	"encoding/json"

	"vivra/app"
	"vivra/app/effects"
)

// applyApproved enters the profiles on X that somebody else approved: a visitor
// of the rehearsal can't edit the local account by hand.
func (t *team) applyApproved(ctx context.Context, operationID int64) error {
	all, err := t.app.Store.Effects(ctx, operationID)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Kind == effects.XProfile && e.State == app.EffectIntent { // an attempt that found nothing was given back
			if err := t.applyProfile(ctx, e.Request); err != nil {
				return err
			}
		}
	}
	return nil
}

// applyProfile enters the checklist's values on X, as a person does.
func (t *team) applyProfile(ctx context.Context, payload json.RawMessage) error {
	var p app.ProfilePayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	var picture []byte
	if p.Picture.SHA256 != "" {
		var err error
		if picture, _, err = t.app.Desk.AssetFile(ctx, p.Picture.SHA256); err != nil {
			return err
		}
	}
	return t.world.X.ApplyProfile(xAccountID, p.Name, p.Bio, p.URL, picture)
}
