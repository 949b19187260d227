// Package desk is what the tools of agents reach for: the store, the blobs and
// the accounts, with tokens and locks behind it.
package desk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/png" // decodes what the renderer made
	"mime"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/sync/singleflight"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/postgres"
	"vivra/app/seal"
	"vivra/app/telegram"
	"vivra/app/telemetry"
	"vivra/app/tools"
	"vivra/app/x"
)

// Blobs keeps bytes by their SHA-256. app/blob implements it.
type Blobs interface {
	Put(ctx context.Context, b []byte, mime string) (sha256 string, err error)
	Get(ctx context.Context, sha256 string) ([]byte, error)
}

// Desk serves every tool. Its fields are set once.
type Desk struct {
	Store    *postgres.Store
	Blobs    Blobs
	X        *x.Client
	Telegram *telegram.Client
	Seal     *seal.Sealer
	Clock    clockwork.Clock
	// Wall is the time that people at other sites are given; nil: Clock.
	Wall clockwork.Clock
	// Lease is how long a process that pays for something is not taken for dead, a
	// minute when zero.
	Lease time.Duration
	// PublicURL is where the product itself is seen: texts may link there.
	PublicURL string
	// Reached is told each labelled point; tests kill the process there.
	Reached func(point string)

	renewals singleflight.Group // of tokens on X, by account
}

// ReadFile returns a section of the token file.
func (d *Desk) ReadFile(ctx context.Context, tokenID int64, section string) (json.RawMessage, int, error) {
	return d.Store.TokenFile(ctx, tokenID, section)
}

// WriteFile merges content into a section.
func (d *Desk) WriteFile(ctx context.Context, s agent.Scope, section string, content json.RawMessage) (int, error) {
	return d.Store.WriteFile(ctx, s.Claim, s.RunID, section, content, d.Clock.Now())
}

// Propose writes a pending validation.
func (d *Desk) Propose(ctx context.Context, s agent.Scope, kind app.ValidationKind, payload any, risk app.Risk) (string, error) {
	return d.Store.Propose(ctx, s.Claim, postgres.Proposal{RunID: s.RunID, CallID: s.CallID, Kind: kind, Payload: payload, Risk: risk}, d.Clock.Now())
}

// SaveAsset keeps a PNG for the operation.
func (d *Desk) SaveAsset(ctx context.Context, s agent.Scope, label string, png []byte) (app.Asset, error) {
	cfg, format, err := image.DecodeConfig(bytes.NewReader(png))
	if err != nil {
		return app.Asset{}, fmt.Errorf("read picture: %w", err)
	}
	sum, err := d.Blobs.Put(ctx, png, "image/"+format)
	if err != nil {
		return app.Asset{}, err
	}
	a := app.Asset{SHA256: sum, MIME: "image/" + format, Width: cfg.Width, Height: cfg.Height, Bytes: len(png), Label: label, CallID: s.CallID}
	return a, d.Store.AddAsset(ctx, s.Claim, s.RunID, a, d.Clock.Now())
}

// CallAssets returns what an earlier try of this very call saved.
func (d *Desk) CallAssets(ctx context.Context, s agent.Scope) ([]app.Asset, error) {
	return d.Store.AssetsOfCall(ctx, s.RunID, s.CallID)
}

// LoadAsset returns an image of the operation.
func (d *Desk) LoadAsset(ctx context.Context, operationID int64, sha256 string) ([]byte, app.Asset, error) {
	a, err := d.Store.Asset(ctx, operationID, sha256)
	if err != nil {
		return nil, a, err
	}
	b, err := d.Blobs.Get(ctx, sha256)
	return b, a, err
}

// AssetFile returns any asset's bytes, for those who know its hash.
func (d *Desk) AssetFile(ctx context.Context, sha256 string) ([]byte, string, error) {
	a, err := d.Store.AssetByHash(ctx, sha256)
	if err != nil {
		return nil, "", err
	}
	b, err := d.Blobs.Get(ctx, sha256)
	return b, a.MIME, err
}

// SaveBuild keeps a build file by file.
func (d *Desk) SaveBuild(ctx context.Context, s agent.Scope, b app.Build, files map[string][]byte) (app.Build, error) {
	b.Files = nil
	for name, content := range files {
		sum, err := d.Blobs.Put(ctx, content, "application/octet-stream")
		if err != nil {
			return b, err
		}
		b.Files = append(b.Files, app.BuildFile{Path: name, SHA256: sum})
	}
	slices.SortFunc(b.Files, func(a, b app.BuildFile) int { return strings.Compare(a.Path, b.Path) })
	if len(b.Fields) == 0 {
		b.Fields = json.RawMessage("{}")
	}
	b.ManifestSHA256 = app.NewBundle(files).ManifestSHA256
	id, err := d.Store.AddBuild(ctx, s.Claim, s.RunID, s.CallID, b, d.Clock.Now())
	b.ID = id
	return b, err
}

