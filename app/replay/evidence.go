package replay

import (
	"context"
	"encoding/json"
	"strings"

	"vivra/app"
)

// objected tells whether the output that is checked now was sent back with these
// words. Rows have changed since, so what they were then is read off what the
// model was told; that the whole text is right is compared when it is kept.
func (b books) objected(words string) bool {
	if it, ok := b.nextItem(); ok {
		return it.Role == "tool" && strings.Contains(it.Text, words)
	}
	return strings.Contains(b.stored.Error, words)
}

// Validation gives a proposal as it stood when it was cited.
func (b books) Validation(ctx context.Context, id string) (app.Validation, error) {
	v, err := b.Store.Validation(ctx, id)
	if v.State = app.ValidationPending; b.objected(id + " is not the open proposal") {
		v.State = app.ValidationVoid
	}
	return v, b.checked(err)
}

// Build gives a build as it stood when it was cited.
func (b books) Build(ctx context.Context, id string) (app.Build, int64, error) {
	build, operation, err := b.Store.Build(ctx, id)
	build.Passed = !b.objected(id + " has not passed")
	return build, operation, b.checked(err)
}

// Asset gives an asset as it stood when it was cited.
func (b books) Asset(ctx context.Context, operationID int64, sha256 string) (app.Asset, error) {
	asset, err := b.Store.Asset(ctx, operationID, sha256)
	if err == nil && b.objected("there is no asset "+sha256) {
		err = app.Errorf(app.NotFound, "It was not there yet.")
	}
	return asset, b.checked(err)
}

// DoneOutput gives the output of a step before this one.
func (b books) DoneOutput(ctx context.Context, operationID int64, step string) (json.RawMessage, error) {
	output, err := b.Store.DoneOutput(ctx, operationID, step)
	return output, b.checked(err)
}

// checked passes on that there is nothing. That the store can't be read ends
// the replay.
func (b books) checked(err error) error {
	if err != nil && app.KindOf(err) != app.NotFound {
		b.trouble, b.broken = err, true
		b.cancel()
	}
	return err
}
