package orchestrator

import (
	"context"

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
	case effects.SiteDeploy:
		sent, err = with(e, func(p app.SitePayload) (postgres.Sent, error) {
			return o.findDeployment(ctx, e, p.Host, "Published the site")
		})
		return sent, sent.ProviderID != "", err
	case effects.UtilDeploy:
		sent, err = with(e, func(p app.UtilityPayload) (postgres.Sent, error) {
			return o.findDeployment(ctx, e, p.Host, "Published the utility")
		})
		return sent, sent.ProviderID != "", err
	case effects.TGTitle, effects.TGDescribe, effects.TGPin, effects.XProfile:
		return sent, false, nil // the same again changes nothing
	}
	return sent, false, errCannotTell
}

// findPost looks for the exact text on the account's own timeline, written
// since the attempt and answering the same post.
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
	for _, post := range posts {
		since := e.AttemptedAt == nil || !post.CreatedAt.Before(e.AttemptedAt.Truncate(1e9))
		if since && x.SameText(p.Text, post.Text) && (parent == "" || post.ParentID == parent) {
			return posted(p, post.ID), nil
		}
	}
	return postgres.Sent{}, nil
}

func (o *Orchestrator) findDeployment(ctx context.Context, e app.Effect, host, summary string) (postgres.Sent, error) {
	r, found, err := o.Sites.Find(ctx, Label(e.OperationSlug), e.Key)
	if err != nil || !found {
		return postgres.Sent{}, err
	}
	return deployed(r, host, summary), nil
}
