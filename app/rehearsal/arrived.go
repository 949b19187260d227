package rehearsal

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"vivra/app"
	"vivra/app/effects"
)

// arrived is an effect's request as its local server has it, in the type of
// that which was approved; nil when a later call has taken its place.
func (r *rehearsal) arrived(ctx context.Context, e app.EffectStatus, approved json.RawMessage, there arrivals) (json.RawMessage, error) {
	group, _ := r.world.Telegram.Group(TelegramChat)
	switch e.Kind {
	case effects.XPost:
		return rebuilt(approved, func(p *effects.Post) { r.world.post(p, e, there) })
	case effects.TGMessage:
		m := there.messages[e.ProviderID]
		return rebuilt(approved, func(p *effects.Message) { p.Chat, p.Text = m.Chat, m.Text })
	case effects.TGPoll:
		m := there.messages[e.ProviderID]
		poll := there.polls[m.PollID]
		return rebuilt(approved, func(p *effects.Poll) {
			p.Chat, p.Question, p.Options, p.Minutes = m.Chat, m.Text, append(p.Options[:0], poll.Options...), minutes(m.At, poll.Closes)
		})
	case effects.SiteDeploy:
		return rebuilt(approved, func(p *app.SitePayload) {
			p.ManifestSHA256 = app.NewBundle(there.deployments[e.ProviderID].Files).ManifestSHA256
		})
	case effects.UtilDeploy:
		return r.utility(ctx, e, approved, there)
	}
	if there.last[e.Kind] != e.Key {
		return nil, nil
	}
	switch e.Kind {
	case effects.TGTitle:
		return rebuilt(approved, func(p *effects.Title) { p.Title = group.Title })
	case effects.TGDescribe:
		return rebuilt(approved, func(p *effects.Description) { p.Description = group.Description })
	case effects.TGPin:
		return rebuilt(approved, func(p *effects.Pin) { p.Position = there.position(e, strconv.FormatInt(group.PinnedID, 10)) })
	}
	return rebuilt(approved, func(p *app.ProfilePayload) { p.Name, p.Bio, p.URL = r.world.X.Profile(xAccountID) })
}

// rebuilt replaces in a request what a local server knows better.
func rebuilt[T any](approved json.RawMessage, there func(*T)) (json.RawMessage, error) {
	var request T
	if err := json.Unmarshal(approved, &request); err != nil {
		return nil, err
	}
	there(&request)
	return app.CanonicalJSON(request)
}

func minutes(from, to time.Time) int { return int(to.Sub(from).Round(time.Minute) / time.Minute) }

// post is what X has of a post: each word, each picture's bytes and what stands for it.
func (w *World) post(p *effects.Post, e app.EffectStatus, there arrivals) {
	got := there.posts[e.ProviderID]
	p.Text, p.PollMinutes = got.Text, 0
	if p.Answers != "" {
		p.Answers = got.ReplyTo
	} else {
		p.ReplyTo = there.position(e, got.ReplyTo)
	}
	p.Media, p.PollOptions = p.Media[:0], p.PollOptions[:0]
	if got.Account != xAccountID {
		p.Account = "of another account: " + got.Account
	}
	for _, m := range got.Media {
		p.Media = append(p.Media, app.Media{SHA256: app.SHA256Hex(m.Bytes), MIME: m.MIME, Alt: m.Alt})
	}
	if got.Poll != nil {
		p.PollOptions, p.PollMinutes = append(p.PollOptions, got.Poll.Options...), minutes(got.At, got.Poll.Closes)
	}
}

// utility is a utility's request when its files lie on its page, with the site
// around them as it was, under the list of files that was approved.
func (r *rehearsal) utility(ctx context.Context, e app.EffectStatus, approved json.RawMessage, there arrivals) (json.RawMessage, error) {
	var p app.UtilityPayload
	if err := json.Unmarshal(approved, &p); err != nil {
		return nil, err
	}
	last, err := r.app.Store.LastRequest(ctx, r.op.ID, effects.SiteDeploy)
	if err != nil {
		return nil, err
	}
	var around app.SitePayload
	if err := json.Unmarshal(last, &around); err != nil {
		return nil, err
	}
	_, site, err := r.app.Desk.LoadBuild(ctx, r.op.ID, around.BuildID)
	if err != nil {
		return nil, err
	}
	_, utility, err := r.app.Desk.LoadBuild(ctx, r.op.ID, p.BuildID)
	if err != nil {
		return nil, err
	}
	want := app.NewBundle(site).Mount(p.Path, app.NewBundle(utility))
	p.ManifestSHA256 = app.NewBundle(utility).ManifestSHA256
	if app.NewBundle(there.deployments[e.ProviderID].Files).ManifestSHA256 != want.ManifestSHA256 {
		p.ManifestSHA256 = "of other files"
	}
	return app.CanonicalJSON(p)
}
