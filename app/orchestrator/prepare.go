package orchestrator

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/calendar"
	"vivra/app/chain"
	"vivra/app/scan"
	"vivra/app/scoring"
)

// prepare computes what a step is given: the figures that code owns, before any
// model is asked.
func (o *Orchestrator) prepare(ctx context.Context, c app.Claim, op app.Operation, step *app.Step) error {
	input, err := o.input(ctx, op, *step)
	if err != nil {
		return fmt.Errorf("prepare %s: %w", step.Key, err)
	}
	if step.Task == "scanner.go_nogo" {
		if stopped, err := o.preCheck(ctx, c, input); stopped || err != nil {
			return err
		}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("encode input: %w", err)
	}
	if err := o.Store.SetInput(ctx, c, raw, o.Clock.Now()); err != nil {
		return err
	}
	fresh, err := o.Store.ClaimedStep(ctx, c)
	if err == nil {
		*step = fresh
	}
	return err
}

func (o *Orchestrator) input(ctx context.Context, op app.Operation, step app.Step) (map[string]any, error) {
	input := map[string]any{"official_address": chain.Checksum(op.Token.Ref.Address), "live_page": o.LivePage(op.Slug), "site_host": op.SiteHost}
	switch step.Task {
	case "scanner.full_report":
		return o.report(ctx, op, step, input)
	case "scanner.go_nogo":
		return o.goNoGo(ctx, op, step, input)
	case "scanner.daily_metrics", "cm.daily_post":
		return o.daily(ctx, op, step, input)
	case "scanner.verdict":
		return o.verdict(ctx, op, input)
	case "cm.verification_post":
		input["code"] = o.code(op)
	case "designer.poll":
		input["channels"] = channels(op)
	case "designer.poll_results":
		return input, o.counted(ctx, op, step)
	case "designer.kit":
		return o.chosen(ctx, op, input)
	case "tg.weekly_mods":
		input["days"] = 7
	}
	return input, nil
}

// channels are where the community can be asked.
func channels(op app.Operation) []string {
	var out []string
	if op.XHandle != "" {
		out = append(out, "x")
	}
	if op.TelegramChat != 0 {
		out = append(out, "telegram")
	}
	return out
}

// counted tells whether both channels have closed their poll and say its
// counts. The last attempt goes on with what there is, marked provisional.
func (o *Orchestrator) counted(ctx context.Context, op app.Operation, step app.Step) error {
	settings, err := o.Store.Settings(ctx)
	if err != nil || step.Attempt > len(settings.StepRetries) {
		return err
	}
	rec, onX, onTelegram, err := o.Desk.PollTallies(ctx, paidBy(step))
	if err != nil {
		return err
	}
	if rec.XPostID != "" && (onX == nil || !onX.Closed) {
		return app.Errorf(app.Unavailable, "X has not closed the poll yet.")
	}
	if rec.TelegramMessageID != 0 && (onTelegram == nil || !onTelegram.Closed) {
		return app.Errorf(app.Unavailable, "Telegram has not sent the poll's final counts yet.")
	}
	return nil
}

// code is the one-time code that proves who speaks for the takeover.
func (o *Orchestrator) code(op app.Operation) string {
	mac := hmac.New(sha256.New, o.Secret)
	fmt.Fprintf(mac, "verification code of operation %d", op.ID)
	return "V-" + base32.StdEncoding.EncodeToString(mac.Sum(nil))[:8]
}

// paidBy has the agent of a step pay for what is read for it.
func paidBy(step app.Step) agent.Scope {
	return agent.Scope{OperationID: step.OperationID, Agent: step.Agent, StepKey: step.Key}
}

// readings asks every source; one that can't answer is unknown, never zero.
func (o *Orchestrator) readings(ctx context.Context, op app.Operation, step app.Step) scoring.Readings {
	r, _ := scan.Read(ctx, o.Chain, o.Trades, op.Token.Ref)
	if p, err := o.Desk.Profile(ctx, paidBy(step), op.XHandle); err == nil {
		r.XFollowers = &p.Followers
	}
	return r
}

func known[T any](v T, err error) *T {
	if err != nil {
		return nil
	}
	return &v
}

func (o *Orchestrator) report(ctx context.Context, op app.Operation, step app.Step, input map[string]any) (map[string]any, error) {
	now := o.Clock.Now().UTC()
	report := scoring.ReportAt(scoring.FactsAt(o.readings(ctx, op, step), now), scoring.DefaultThresholds(), now)
	input["checks"], input["score"], input["parts"] = report.Checks, report.Score, report.Parts
	baseline, err := o.reading(ctx, op)
	if err != nil {
		return nil, err
	}
	input["baseline_metrics"] = baseline
	if week := known(o.Trades.Transactions(ctx, op.Token.Ref, 7)); week != nil {
		input["baseline_week"] = week
	}
	return input, o.Store.SaveCandidate(ctx, op.Token.ID, app.CandidateTaken, report.Score, report, now)
}

// goNoGo reads the chain once more: half an hour is long for a token.
func (o *Orchestrator) goNoGo(ctx context.Context, op app.Operation, step app.Step, input map[string]any) (map[string]any, error) {
	facts := scoring.FactsAt(o.readings(ctx, op, step), o.Clock.Now())
	checks := scoring.PreCheck(facts, scoring.DefaultThresholds())
	score, _ := scoring.Score(facts)
	input["checks"], input["score"], input["blocking"] = checks, score, scoring.Blocking(checks)
	return input, nil
}

