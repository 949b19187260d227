package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/pages"
	"vivra/app/postgres"
	"vivra/app/x"
)

// send makes the one call of an effect.
func (o *Orchestrator) send(ctx context.Context, e app.Effect) (postgres.Sent, error) {
	switch e.Kind {
	case effects.XPost:
		return with(e, func(p effects.Post) (postgres.Sent, error) { return o.sendPost(ctx, e, p) })
	case effects.XProfile:
		return with(e, func(p app.ProfilePayload) (postgres.Sent, error) { return o.readBack(ctx, p) })
	case effects.TGTitle:
		return with(e, func(p effects.Title) (postgres.Sent, error) {
			return said("Named the Telegram group"), o.Desk.Telegram.SetTitle(ctx, p.Chat, p.Title)
		})
	case effects.TGDescribe:
		return with(e, func(p effects.Description) (postgres.Sent, error) {
			return said("Described the Telegram group"), o.Desk.Telegram.SetDescription(ctx, p.Chat, p.Description)
		})
	case effects.TGMessage:
		return with(e, func(p effects.Message) (postgres.Sent, error) { return o.sendMessage(ctx, p) })
	case effects.TGPin:
		return with(e, func(p effects.Pin) (postgres.Sent, error) { return o.pin(ctx, e, p) })
	case effects.TGPoll:
		return with(e, func(p effects.Poll) (postgres.Sent, error) { return o.sendPoll(ctx, p) })
	case effects.SiteDeploy:
		return with(e, func(p app.SitePayload) (postgres.Sent, error) { return o.deploySite(ctx, e, p) })
	case effects.UtilDeploy:
		return with(e, func(p app.UtilityPayload) (postgres.Sent, error) { return o.deployUtility(ctx, e, p) })
	}
	return postgres.Sent{}, unknownKind(e.Kind)
}

// with reads an effect's request into the type that its kind has.
func with[T any](e app.Effect, fn func(T) (postgres.Sent, error)) (postgres.Sent, error) {
	var p T
	if err := json.Unmarshal(e.Request, &p); err != nil {
		return postgres.Sent{}, fmt.Errorf("read request: %w", err)
	}
	return fn(p)
}

func said(summary string) postgres.Sent {
	return postgres.Sent{Summary: summary, Receipt: map[string]string{}}
}

func (o *Orchestrator) sendPost(ctx context.Context, e app.Effect, p effects.Post) (postgres.Sent, error) {
	account, err := o.Desk.Account(ctx, p.Account)
	if err != nil {
		return postgres.Sent{}, beforeSending(err)
	}
	request := x.PostRequest{Text: p.Text, PollOptions: p.PollOptions, PollMinutes: p.PollMinutes, MadeWithAI: len(p.Media) > 0}
	if p.ReplyTo >= 0 {
		ids, err := o.Store.ProviderIDs(ctx, e.ValidationID)
		if err != nil {
			return postgres.Sent{}, beforeSending(err)
		}
		request.ReplyTo = ids[p.ReplyTo]
	}
	for _, m := range p.Media {
		id, err := o.upload(ctx, account.AccessToken, m)
		if err != nil {
			return postgres.Sent{}, beforeSending(err)
		}
		request.MediaIDs = append(request.MediaIDs, id)
	}
	id, err := o.Desk.X.CreatePost(ctx, account.AccessToken, request)
	if stale(err) {
		return postgres.Sent{}, beforeSending(err)
	}
	if err != nil {
		return postgres.Sent{}, err
	}
	return posted(p, id), nil
}

// beforeSending marks a fault that came before anything could be public: it is
// tried again, unless the platform refused for good.
func beforeSending(err error) error {
	var refused *x.APIError
	switch {
	case disconnected(err):
		return &notYet{reason: err.Error(), wait: lookAgain, cause: err}
	case stale(err):
		return &notYet{reason: err.Error(), wait: tryAgain}
	case errors.As(err, &refused) && !refused.RateLimited() && refused.Status < 500:
		return err
	}
	return &notYet{reason: err.Error(), wait: tryAgain}
}

// stale tells whether X no longer took the token: another process has renewed
// it since, so the next attempt has a fresh one.
func stale(err error) bool {
	var refused *x.APIError
	return errors.As(err, &refused) && refused.Unauthorized()
}

func posted(p effects.Post, id string) postgres.Sent {
	summary := "Posted on X"
	switch {
	case len(p.PollOptions) > 0:
		summary = "Opened the poll on X"
	case p.ReplyTo >= 0:
		summary = "Posted on X, in the thread"
	}
	return postgres.Sent{ProviderID: id, Link: "https://x.com/" + p.Account + "/status/" + id, Receipt: map[string]string{"post_id": id}, Summary: summary}
}

