package tools

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/agent"
)

type imageGenerateIn struct {
	Prompt string `json:"prompt" jsonschema:"what the picture shows, at most 1000 characters; no text in it, no real people"`
	Count  int    `json:"count" jsonschema:"how many pictures, 1 to 4"`
	Size   string `json:"size" jsonschema:"1024x1024, the only size"`
}

type imageGenerateOut struct {
	Assets []app.Asset `json:"assets"`
	Model  string      `json:"model"`
	Cost   app.Nano    `json:"cost_nusd"`
}

// ImageGenerate lets an agent have pictures made. It costs money for each.
func ImageGenerate(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "image_generate",
		Description: "Have an image model make pictures. Each costs money from the run's budget. Returns assets, to be named by their sha256.",
		Agents:      []string{designer},
		Risk:        agent.Write,
		Timeout:     4 * time.Minute,
	}, func(ctx context.Context, scope agent.Scope, in imageGenerateIn) (out imageGenerateOut, err error) {
		var f faults
		f.text("prompt", in.Prompt, 1, 1000)
		f.between("count", in.Count, 1, 4)
		f.need(in.Size == "1024x1024", "size must be 1024x1024.")
		if err := f.err(); err != nil {
			return out, err
		}
		// A process may have died after it paid for them.
		made, err := d.Assets.CallAssets(ctx, scope)
		if err != nil || len(made) == in.Count {
			return imageGenerateOut{Assets: made}, err
		}
		return d.generate(ctx, scope, in)
	})
}

// generate pays for the pictures and keeps them before the payment is booked,
// so that no paid one is lost. A failed call may have been billed, so its cost
// is unknown.
func (d Deps) generate(ctx context.Context, scope agent.Scope, in imageGenerateIn) (out imageGenerateOut, err error) {
	pictures := Purchase{Tool: "image_generate", Size: in.Size, Count: in.Count}
	if pictures.Model, pictures.Each, err = d.ImagePrice(ctx, in.Size); err != nil {
		return out, fmt.Errorf("price of an image: %w", err)
	}
	seed := scope.Slug + " " + scope.StepKey + " " + scope.CallID
	out.Assets = []app.Asset{}
	var failed error
	out.Cost, err = d.Charges.Charge(ctx, scope, pictures, func() (app.Nano, error) {
		var pngs [][]byte
		if pngs, out.Model, failed = d.Generate(ctx, in.Prompt, in.Size, seed, in.Count); failed != nil {
			return -1, failed
		}
		for _, png := range pngs {
			asset, err := d.Assets.SaveAsset(ctx, scope, "image", png)
			if err != nil {
				return pictures.Bound(), fmt.Errorf("save picture: %w", err)
			}
			out.Assets = append(out.Assets, asset)
		}
		return pictures.Bound(), nil
	})
	switch {
	case failed != nil:
		return imageGenerateOut{}, unreachable("The image model", failed)
	case err != nil:
		return imageGenerateOut{}, fmt.Errorf("pay for pictures: %w", err)
	}
	return out, nil
}
