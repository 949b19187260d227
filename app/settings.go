package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Settings are the numbers that the team can change without a deploy. The
// defaults are takeover.md's; a row in the settings table replaces one.
type Settings struct {
	// StepRetries are the waits before a failed run is tried again.
	StepRetries []time.Duration
	// MaxRejections of one step before it waits for a person.
	MaxRejections int
	// OverdueAfter is how long a validation may wait before an alert.
	OverdueAfter time.Duration
	// PostSpacing is the least time between two publications of one X account.
	PostSpacing time.Duration
	// MaxTurns and MaxRunTime bound one run.
	MaxTurns   int
	MaxRunTime time.Duration
	// ModelRetries is how often one model call is tried again at once.
	ModelRetries int
	// BudgetWarning is the share of the cap, in percent, that raises an alert.
	BudgetWarning int
	// PollDuration of the community's poll.
	PollDuration time.Duration
	// LinkAllowlist are hosts that outgoing texts may link to, beside our own.
	LinkAllowlist []string
	// Prices of models, by name.
	Prices map[string]Price
	// ImagePrices are per image, by model.
	ImagePrices map[string]Nano
	// ValidationRequired turns approval by policy off or on, by agent; an agent's
	// spec says the default.
	ValidationRequired map[string]bool
	// XReplyApproval is the platform's written approval of automated replies;
	// without it mentions are never answered.
	XReplyApproval string
}

// DefaultSettings returns the settings of a new installation.
func DefaultSettings() Settings {
	return Settings{
		StepRetries:   []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute},
		MaxRejections: 3,
		OverdueAfter:  2 * time.Hour,
		PostSpacing:   30 * time.Minute,
		MaxTurns:      25,
		MaxRunTime:    10 * time.Minute,
		ModelRetries:  2,
		BudgetWarning: 80,
		PollDuration:  24 * time.Hour,
		Prices: map[string]Price{
			"gpt-5":      {Input: 1_250_000_000, Cached: 125_000_000, Output: 10_000_000_000},
			"gpt-5-mini": {Input: 250_000_000, Cached: 25_000_000, Output: 2_000_000_000},
			"gpt-5-nano": {Input: 50_000_000, Cached: 5_000_000, Output: 400_000_000},
		},
		ImagePrices:        map[string]Nano{"gpt-image-1": 42_000_000},
		ValidationRequired: map[string]bool{},
	}
}

const (
	pricePrefix      = "llm.prices."
	imagePricePrefix = "image.prices."
	validationPrefix = "validation_required."
)

// With returns the settings with the stored values in place of the defaults.
// An unknown key or a value of the wrong kind is an error that names it.
func (s Settings) With(stored map[string]json.RawMessage) (Settings, error) {
	seconds := map[string]*time.Duration{
		"validation.overdue_after_s": &s.OverdueAfter, "x.post_spacing_s": &s.PostSpacing,
		"run.max_time_s": &s.MaxRunTime, "poll.duration_s": &s.PollDuration,
	}
	plain := map[string]any{
		"validation.max_rejections": &s.MaxRejections, "run.max_turns": &s.MaxTurns, "run.model_retries": &s.ModelRetries,
		"budget.warning_percent": &s.BudgetWarning, "links.allowlist": &s.LinkAllowlist, "x.ai_reply_approval": &s.XReplyApproval,
	}
	for key, value := range stored {
		if err := s.set(key, value, seconds, plain); err != nil {
			return s, fmt.Errorf("setting %s: %w", key, err)
		}
	}
	return s, nil
}

func (s *Settings) set(key string, value json.RawMessage, seconds map[string]*time.Duration, plain map[string]any) error {
	if at, ok := seconds[key]; ok {
		var n int64
		if err := json.Unmarshal(value, &n); err != nil {
			return err
		}
		*at = time.Duration(n) * time.Second
		return nil
	}
	if at, ok := plain[key]; ok {
		return json.Unmarshal(value, at)
	}
	if key == "step.retries_s" {
		var waits []int64
		if err := json.Unmarshal(value, &waits); err != nil {
			return err
		}
		s.StepRetries = make([]time.Duration, len(waits))
		for i, w := range waits {
			s.StepRetries[i] = time.Duration(w) * time.Second
		}
		return nil
	}
	if model, ok := strings.CutPrefix(key, pricePrefix); ok {
		var p Price
		if err := json.Unmarshal(value, &p); err != nil {
			return err
		}
		s.Prices[model] = p
		return nil
	}
	if model, ok := strings.CutPrefix(key, imagePricePrefix); ok {
		var n Nano
		if err := json.Unmarshal(value, &n); err != nil {
			return err
		}
		s.ImagePrices[model] = n
		return nil
	}
	if agent, ok := strings.CutPrefix(key, validationPrefix); ok {
		var on bool
		if err := json.Unmarshal(value, &on); err != nil {
			return err
		}
		s.ValidationRequired[agent] = on
		return nil
	}
	return Errorf(Invalid, "there is no such setting")
}
