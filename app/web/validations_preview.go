package web

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/paths"
	"vivra/app/preflight"
	"vivra/views/ui"
)

// preview draws an output from what will be sent.
func (s *Server) preview(ctx context.Context, v app.Validation) (ui.Preview, error) {
	p := ui.Preview{Kind: v.Kind, Payload: v.Payload, Media: paths.Asset, Weigh: preflight.Length, Build: paths.Build}
	if calls, err := effects.Plan(v); err == nil { // one that can't be read is shown as it is
		for _, call := range calls {
			p.Prices = append(p.Prices, make([]app.Nano, call.Position-len(p.Prices))...)
			p.Prices = append(p.Prices, call.Price)
		}
	}
	for _, call := range outOf(v) {
		p.Out = append(p.Out, call.Link)
	}
	var err error
	if p.Sizes, err = s.sizes(ctx, v.Payload); err != nil {
		return p, err
	}
	switch v.Kind {
	case app.KindGoNoGo:
		p.Checks, err = s.reportChecks(ctx, v.OperationID)
	case app.KindSite, app.KindUtility:
		p.Report, err = s.buildReport(ctx, v)
	}
	return p, err
}

// outOf is what of an output went out under an earlier approval.
func outOf(v app.Validation) []app.OutCall {
	var f app.Frozen
	_ = json.Unmarshal(v.Frozen, &f) // a draft that is not frozen has nothing out
	return f.Out
}

var hash = regexp.MustCompile(`"[0-9a-f]{64}"`)

// sizes are those of the pictures in a payload.
func (s *Server) sizes(ctx context.Context, payload json.RawMessage) (map[string][2]int, error) {
	sizes := map[string][2]int{}
	for _, quoted := range hash.FindAllString(string(payload), 100) {
		sha256 := strings.Trim(quoted, `"`)
		if _, known := sizes[sha256]; known {
			continue
		}
		a, err := s.Store.AssetByHash(ctx, sha256)
		if app.KindOf(err) == app.NotFound {
			continue // a build's files
		}
		if err != nil {
			return nil, err
		}
		sizes[sha256] = [2]int{a.Width, a.Height}
	}
	return sizes, nil
}

// reportChecks are those of the operation's full report.
func (s *Server) reportChecks(ctx context.Context, operationID int64) (checks []ui.Check, err error) {
	steps, err := s.Store.Steps(ctx, operationID)
	for _, step := range steps {
		if step.Task == "scanner.full_report" && len(step.Output) > 0 {
			var report struct{ Checks []ui.Check }
			_ = json.Unmarshal(step.Output, &report) // a report without checks shows none
			checks = report.Checks
		}
	}
	return checks, err
}

// buildReport is what the tests or the check said of the output's build, nil
// when there is no such build of its operation.
func (s *Server) buildReport(ctx context.Context, v app.Validation) (*ui.Report, error) {
	var payload struct {
		BuildID string `json:"build_id"`
	}
	if json.Unmarshal(v.Payload, &payload) != nil {
		return nil, nil
	}
	build, operationID, err := s.Store.Build(ctx, payload.BuildID)
	if app.KindOf(err) == app.NotFound || err == nil && operationID != v.OperationID {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return ui.ReportOf(build.Report), nil
}
