package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"vivra/app"
	"vivra/app/blob"
	"vivra/app/desk"
	"vivra/app/effects"
)

// original returns the bytes of a picture, which must be those that were
// approved.
func (o *Orchestrator) original(ctx context.Context, m app.Media) ([]byte, error) {
	b, err := o.Desk.Blobs.Get(ctx, m.SHA256)
	if errors.Is(err, blob.ErrChanged) || err == nil && app.SHA256Hex(b) != m.SHA256 {
		return nil, &changed{[]string{fmt.Sprintf("The picture %.12s… is no longer the one that was approved: its bytes have changed.", m.SHA256)}}
	}
	return b, err
}

// originals returns the bytes of pictures before any of them is sent.
func (o *Orchestrator) originals(ctx context.Context, media []app.Media) ([][]byte, error) {
	all := make([][]byte, len(media))
	for i, m := range media {
		var err error
		if all[i], err = o.original(ctx, m); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// build returns the files of a build, which must be those that were approved.
func (o *Orchestrator) build(ctx context.Context, operationID int64, id, manifest, what string) (map[string][]byte, error) {
	_, files, err := o.Desk.LoadBuild(ctx, operationID, id)
	if errors.Is(err, blob.ErrChanged) || err == nil && app.NewBundle(files).ManifestSHA256 != manifest {
		return nil, &changed{[]string{"The files of the " + what + " are no longer those that were approved."}}
	}
	return files, err
}

// site returns the files of the site as it was last published.
func (o *Orchestrator) site(ctx context.Context, operationID int64) (map[string][]byte, error) {
	request, err := o.Store.LastRequest(ctx, operationID, effects.SiteDeploy)
	if err != nil {
		return nil, err
	}
	var p app.SitePayload
	if err := json.Unmarshal(request, &p); err != nil {
		return nil, fmt.Errorf("read what the site was published with: %w", err)
	}
	return o.build(ctx, operationID, p.BuildID, p.ManifestSHA256, "site")
}

// bound returns what the approval of an effect binds to. Its account's number is
// empty when no attempt has found the account connected.
func (o *Orchestrator) bound(ctx context.Context, e app.Effect) (f app.Frozen, v app.Validation, err error) {
	if v, err = o.Store.Validation(ctx, e.ValidationID); err != nil {
		return f, v, err
	}
	if len(v.Frozen) > 0 {
		err = json.Unmarshal(v.Frozen, &f)
	}
	if f.AccountID == "" {
		f.AccountID = v.AccountID
	}
	return f, v, err
}

// account returns the account that an effect posts with, if it is still the one
// that the approval was given for. It is read with its token, so that nothing
// can come between the two.
func (o *Orchestrator) account(ctx context.Context, e app.Effect, handle string) (desk.Account, error) {
	f, _, err := o.bound(ctx, e)
	if err != nil {
		return desk.Account{}, err
	}
	account, err := o.Desk.Account(ctx, handle)
	switch {
	case err != nil && disconnected(err):
		return account, &notYet{cause: err, wait: lookAgain, endless: true, told: true}
	case err == nil && f.AccountID == "":
		return account, &notYet{cause: fmt.Errorf("@%s was connected while the attempt was under way", handle), wait: tryAgain}
	case err == nil && account.UserID != f.AccountID:
		return account, &changed{[]string{fmt.Sprintf("@%s is connected as another account than the one that was approved.", handle)}}
	}
	return account, err
}
