package orchestrator

import (
	"context"
	"errors"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres"
	"vivra/app/x"
)

func (o *Orchestrator) sendPost(ctx context.Context, a attempt, p effects.Post) (postgres.Sent, error) {
	made, ok, err := o.madeInDoubt(ctx, a.Effect, p.Account)
	switch {
	case errors.Is(err, errCannotTell):
		return made, err
	case ok || err != nil:
		return made, beforeSending(err)
	}
	token, request, err := o.preparePost(ctx, a, p)
	if err != nil {
		return postgres.Sent{}, beforeSending(err)
	}
	id, err := o.Desk.X.CreatePost(ctx, token, request)
	switch {
	case stale(err):
		return postgres.Sent{}, beforeSending(err)
	case err != nil:
		return postgres.Sent{}, err
	}
	return posted(p, id), nil
}

// madeInDoubt looks for what an attempt has made that was in doubt and not found:
// by now it may be shown, and X may have forgotten that it has the text. What
// can't be looked for stays in doubt: nobody sends it blindly.
func (o *Orchestrator) madeInDoubt(ctx context.Context, e app.Effect, account string) (postgres.Sent, bool, error) {
	doubted, err := o.Store.DoubtedBefore(ctx, e.ID)
	if err != nil || doubted == nil {
		return postgres.Sent{}, false, err
	}
	if _, err := o.account(ctx, e, account); err != nil {
		return postgres.Sent{}, false, err
	}
	return o.find(ctx, e)
}

// preparePost does everything that comes before the post is public.
func (o *Orchestrator) preparePost(ctx context.Context, a attempt, p effects.Post) (token string, request x.PostRequest, err error) {
	request = x.PostRequest{Text: p.Text, PollOptions: p.PollOptions, PollMinutes: p.PollMinutes, MadeWithAI: len(p.Media) > 0}
	account, err := o.account(ctx, a.Effect, p.Account)
	if err != nil {
		return "", request, err
	}
	if request.ReplyTo, err = o.parent(ctx, a.Effect, p); err != nil {
		return "", request, err
	}
	if request.MediaIDs, err = o.pictures(ctx, a, account.AccessToken, p.Media); err != nil {
		return "", request, err
	}
	return account.AccessToken, request, o.inTime(a)
}

// parent is the number of the post that a post replies to, "" for none.
func (o *Orchestrator) parent(ctx context.Context, e app.Effect, p effects.Post) (string, error) {
	if p.Answers != "" {
		return p.Answers, nil
	}
	return o.answered(ctx, e, p.ReplyTo)
}

func posted(p effects.Post, id string) postgres.Sent {
	summary := "Posted on X"
	switch {
	case len(p.PollOptions) > 0:
		summary = "Opened the poll on X"
	case p.Answers != "":
		summary = "Answered a mention on X"
	case p.ReplyTo >= 0:
		summary = "Posted on X, in the thread"
	}
	return postgres.Sent{ProviderID: id, Link: "https://x.com/" + p.Account + "/status/" + id, Receipt: map[string]string{"post_id": id}, Summary: summary}
}