// LoadBuild returns a build of the operation with its files.
func (d *Desk) LoadBuild(ctx context.Context, operationID int64, id string) (app.Build, map[string][]byte, error) {
	b, owner, err := d.Store.Build(ctx, id)
	if err == nil && owner != operationID {
		err = app.Errorf(app.NotFound, "There is no such build.")
	}
	if err != nil {
		return b, nil, err
	}
	files := make(map[string][]byte, len(b.Files))
	for _, f := range b.Files {
		if files[f.Path], err = d.Blobs.Get(ctx, f.SHA256); err != nil {
			return b, nil, fmt.Errorf("read %s of the build: %w", f.Path, err)
		}
	}
	return b, files, nil
}

// BuildFile returns one file of a build and its type, for the preview.
func (d *Desk) BuildFile(ctx context.Context, buildID, name string) ([]byte, string, error) {
	b, _, err := d.Store.Build(ctx, buildID)
	if err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(b.Files, func(f app.BuildFile) bool { return f.Path == name })
	if i < 0 {
		return nil, "", app.Errorf(app.NotFound, "The build has no file %s.", name)
	}
	content, err := d.Blobs.Get(ctx, b.Files[i].SHA256)
	return content, mime.TypeByExtension(path.Ext(name)), err
}

// SaveReport keeps what a check said of a build.
func (d *Desk) SaveReport(ctx context.Context, s agent.Scope, id string, report any, passed bool) error {
	raw, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return d.Store.SetBuildReport(ctx, s.OperationID, id, raw, passed)
}

// RaiseAlert tells the team, once per kind and step.
func (d *Desk) RaiseAlert(ctx context.Context, s agent.Scope, kind, message string) error {
	return d.Store.RaiseAlert(ctx, s.OperationID, "agent_"+kind, s.StepKey, message, d.Clock.Now())
}

// Charge reserves the bound of a purchase, runs fn and settles at what it cost.
func (d *Desk) Charge(ctx context.Context, s agent.Scope, p tools.Purchase, fn func() (app.Nano, error)) (app.Nano, error) {
	grant, err := d.Store.ReserveCall(ctx, s.Claim, app.CallRequest{RunID: s.RunID, Agent: s.Agent, Kind: "image", Model: p.Model, Fixed: p.Bound(),
		Images: p.Count, Size: p.Size, RequestSHA256: app.SHA256Hex([]byte(s.CallID))}, d.Clock.Now())
	if err != nil {
		telemetry.Refused(ctx, err)
		return 0, err
	}
	span := telemetry.PaidCall(ctx, grant.ID, p.Model)
	defer span.End()
	cost, callErr := guarded(fn)
	span.Fail(callErr)
	out := app.CallOutcome{State: "settled", Cost: cost, Source: app.CostPriceList}
	if callErr != nil {
		out.State, out.Error = "failed", callErr.Error()
	}
	if cost < 0 {
		out.State, out.Source = "unknown", app.CostBound
	}
	line := app.EventLine{Kind: "tool_call", Agent: s.Agent, Step: s.StepKey, Tool: p.Tool, Summary: p.Tool}
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	err = d.Store.SettleCall(settle, s.Claim, s.RunID, 0, grant.ID, out, nil, line, d.Clock.Now())
	if err != nil && !errors.Is(err, postgres.ErrBooked) {
		span.Drop()
		return 0, err
	}
	if cost < 0 {
		cost = grant.Reserved
	}
	out.Cost = cost
	span.Booked(out)
	return cost, cmp.Or(err, callErr)
}

// guarded runs fn; when it blows up, nobody knows what it has cost.
func guarded(fn func() (app.Nano, error)) (cost app.Nano, err error) {
	defer func() {
		if p := recover(); p != nil {
			cost, err = -1, fmt.Errorf("a paid call panicked: %v", p)
		}
	}()
	return fn()
}

// Kit returns the operation's approved kit.
func (d *Desk) Kit(ctx context.Context, operationID int64) (tools.Kit, error) {
	var kit tools.Kit
	output, err := d.Store.DoneOutput(ctx, operationID, "designer.kit")
	if err != nil {
		return kit, err
	}
	directions, err := d.Store.DoneOutput(ctx, operationID, "designer.directions")
	if err != nil {
		return kit, err
	}
	return readKit(output, directions)
}
