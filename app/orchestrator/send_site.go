package orchestrator

import (
	"context"
	"vivra/app"
	"vivra/app/pages"
	"vivra/app/postgres"
)

func (o *Orchestrator) deploySite(ctx context.Context, a attempt, p app.SitePayload) (postgres.Sent, error) {
	files, err := o.build(ctx, a.OperationID, p.BuildID, p.ManifestSHA256, "site")
	if err != nil {
		return postgres.Sent{}, beforeSending(err)
	}
	return o.deploy(ctx, a, p.Host, files, "Published the site")
}

// deployUtility puts the utility on a page of the site: a deployment replaces
// the whole site, so both go out together.
func (o *Orchestrator) deployUtility(ctx context.Context, a attempt, p app.UtilityPayload) (postgres.Sent, error) {
	utility, err := o.build(ctx, a.OperationID, p.BuildID, p.ManifestSHA256, "utility")
	if err != nil {
		return postgres.Sent{}, beforeSending(err)
	}
	site, err := o.site(ctx, a.OperationID)
	if err != nil {
		return postgres.Sent{}, beforeSending(err)
	}
	return o.deploy(ctx, a, p.Host, app.NewBundle(site).Mount(p.Path, app.NewBundle(utility)).Files, "Published the utility")
}

// deploy asks for a deployment that carries the effect's key before it makes one.
func (o *Orchestrator) deploy(ctx context.Context, a attempt, host string, files map[string][]byte, summary string) (postgres.Sent, error) {
	if err := o.inTime(a); err != nil {
		return postgres.Sent{}, err
	}
	r, err := o.Sites.Deploy(ctx, pages.Deployment{Project: Label(a.OperationSlug), Host: host, Files: files, Key: a.Key})
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
