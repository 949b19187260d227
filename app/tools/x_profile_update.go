package tools

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
)

type xProfileUpdateIn struct {
	Name    string  `json:"name" jsonschema:"the account's display name, at most 50 characters"`
	Bio     string  `json:"bio" jsonschema:"the account's bio, at most 160 characters"`
	URL     string  `json:"url" jsonschema:"the link of the profile: the token's site, or the live page before there is one"`
	Picture *string `json:"picture_asset" jsonschema:"sha256 of the picture, 400x400; null keeps the one there is"`
	Banner  *string `json:"banner_asset" jsonschema:"sha256 of the banner, 1500x500; null keeps the one there is"`
}

// XProfileUpdate lets an agent propose how the account on X looks. The API has
// no call for it, so approval hands a checklist to a person.
func XProfileUpdate(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "x_profile_update",
		Description: "Propose the X account's name, bio, link, picture and banner. A person approves, applies them by hand, and the profile is read back.",
		Agents:      []string{cm},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in xProfileUpdateIn) (validationOut, error) {
		if scope.XHandle == "" {
			return validationOut{}, errNoAccount
		}
		payload, err := d.profile(ctx, scope, in)
		if err != nil {
			return validationOut{}, err
		}
		risk, err := d.guard(scope).profile(payload)
		if err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindProfile, payload, risk)
	})
}

// profile is what a person sees of a profile, and why it may not be applied.
func (g Guard) profile(p app.ProfilePayload) (app.Risk, error) {
	risk, f := g.judge(fmt.Sprintf("Gives a person the checklist for @%s. When they say that it is applied, name, bio and picture are read back from X; the step is done when they match. Costs nothing.", p.Account),
		0, part{"Name", p.Name}, part{"Bio", p.Bio}, part{"Website", p.URL})
	f.text("Name", p.Name, 1, app.MaxProfileName)
	f.text("Bio", p.Bio, 1, app.MaxProfileBio)
	f.need(g.Allows(p.URL), "Website must be the token's site or the live page.")
	return risk, f.err()
}

// profile writes the checklist with the exact values.
func (d Deps) profile(ctx context.Context, scope agent.Scope, in xProfileUpdateIn) (p app.ProfilePayload, err error) {
	p = app.ProfilePayload{Account: scope.XHandle, Name: in.Name, Bio: in.Bio, URL: in.URL}
	if err := d.profileImage(ctx, scope, in.Picture, "picture", "400x400", &p.Picture); err != nil {
		return p, err
	}
	if err := d.profileImage(ctx, scope, in.Banner, "banner", "1500x500", &p.Banner); err != nil {
		return p, err
	}
	p.Checklist = p.Lines()
	return p, nil
}

// profileImage puts an image of the right size into the payload.
func (d Deps) profileImage(ctx context.Context, scope agent.Scope, sum *string, what, size string, into *app.Media) error {
	if sum == nil {
		return nil
	}
	_, asset, err := d.load(ctx, scope, *sum)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%dx%d", asset.Width, asset.Height); got != size {
		return app.Errorf(app.Invalid, "The %s is %s: it must be %s.", what, got, size)
	}
	*into = app.Media{SHA256: asset.SHA256, MIME: asset.MIME, Alt: "Profile " + what}
	return nil
}

var errNoAccount = app.Errorf(app.Conflict, "This operation has no account on X yet.")
