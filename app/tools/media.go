package tools

import (
	"context"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/agent"
)

// media names the assets by content, checking that each belongs to the
// operation. alt may be shorter than sums: an asset's label stands in.
func (d Deps) media(ctx context.Context, scope agent.Scope, sums, alt []string) ([]app.Media, error) {
	media := []app.Media{}
	for i, sum := range sums {
		_, asset, err := d.load(ctx, scope, sum)
		if err != nil {
			return nil, err
		}
		text := strings.ReplaceAll(asset.Label, "_", " ")
		if i < len(alt) {
			text = alt[i]
		}
		media = append(media, app.Media{SHA256: asset.SHA256, MIME: asset.MIME, Alt: text})
	}
	return media, nil
}

// load reads an asset of the operation.
func (d Deps) load(ctx context.Context, scope agent.Scope, sum string) ([]byte, app.Asset, error) {
	png, asset, err := d.Assets.LoadAsset(ctx, scope.OperationID, sum)
	switch {
	case err != nil && app.KindOf(err) == app.NotFound:
		return nil, asset, app.Errorf(app.Invalid, "This operation has no asset %q.", sum)
	case err != nil:
		return nil, asset, fmt.Errorf("load asset: %w", err)
	}
	return png, asset, nil
}

type validationOut struct {
	ValidationID string `json:"validation_id"`
}

// propose writes the validation of a publishing tool.
func (d Deps) propose(ctx context.Context, scope agent.Scope, kind app.ValidationKind, payload any, risk app.Risk) (validationOut, error) {
	id, err := d.Proposals.Propose(ctx, scope, kind, payload, risk)
	if err != nil {
		return validationOut{}, fmt.Errorf("propose %s: %w", kind, err)
	}
	return validationOut{ValidationID: id}, nil
}
