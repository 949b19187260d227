package web

import (
	"context"
	"encoding/json"

	"vivra/app"
	"vivra/app/edits"
	"vivra/views/admin"
)

// output reads all that a person should see of an output before deciding, or
// what became of it.
func (s *Server) output(ctx context.Context, v app.Validation) (o admin.Output, err error) {
	if o, err = s.outcome(ctx, v); err != nil {
		return o, err
	}
	if o.Preview, err = s.preview(ctx, v); err != nil {
		return o, err
	}
	if o.Mention, err = s.mention(ctx, v); err != nil {
		return o, err
	}
	o.Previous, err = s.previous(ctx, v)
	return o, err
}

// mention is the post of another account that an output replies to, nil for none:
// for the person who decides, and no part of what goes out.
func (s *Server) mention(ctx context.Context, v app.Validation) (*app.MentionRow, error) {
	to := v.Answers()
	if to == nil {
		return nil, nil
	}
	m, err := s.Store.MentionOfStep(ctx, v.StepID)
	if app.KindOf(err) == app.NotFound || err == nil && m.PostID != to.PostID {
		return nil, nil // the link to it is all that there is
	}
	return &m, err
}

// outcome is the part of an output that changes while it is looked at.
func (s *Server) outcome(ctx context.Context, v app.Validation) (o admin.Output, err error) {
	o = admin.Output{Validation: v, Editable: editable(v)}
	if len(v.Frozen) > 0 {
		if err := json.Unmarshal(v.Frozen, &o.Frozen); err != nil {
			return o, err
		}
	}
	settings, err := s.Store.Settings(ctx)
	if err != nil {
		return o, err
	}
	o.ByTwo = settings.SecondApprover && v.Kind.ByTwo()
	all, err := s.Store.Effects(ctx, v.OperationID)
	if err != nil {
		return o, err
	}
	o.Release = release(v, all, settings, s.Now())
	for _, e := range all {
		if e.ValidationID == v.ID {
			o.Effects = append(o.Effects, e)
		}
	}
	o.Newer, err = s.newer(ctx, v)
	return o, err
}

// newer is the draft that waits in the place of a decided or withdrawn one.
func (s *Server) newer(ctx context.Context, v app.Validation) (string, error) {
	if v.State == app.ValidationPending {
		return "", nil
	}
	waiting, err := s.Store.WaitingOf(ctx, v.OperationID)
	for _, item := range waiting {
		if item.StepKey == v.StepKey && item.ID != v.ID {
			return item.ID, err
		}
	}
	return "", err
}

// previous is what a draft is compared with: what the agent wrote, when people
// have edited it since, the same payload before it waited anew, or the draft
// that was rejected.
func (s *Server) previous(ctx context.Context, v app.Validation) (*app.Validation, error) {
	if v.Replaces == "" {
		return s.Store.PreviousDraft(ctx, v.ID)
	}
	before, err := s.Store.Validation(ctx, v.Replaces)
	for err == nil && before.EditedBy != "" && before.Replaces != "" {
		before, err = s.Store.Validation(ctx, before.Replaces)
	}
	return &before, err
}

// editable tells whether v has words that a person may change.
func editable(v app.Validation) bool {
	fields, err := edits.Fields(v.Kind, v.Payload)
	return err == nil && len(fields) > 0
}
