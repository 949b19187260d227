package orchestrator

import (
	"context"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres"
	"vivra/app/x"
)

// find looks for an effect at its platform. errCannotTell means that the
// platform can't be asked.
func (o *Orchestrator) find(ctx context.Context, e app.Effect) (sent postgres.Sent, found bool, err error) {
	switch e.Kind {
	case effects.XPost:
		sent, err = with(e, func(p effects.Post) (postgres.Sent, error) { return o.findPost(ctx, e, p) })
		return sent, sent.ProviderID != "", err
	}
	if harmless(e.Kind) {
		return sent, false, nil
	}
	return sent, false, errCannotTell
}

// harmless tells whether making a call once more changes nothing when it had
// gone through. A deployment is known by its key: what is missing of it is done.
func harmless(kind string) bool {
	switch kind {
	case effects.TGTitle, effects.TGDescribe, effects.TGPin, effects.XProfile, effects.SiteDeploy, effects.UtilDeploy:
		return true
	}
	return false
}

// findPost looks for the exact text on the account's own timeline, written
// since its approval, by whichever attempt, and answering the same post.
func (o *Orchestrator) findPost(ctx context.Context, e app.Effect, p effects.Post) (postgres.Sent, error) {
	account, err := o.Desk.Account(ctx, p.Account)
	if err != nil {
		return postgres.Sent{}, err
	}
	parent := ""
	if p.ReplyTo >= 0 {
		ids, err := o.Store.ProviderIDs(ctx, e.ValidationID)
		if err != nil {
			return postgres.Sent{}, err
		}
		parent = ids[p.ReplyTo]
	}
	posts, err := o.Desk.X.Timeline(ctx, account.AccessToken, account.UserID, 100)
	if err != nil {
		return postgres.Sent{}, err
	}
	v, err := o.Store.Validation(ctx, e.ValidationID)
	if err != nil {
		return postgres.Sent{}, err
	}
	for _, post := range posts {
		since := v.DecidedAt == nil || !post.CreatedAt.Before(v.DecidedAt.Truncate(time.Second))
		if since && x.SameText(p.Text, post.Text) && (parent == "" || post.ParentID == parent) {
			return posted(p, post.ID), nil
		}
	}
	return postgres.Sent{}, nil
}
