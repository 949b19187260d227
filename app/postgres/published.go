package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// Sent is what a provider answered to a publication.
type Sent struct {
	ProviderID string
	Link       string
	Receipt    any
	Summary    string
}

// EffectDone books a publication that went out; the last one of a validation
// completes the step.
func (s *Store) EffectDone(ctx context.Context, e app.Effect, sent Sent, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		return t.effectDone(ctx, row, e.StepKey, sent)
	})
}

func (t *opTx) effectDone(ctx context.Context, row dbsqlc.Effect, stepKey string, sent Sent) error {
	if row.State == app.EffectAttempting { // an older one says nothing of credits
		if err := t.releaseAccount(ctx, row); err != nil {
			return err
		}
	}
	cost := effects.PostPrice(effectOfRow(row, "", stepKey)) + row.ChargedNusd
	err := t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectDone, ProviderID: sent.ProviderID, Link: sent.Link,
		Receipt: mustJSON(sent.Receipt), CostNusd: cost})
	if err != nil {
		return err
	}
	line := app.EventLine{Kind: "publication", Agent: "system", Step: stepKey, Summary: sent.Summary, Link: sent.Link, Cost: cost}
	if cost > 0 {
		line.CostSource, line.Model = string(app.CostPriceList), "x"
	}
	t.add(line)
	if err := t.book(ctx, row.ReservedNusd, cost); err != nil {
		return err
	}
	st, err := t.store.q.Step(ctx, t, row.StepID)
	if err != nil {
		return notFound(err, "step")
	}
	if err := t.spendShare(ctx, st.Agent, cost); err != nil {
		return err
	}
	if err := t.remember(ctx, row, sent); err != nil {
		return err
	}
	left, err := t.store.q.OpenEffectsOfValidation(ctx, t, row.ValidationID)
	if err != nil {
		return fmt.Errorf("count open effects: %w", err)
	}
	if left > 0 {
		return nil
	}
	if st.State != app.StepWaiting {
		return nil // the operation was stopped while the last call was under way
	}
	return t.completeStep(ctx, stepOf(st))
}

// remember keeps what later steps and pages need of a publication.
func (t *opTx) remember(ctx context.Context, row dbsqlc.Effect, sent Sent) error {
	switch row.Kind {
	case effects.XPost:
		return t.rememberXPoll(ctx, row, sent)
	case effects.TGPoll:
		return t.rememberTelegramPoll(ctx, row, sent)
	case effects.SiteDeploy:
		var p app.SitePayload
		if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
			return fmt.Errorf("read site: %w", err)
		}
		return t.store.q.SaveSite(ctx, t, dbsqlc.SaveSiteParams{OperationID: t.op.ID, Host: p.Host, BuildID: p.BuildID, DeploymentID: sent.ProviderID, Url: sent.Link, DeployedAt: t.now})
	case effects.UtilDeploy:
		var p app.UtilityPayload
		if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
			return fmt.Errorf("read utility: %w", err)
		}
		return t.store.q.SaveUtility(ctx, t, dbsqlc.SaveUtilityParams{OperationID: t.op.ID, BuildID: p.BuildID, DeploymentID: sent.ProviderID, Url: sent.Link, DeployedAt: t.now})
	}
	return nil
}

func (t *opTx) rememberXPoll(ctx context.Context, row dbsqlc.Effect, sent Sent) error {
	var p effects.Post
	if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
		return fmt.Errorf("read post: %w", err)
	}
	if len(p.PollOptions) == 0 {
		return nil
	}
	closes := t.now.Add(time.Duration(p.PollMinutes) * time.Minute)
	if err := t.savePoll(ctx, row, p.Text, p.PollOptions, closes); err != nil {
		return err
	}
	return t.store.q.SetPollX(ctx, t, dbsqlc.SetPollXParams{XPostID: sent.ProviderID, ClosesAt: &closes, OperationID: t.op.ID})
}

func (t *opTx) rememberTelegramPoll(ctx context.Context, row dbsqlc.Effect, sent Sent) error {
	var p effects.Poll
	if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
		return fmt.Errorf("read poll: %w", err)
	}
	var ids struct {
		MessageID int64  `json:"message_id"`
		PollID    string `json:"poll_id"`
	}
	if err := json.Unmarshal(mustJSON(sent.Receipt), &ids); err != nil {
		return fmt.Errorf("read poll's receipt: %w", err)
	}
	closes := t.now.Add(time.Duration(p.Minutes) * time.Minute)
	if err := t.savePoll(ctx, row, p.Question, p.Options, closes); err != nil {
		return err
	}
	return t.store.q.SetPollTelegram(ctx, t, dbsqlc.SetPollTelegramParams{TelegramChat: p.Chat, TelegramMessageID: ids.MessageID,
		TelegramPollID: ids.PollID, ClosesAt: &closes, OperationID: t.op.ID})
}

// savePoll records the poll and holds its results' step back until every
// channel has had its full time.
func (t *opTx) savePoll(ctx context.Context, row dbsqlc.Effect, question string, options []string, closes time.Time) error {
	q := t.store.q
	if err := q.SavePoll(ctx, t, dbsqlc.SavePollParams{OperationID: t.op.ID, StepID: row.StepID, Question: question, Options: options}); err != nil {
		return fmt.Errorf("save poll: %w", err)
	}
	hold := closes.Add(time.Minute)
	if err := q.HoldStepUntil(ctx, t, dbsqlc.HoldStepUntilParams{NotBefore: &hold, OperationID: t.op.ID, Key: "designer.poll_results"}); err != nil {
		return fmt.Errorf("hold poll results: %w", err)
	}
	return nil
}
