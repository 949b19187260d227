package tools

import (
	"context"
	"fmt"
	"strings"

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
		risk := d.guard(scope).Risk(fmt.Sprintf("Gives a person the checklist for @%s. When they say that it is applied, name, bio and picture are read back from X; the step is done when they match. Costs nothing.", scope.XHandle),
			0, in.Name, in.Bio, in.URL)
		f := faults(risk.Problems)
		f.text("name", in.Name, 1, 50)
		f.text("bio", in.Bio, 1, 160)
		f.need(d.guard(scope).Allows(in.URL), "url must be the token's site or the live page.")
		if err := f.err(); err != nil {
			return validationOut{}, err
		}
		payload, err := d.profile(ctx, scope, in)
		if err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindProfile, payload, risk)
	})
}

// profile writes the checklist with the exact values.
func (d Deps) profile(ctx context.Context, scope agent.Scope, in xProfileUpdateIn) (p app.ProfilePayload, err error) {
	p = app.ProfilePayload{Account: scope.XHandle, Name: in.Name, Bio: in.Bio, URL: in.URL}
	picture, err := d.profileImage(ctx, scope, in.Picture, "Picture", "400x400", &p.Picture)
	if err != nil {
		return p, err
	}
	banner, err := d.profileImage(ctx, scope, in.Banner, "Banner", "1500x500", &p.Banner)
	if err != nil {
		return p, err
	}
	p.Checklist = []string{
		"Sign in to X as @" + scope.XHandle + " and open Edit profile.",
		"Name: " + in.Name,
		"Bio: " + in.Bio,
		"Website: " + in.URL,
		picture,
		banner,
		`Settings, Your account, Automation: the "automated" label is on and names the managing account.`,
		"Save, then say here that it is applied.",
	}
	return p, nil
}

// profileImage puts an image of the right size into the payload and returns
// its line of the checklist.
func (d Deps) profileImage(ctx context.Context, scope agent.Scope, sum *string, what, size string, into *app.Media) (string, error) {
	if sum == nil {
		return what + ": keep the one there is.", nil
	}
	_, asset, err := d.load(ctx, scope, *sum)
	if err != nil {
		return "", err
	}
	if got := fmt.Sprintf("%dx%d", asset.Width, asset.Height); got != size {
		return "", app.Errorf(app.Invalid, "The %s is %s: it must be %s.", strings.ToLower(what), got, size)
	}
	*into = app.Media{SHA256: asset.SHA256, MIME: asset.MIME, Alt: "Profile " + strings.ToLower(what)}
	return fmt.Sprintf("%s: upload the file %s (%s).", what, asset.SHA256, size), nil
}

var errNoAccount = app.Errorf(app.Conflict, "This operation has no account on X yet.")