// preCheck ends the operation when a check blocks, whatever a model would say.
func (o *Orchestrator) preCheck(ctx context.Context, c app.Claim, input map[string]any) (bool, error) {
	blocking, _ := input["blocking"].([]string)
	if len(blocking) == 0 {
		return false, nil
	}
	output, err := json.Marshal(map[string]any{"decision": "no_go", "reasons": []string{"Blocked by the checks: " + strings.Join(blocking, ", ")}, "blocking": blocking})
	if err != nil {
		return false, err
	}
	if err := o.Store.StopByCheck(ctx, c, output, "the checks block it: "+strings.Join(blocking, ", "), o.Clock.Now()); err != nil {
		return false, err
	}
	return true, errStopped
}

// errStopped ends the handling of a step whose operation was just stopped.
var errStopped = errors.New("the operation was stopped by its pre-check")

// reading measures the token now.
func (o *Orchestrator) reading(ctx context.Context, op app.Operation) (app.Metrics, error) {
	m := app.Metrics{At: o.Clock.Now().UTC()}
	market, err := o.Market.Snapshot(ctx, op.Token.Ref)
	if err != nil {
		return m, err
	}
	holders, err := o.Chain.Holders(ctx, op.Token.Ref)
	if err != nil {
		return m, err
	}
	token, err := o.Chain.Token(ctx, op.Token.Ref)
	if err != nil {
		return m, err
	}
	m.PriceUSD, m.MarketCapUSD, m.LiquidityUSD = market.PriceUSD, market.MarketCapUSD, market.LiquidityUSD
	m.Volume24hUSD, m.Buyers24h, m.Holders, m.Burned = market.Volume24hUSD, market.Buyers24h, holders.Count, token.Burned
	return m, errors.Join(
		o.Store.KeepTokenReading(ctx, op.Token.ID, app.ReadingMarket, market, m.At),
		o.Store.KeepTokenReading(ctx, op.Token.ID, app.ReadingHolders, holders, m.At),
		o.Store.KeepTokenReading(ctx, op.Token.ID, app.ReadingFacts, token, m.At))
}

func (o *Orchestrator) daily(ctx context.Context, op app.Operation, step app.Step, input map[string]any) (map[string]any, error) {
	history, err := o.Store.MetricsHistory(ctx, op.ID)
	if err != nil {
		return nil, err
	}
	input["day"] = calendar.DayOf(step.Key)
	if step.Task == "scanner.daily_metrics" {
		if input["metrics"], err = o.reading(ctx, op); err != nil {
			return nil, err
		}
	} else if len(history) > 0 {
		input["todays_metrics"] = history[len(history)-1]
		history = history[:len(history)-1]
	}
	if len(history) > 0 {
		input["previous"] = history[len(history)-1]
	}
	return input, nil
}

// verdict compares the seventh day with the baseline, by code.
func (o *Orchestrator) verdict(ctx context.Context, op app.Operation, input map[string]any) (map[string]any, error) {
	report, err := o.Store.StepInput(ctx, op.ID, "scanner.full_report")
	if err != nil {
		return nil, err
	}
	var before struct {
		Metrics app.Metrics      `json:"baseline_metrics"`
		Week    app.Transactions `json:"baseline_week"`
	}
	if err := json.Unmarshal(report, &before); err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	now, err := o.reading(ctx, op)
	if err != nil {
		return nil, err
	}
	week, err := o.Trades.Transactions(ctx, op.Token.Ref, 7)
	if err != nil {
		return nil, err
	}
	history, err := o.Store.MetricsHistory(ctx, op.ID)
	if err != nil {
		return nil, err
	}
	baseVolume := before.Week.VolumeUSD / 7
	meanVolume := lateVolume(history, op.J0, now)
	word, criteria := scoring.Verdict(
		scoring.Reading{Holders: &before.Metrics.Holders, MeanVolumeUSD: &baseVolume, MarketCapUSD: &before.Metrics.MarketCapUSD, LiquidityUSD: &before.Metrics.LiquidityUSD},
		scoring.Reading{Holders: &now.Holders, MeanVolumeUSD: &meanVolume, MarketCapUSD: &now.MarketCapUSD, LiquidityUSD: &now.LiquidityUSD, Buyers: &week.Buyers},
		scoring.DefaultThresholds())
	input["criteria"], input["verdict"] = criteria, word
	return input, nil
}

// lateVolume is the mean daily volume of days 5 to 7.
func lateVolume(history []app.Metrics, j0 time.Time, now app.Metrics) float64 {
	sum, days := 0.0, 0
	for _, m := range history {
		if day := m.At.Sub(j0); day > 4*24*time.Hour && day <= 7*24*time.Hour {
			sum, days = sum+m.Volume24hUSD, days+1
		}
	}
	if days == 0 {
		return now.Volume24hUSD
	}
	return sum / float64(days)
}

// chosen is the direction that won, or the team's pick when the vote left none.
func (o *Orchestrator) chosen(ctx context.Context, op app.Operation, input map[string]any) (map[string]any, error) {
	result, err := o.Store.DoneOutput(ctx, op.ID, "designer.poll_results")
	if err != nil {
		return nil, err
	}
	var poll struct {
		Winner *int `json:"winner"`
	}
	if err := json.Unmarshal(result, &poll); err != nil {
		return nil, fmt.Errorf("read poll results: %w", err)
	}
	if poll.Winner != nil {
		input["direction"] = *poll.Winner
	}
	return input, nil
}