// upload sends a picture whose bytes are those that were approved.
func (o *Orchestrator) upload(ctx context.Context, token string, m app.Media) (string, error) {
	b, err := o.Desk.Blobs.Get(ctx, m.SHA256)
	if err != nil {
		return "", err
	}
	if app.SHA256Hex(b) != m.SHA256 {
		return "", app.Errorf(app.Conflict, "A picture is not the one that was approved.")
	}
	return o.Desk.X.UploadMedia(ctx, token, x.Upload{Bytes: b, MIME: m.MIME, Alt: m.Alt})
}

func (o *Orchestrator) sendMessage(ctx context.Context, p effects.Message) (postgres.Sent, error) {
	id, err := o.Desk.Telegram.SendMessage(ctx, p.Chat, p.Text)
	return postgres.Sent{ProviderID: strconv.FormatInt(id, 10), Receipt: map[string]int64{"message_id": id}, Summary: "Wrote in the Telegram group"}, err
}

func (o *Orchestrator) pin(ctx context.Context, e app.Effect, p effects.Pin) (postgres.Sent, error) {
	ids, err := o.Store.ProviderIDs(ctx, e.ValidationID)
	if err != nil {
		return postgres.Sent{}, err
	}
	message, err := strconv.ParseInt(ids[p.Position], 10, 64)
	if err != nil {
		return postgres.Sent{}, fmt.Errorf("find the message to pin: %w", err)
	}
	return said("Pinned the official address in the Telegram group"), o.Desk.Telegram.Pin(ctx, p.Chat, message)
}

func (o *Orchestrator) sendPoll(ctx context.Context, p effects.Poll) (postgres.Sent, error) {
	closes := o.Clock.Now().Add(time.Duration(p.Minutes) * time.Minute)
	id, poll, err := o.Desk.Telegram.SendPoll(ctx, p.Chat, p.Question, p.Options, closes)
	return postgres.Sent{ProviderID: strconv.FormatInt(id, 10), Receipt: map[string]any{"message_id": id, "poll_id": poll}, Summary: "Opened the poll on Telegram"}, err
}

func (o *Orchestrator) deploySite(ctx context.Context, e app.Effect, p app.SitePayload) (postgres.Sent, error) {
	files, err := o.frozen(ctx, e.OperationID, p.BuildID, p.ManifestSHA256)
	if err != nil {
		return postgres.Sent{}, err
	}
	return o.deploy(ctx, e, p.Host, files, "Published the site")
}

// deployUtility puts the utility on a page of the site: a deployment replaces
// the whole site, so both go out together.
func (o *Orchestrator) deployUtility(ctx context.Context, e app.Effect, p app.UtilityPayload) (postgres.Sent, error) {
	utility, err := o.frozen(ctx, e.OperationID, p.BuildID, p.ManifestSHA256)
	if err != nil {
		return postgres.Sent{}, err
	}
	buildID, err := o.Store.SiteBuild(ctx, e.OperationID)
	if err != nil {
		return postgres.Sent{}, err
	}
	_, site, err := o.Desk.LoadBuild(ctx, e.OperationID, buildID)
	if err != nil {
		return postgres.Sent{}, err
	}
	return o.deploy(ctx, e, p.Host, app.NewBundle(site).Mount(p.Path, app.NewBundle(utility)).Files, "Published the utility")
}

// frozen returns the files of a build, which must be those that were approved.
func (o *Orchestrator) frozen(ctx context.Context, operationID int64, buildID, manifest string) (map[string][]byte, error) {
	_, files, err := o.Desk.LoadBuild(ctx, operationID, buildID)
	if err != nil {
		return nil, err
	}
	if app.NewBundle(files).ManifestSHA256 != manifest {
		return nil, app.Errorf(app.Conflict, "The build is not the one that was approved.")
	}
	return files, nil
}

func (o *Orchestrator) deploy(ctx context.Context, e app.Effect, host string, files map[string][]byte, summary string) (postgres.Sent, error) {
	r, err := o.Sites.Deploy(ctx, pages.Deployment{Project: Label(e.OperationSlug), Host: host, Files: files, Key: e.Key})
	if err != nil {
		return postgres.Sent{}, err
	}
	return deployed(r, host, summary), nil
}

func deployed(r pages.Receipt, host, summary string) postgres.Sent {
	link := r.URL
	if host != "" {
		link = "https://" + host
	}
	return postgres.Sent{ProviderID: r.DeploymentID, Link: link, Receipt: r, Summary: summary}
}
