package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// TokenFile returns a section's newest content and version; {} and 0 when it
// was never written.
func (s *Store) TokenFile(ctx context.Context, tokenID int64, section string) (json.RawMessage, int, error) {
	return s.tokenFile(ctx, s.pool, tokenID, section)
}

func (s *Store) tokenFile(ctx context.Context, db dbsqlc.DBTX, tokenID int64, section string) (json.RawMessage, int, error) {
	row, err := s.q.TokenFile(ctx, db, dbsqlc.TokenFileParams{TokenID: tokenID, Section: section})
	if noRows(err) {
		return json.RawMessage("{}"), 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read token file: %w", err)
	}
	return row.Content, row.Version, nil
}

// WriteFile merges content into the section of a claimed step, as a new
// version. The outputs that code lands there, under their tasks' dotted names,
// can't be overwritten.
func (s *Store) WriteFile(ctx context.Context, c app.Claim, runID, section string, content json.RawMessage, now time.Time) (version int, err error) {
	var add map[string]json.RawMessage
	if err := json.Unmarshal(content, &add); err != nil {
		return 0, app.Errorf(app.Invalid, "A section is a JSON object: %v.", err)
	}
	for key := range add {
		if strings.Contains(key, ".") {
			return 0, app.Errorf(app.Invalid, "%q is not yours to write: names with a dot are the outputs of tasks.", key)
		}
	}
	err = s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		version, err = t.merge(ctx, section, runID, add)
		return err
	})
	return version, err
}

// land puts a finished step's output in the token file under its task's name.
func (t *opTx) land(ctx context.Context, st app.Step) error {
	section := app.SectionOf(st.Agent, st.Task)
	if section == "" || len(st.Output) == 0 || st.Continuous { // which come without end
		return nil
	}
	_, err := t.merge(ctx, section, "", map[string]json.RawMessage{st.Task: st.Output})
	return err
}

func (t *opTx) merge(ctx context.Context, section, runID string, add map[string]json.RawMessage) (int, error) {
	raw, version, err := t.store.tokenFile(ctx, t, t.op.Token.ID, section)
	if err != nil {
		return 0, err
	}
	content := make(map[string]json.RawMessage)
	if err := json.Unmarshal(raw, &content); err != nil {
		return 0, fmt.Errorf("read section %s: %w", section, err)
	}
	if holds(content, add) {
		return version, nil // a process died after it wrote this, and it is written again
	}
	maps.Copy(content, add)
	p := dbsqlc.WriteTokenFileParams{TokenID: t.op.Token.ID, Section: section, Content: mustJSON(content), CreatedAt: t.now}
	if runID != "" {
		p.AuthorRun = &runID
	}
	version, err = t.store.q.WriteTokenFile(ctx, t, p)
	if err != nil {
		return 0, fmt.Errorf("write section %s: %w", section, err)
	}
	return version, nil
}

// holds tells whether a section says all that is to be added already.
func holds(content, add map[string]json.RawMessage) bool {
	for key, value := range add {
		var old, fresh any
		if json.Unmarshal(content[key], &old) != nil || json.Unmarshal(value, &fresh) != nil || !reflect.DeepEqual(old, fresh) {
			return false
		}
	}
	return len(add) > 0
}

// AddAsset records an image of a claimed step.
func (s *Store) AddAsset(ctx context.Context, c app.Claim, runID string, a app.Asset, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		err := s.q.SaveAsset(ctx, t, dbsqlc.SaveAssetParams{OperationID: c.OperationID, Sha256: a.SHA256, StepID: c.StepID, RunID: runID, CallID: a.CallID,
			Label: a.Label, Mime: a.MIME, Width: a.Width, Height: a.Height, Bytes: a.Bytes, CreatedAt: now})
		if err != nil {
			return fmt.Errorf("record asset: %w", err)
		}
		return nil
	})
}

// Asset returns an operation's asset.
func (s *Store) Asset(ctx context.Context, operationID int64, sha256 string) (app.Asset, error) {
	row, err := s.q.Asset(ctx, s.pool, dbsqlc.AssetParams{OperationID: operationID, Sha256: sha256})
	if err != nil {
		return app.Asset{}, notFound(err, "asset")
	}
	return assetOf(row), nil
}

// AssetsOfCall returns the images that one tool call of a run made.
func (s *Store) AssetsOfCall(ctx context.Context, runID, callID string) ([]app.Asset, error) {
	rows, err := s.q.AssetsOfCall(ctx, s.pool, dbsqlc.AssetsOfCallParams{RunID: runID, CallID: callID})
	if err != nil {
		return nil, fmt.Errorf("look for the call's images: %w", err)
	}
	out := make([]app.Asset, len(rows))
	for i, r := range rows {
		out[i] = assetOf(r)
	}
	return out, nil
}

// AssetByHash returns any operation's asset of that content.
func (s *Store) AssetByHash(ctx context.Context, sha256 string) (app.Asset, error) {
	row, err := s.q.AssetByHash(ctx, s.pool, sha256)
	if err != nil {
		return app.Asset{}, notFound(err, "asset")
	}
	return assetOf(row), nil
}

func assetOf(r dbsqlc.Asset) app.Asset {
	return app.Asset{SHA256: r.Sha256, MIME: r.Mime, Width: r.Width, Height: r.Height, Bytes: r.Bytes, Label: r.Label, CallID: r.CallID, StepID: r.StepID}
}

// AddBuild records a build of a claimed step, once per (run, call).
func (s *Store) AddBuild(ctx context.Context, c app.Claim, runID, callID string, b app.Build, now time.Time) (id string, err error) {
	err = s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		id, err = s.q.CreateBuild(ctx, t, dbsqlc.CreateBuildParams{OperationID: c.OperationID, StepID: c.StepID, RunID: runID, CallID: callID,
			Kind: b.Kind, Template: b.Template, Fields: b.Fields, Files: mustJSON(b.Files), ManifestSha256: b.ManifestSHA256, Pages: b.Pages, Bytes: b.Bytes, CreatedAt: now})
		if err != nil {
			return fmt.Errorf("record build: %w", err)
		}
		return nil
	})
	return id, err
}

// Build returns a build and the operation it belongs to.
func (s *Store) Build(ctx context.Context, id string) (app.Build, int64, error) {
	r, err := s.q.Build(ctx, s.pool, id)
	if err != nil {
		return app.Build{}, 0, notFound(err, "build")
	}
	b := app.Build{ID: r.ID, Kind: r.Kind, Template: r.Template, Fields: r.Fields, ManifestSHA256: r.ManifestSha256, Pages: r.Pages,
		Bytes: r.Bytes, Report: r.Report, Passed: r.Passed, StepID: r.StepID}
	if err := json.Unmarshal(r.Files, &b.Files); err != nil {
		return b, 0, fmt.Errorf("read build's files: %w", err)
	}
	return b, r.OperationID, nil
}

// SetBuildReport stores what a check or a test run said of a build.
func (s *Store) SetBuildReport(ctx context.Context, operationID int64, id string, report json.RawMessage, passed bool) error {
	if err := s.q.SetBuildReport(ctx, s.pool, dbsqlc.SetBuildReportParams{Report: report, Passed: passed, ID: id, OperationID: operationID}); err != nil {
		return fmt.Errorf("store report: %w", err)
	}
	return nil
}
