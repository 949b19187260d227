package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vivra/app"
)

const (
	branch = "main"
	// maxLooks bounds how often an unfinished deployment is looked at.
	maxLooks = 60
	// maxPages bounds how far back Find searches, 25 deployments a page.
	maxPages = 40
)

// Deploy uploads the files as a new version of the project, checks every one of
// them on the version's own address, and only then gives the site its host
// name. It may be called again with the same key after any error.
func (h *Host) Deploy(ctx context.Context, d Deployment) (Receipt, error) {
	b, err := newBundle(d.Files)
	if err != nil {
		return Receipt{}, err
	}
	if d.Key == "" || strings.ContainsAny(d.Key, " \n") {
		return Receipt{}, app.Errorf(app.Invalid, "A deployment needs a key without spaces.")
	}
	project, err := h.ensureProject(ctx, d.Project)
	if err != nil {
		return Receipt{}, fmt.Errorf("deploy %s: %w", d.Project, err)
	}
	receipt, err := h.ensureDeployment(ctx, d, b)
	if err != nil {
		return Receipt{}, fmt.Errorf("deploy %s: %w", d.Project, err)
	}
	if err := h.verify(ctx, receipt.URL, b); err != nil {
		return Receipt{}, fmt.Errorf("deploy %s: %w", d.Project, err)
	}
	if d.Host != "" {
		if err := h.attach(ctx, project, d.Host); err != nil {
			return Receipt{}, fmt.Errorf("deploy %s: %w", d.Project, err)
		}
	}
	return receipt, nil
}

func (h *Host) ensureDeployment(ctx context.Context, d Deployment, b bundle) (Receipt, error) {
	receipt, found, err := h.Find(ctx, d.Project, d.Key)
	if err != nil {
		return receipt, err
	}
	if !found {
		if err := h.upload(ctx, d.Project, b); err != nil {
			return receipt, err
		}
		if receipt, err = h.create(ctx, d, b); err != nil {
			return receipt, err
		}
	}
	if receipt.ManifestSHA256 != b.sha256 {
		return receipt, app.Errorf(app.Conflict, "The key %s has already deployed other files.", d.Key)
	}
	return receipt, h.finished(ctx, d.Project, receipt.DeploymentID)
}

// Find returns the deployment that carries the key, if there is one.
func (h *Host) Find(ctx context.Context, project, key string) (Receipt, bool, error) {
	for page := range maxPages {
		var list []deploymentObject
		path := h.projectPath(project) + "/deployments?per_page=25&page=" + strconv.Itoa(page+1)
		err := h.patiently(ctx, func() error { return h.get(ctx, path, &list) })
		if isStatus(err, http.StatusNotFound) {
			return Receipt{}, false, nil
		}
		if err != nil {
			return Receipt{}, false, fmt.Errorf("list deployments: %w", err)
		}
		for _, d := range list {
			if message, ok := parseMessage(d.Trigger.Metadata.Message); ok && message.key == key {
				return message.receipt(d), true, nil
			}
		}
		if len(list) < 25 {
			return Receipt{}, false, nil
		}
	}
	return Receipt{}, false, errors.New("the project has more deployments than can be looked through: delete old ones")
}

type projectObject struct {
	Name      string `json:"name"`
	Subdomain string `json:"subdomain"` // name.pages.dev, or a variant when that was taken
}

// ensureProject creates the project unless it is there.
func (h *Host) ensureProject(ctx context.Context, name string) (projectObject, error) {
	var p projectObject
	err := h.patiently(ctx, func() error { return h.get(ctx, h.projectPath(name), &p) })
	if !isStatus(err, http.StatusNotFound) {
		return p, err
	}
	in := map[string]string{"name": name, "production_branch": branch}
	if err := h.post(ctx, h.accountPath()+"/pages/projects", h.cfg.Token, in, &p); err != nil {
		return p, fmt.Errorf("create project: %w", err)
	}
	return p, nil
}

type deploymentObject struct {
	ID          string `json:"id"`
	URL         string `json:"url"`
	LatestStage struct {
		Name   string `json:"name"`
		Status string `json:"status"` // idle, active, success, failure, canceled
	} `json:"latest_stage"`
	Trigger struct {
		Metadata struct {
			Message string `json:"commit_message"`
		} `json:"metadata"`
	} `json:"deployment_trigger"`
}

// create is the one call that must not be repeated blindly: Find comes first.
func (h *Host) create(ctx context.Context, d Deployment, b bundle) (Receipt, error) {
	message := message{key: d.Key, manifest: b.sha256, files: len(b.content), bytes: b.bytes}
	body, contentType, err := deploymentForm(message, b)
	if err != nil {
		return Receipt{}, err
	}
	var created deploymentObject
	path := h.projectPath(d.Project) + "/deployments"
	if err := h.do(ctx, request{http.MethodPost, path, h.cfg.Token, contentType, body}, &created); err != nil {
		return Receipt{}, fmt.Errorf("create deployment: %w", err)
	}
	return message.receipt(created), nil
}

// finished waits until the deployment is live.
func (h *Host) finished(ctx context.Context, project, id string) error {
	for range maxLooks {
		var d deploymentObject
		path := h.projectPath(project) + "/deployments/" + url.PathEscape(id)
		if err := h.patiently(ctx, func() error { return h.get(ctx, path, &d) }); err != nil {
			return fmt.Errorf("read deployment: %w", err)
		}
		switch stage := d.LatestStage; {
		case stage.Name == "deploy" && stage.Status == "success":
			return nil
		case stage.Status == "failure" || stage.Status == "canceled":
			return fmt.Errorf("the deployment ended at stage %s with %s", capped(stage.Name), stage.Status)
		}
		if err := h.cfg.Wait(ctx, time.Second); err != nil {
			return err
		}
	}
	return &unknownError{errors.New("the deployment is still not live")}
}

func (h *Host) accountPath() string { return "/accounts/" + url.PathEscape(h.cfg.AccountID) }

func (h *Host) projectPath(name string) string {
	return h.accountPath() + "/pages/projects/" + url.PathEscape(name)
}
