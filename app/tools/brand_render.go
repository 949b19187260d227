package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/brand"
)

type brandItem struct {
	Template string   `json:"template" jsonschema:"a template's name, such as board, pfp, x-banner, tg-banner, og, logo-64 or meme-caption"`
	Texts    []string `json:"texts" jsonschema:"the template's words in its order, empty for a template without words"`
}

type brandRenderIn struct {
	Palette []string    `json:"palette" jsonschema:"4 colours as #rrggbb: ground, main, second, light"`
	Logo    *string     `json:"logo_asset" jsonschema:"sha256 of the mark that image_generate made"`
	Items   []brandItem `json:"items" jsonschema:"1 to 30 pictures to draw"`
}

type brandAsset struct {
	Template string    `json:"template"`
	Asset    app.Asset `json:"asset"`
}

type brandRenderOut struct {
	Assets []brandAsset `json:"assets"`
}

// BrandRender lets an agent draw boards, banners, logos and memes from the
// templates. It costs nothing.
func BrandRender(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "brand_render",
		Description: "Draw pictures from the brand templates. " + brandCatalogue(),
		Agents:      []string{designer},
		Risk:        agent.Write,
		Timeout:     5 * time.Minute,
	}, func(ctx context.Context, scope agent.Scope, in brandRenderIn) (brandRenderOut, error) {
		var f faults
		f.between("items", len(in.Items), 1, 30)
		f.need(in.Logo != nil, "logo_asset is null: make a mark with image_generate first.")
		if err := f.err(); err != nil {
			return brandRenderOut{}, err
		}
		logo, _, err := d.load(ctx, scope, *in.Logo)
		if err != nil {
			return brandRenderOut{}, err
		}
		out := brandRenderOut{Assets: []brandAsset{}}
		for i, item := range in.Items {
			asset, err := d.draw(ctx, scope, brand.Input{
				Template: item.Template, Palette: in.Palette, LogoPNG: logo,
				Name: scope.Token.Name, Ticker: scope.Token.Symbol, Texts: item.Texts,
			})
			if err != nil {
				return brandRenderOut{}, itemFault(i, err)
			}
			out.Assets = append(out.Assets, brandAsset{item.Template, asset})
		}
		return out, nil
	})
}

func (d Deps) draw(ctx context.Context, scope agent.Scope, in brand.Input) (app.Asset, error) {
	png, err := brand.Render(ctx, d.Renderer, in)
	if err != nil {
		return app.Asset{}, err
	}
	return d.Assets.SaveAsset(ctx, scope, strings.ReplaceAll(in.Template, "-", "_"), png)
}

// brandCatalogue tells the model of every template and its words.
func brandCatalogue() string {
	var out strings.Builder
	out.WriteString("Templates, with their words in order (most characters; ? may be empty):")
	for _, t := range brand.Templates() {
		var words []string
		for _, text := range t.Texts {
			mark := ""
			if !text.Required {
				mark = "?"
			}
			words = append(words, fmt.Sprintf("%s%s (%d)", text.Name, mark, text.Max))
		}
		fmt.Fprintf(&out, " %s %dx%d [%s];", t.Name, t.Width, t.Height, strings.Join(words, ", "))
	}
	return strings.TrimSuffix(out.String(), ";") + "."
}

// itemFault says which item failed, keeping a sentence for people one.
func itemFault(i int, err error) error {
	var known *app.Error
	if errors.As(err, &known) {
		return app.Errorf(known.Kind, "items[%d]: %s", i, known.Message)
	}
	return unreachable("The renderer", fmt.Errorf("draw items[%d]: %w", i, err))
}
