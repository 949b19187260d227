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
	// Undo is how long a decision can be taken back before anything follows from it.
	Undo time.Duration
	// ApprovalExpires is how long an approval that was not published holds.
	ApprovalExpires time.Duration
	// SecondApprover has go or no-go and handover approved by two people.
	SecondApprover bool
	// PostSpacing is the least time between two publications of one X account.
	PostSpacing time.Duration
	// MaxTurns and MaxRunTime bound one run.
	MaxTurns   int
	MaxRunTime time.Duration
	// Retries is one allowance of a run for every recovery: a call that is tried
	// again, an empty answer, an output that does not fit, a reminder.
	Retries int
	// Models and Fallbacks take the place of what an agent's spec says.
	Models, Fallbacks map[string]string
	// SharePercent is how much of an operation's cap an agent may spend.
	SharePercent map[string]int
	// BudgetWarning is the share of the cap, in percent, that raises an alert.
	BudgetWarning int
	// PollDuration of the community's poll.
	PollDuration time.Duration
	// LinkAllowlist are hosts that outgoing texts may link to, beside our own.
	LinkAllowlist []string
	// ValidationRequired turns approval by policy off or on, by agent; an agent's
	// spec says the default.
	ValidationRequired map[string]bool
	// XReplyApproval is where the platform's written approval of automated replies
	// is kept; without it mentions are never answered.
	XReplyApproval string
	// MentionsEvery is how often an account's mentions are read, MentionsDaily what
	// that may cost an operation in one UTC day.
	MentionsEvery time.Duration
	MentionsDaily Nano
	// BannedPhrases are what no post may hold; preflight.Banned says how they are
	// written.
	BannedPhrases []string
}

// DefaultSettings returns the settings of a new installation.
func DefaultSettings() Settings {
	return Settings{
		StepRetries:        []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute},
		MaxRejections:      3,
		OverdueAfter:       2 * time.Hour,
		Undo:               10 * time.Second,
		ApprovalExpires:    72 * time.Hour,
		PostSpacing:        30 * time.Minute,
		MaxTurns:           25,
		MaxRunTime:         10 * time.Minute,
		Retries:            3,
		Models:             map[string]string{},
		Fallbacks:          map[string]string{},
		SharePercent:       map[string]int{"designer": 50},
		BudgetWarning:      80,
		PollDuration:       24 * time.Hour,
		ValidationRequired: map[string]bool{},
		MentionsEvery:      15 * time.Minute,
		MentionsDaily:      Dollar,
		BannedPhrases:      BannedPhrases(),
	}
}

// usualShare is the percentage of an agent that has none of its own.
const usualShare = 40

// Share is how much of a cap an agent may spend.
func (s Settings) Share(agent string, budget Nano) Nano {
	percent, set := s.SharePercent[agent]
	if !set {
		percent = usualShare
	}
	return budget.Percent(percent)
}

// With returns the settings with the stored values in place of the defaults;
// JSON null is the default itself. An unknown key or a value of the wrong kind
// is an error that names it.
func (s Settings) With(stored map[string]json.RawMessage) (Settings, error) {
	for key, value := range stored {
		set := s.setter(key)
		if set == nil {
			return s, fmt.Errorf("setting %s: %w", key, Errorf(Invalid, "there is no such setting"))
		}
		if string(value) == "null" {
			continue
		}
		if err := set(value); err != nil {
			return s, fmt.Errorf("setting %s: %w", key, err)
		}
	}
	return s, nil
}

type setter func(json.RawMessage) error

// setter returns what sets the value of a key, nil when there is no such setting.
func (s *Settings) setter(key string) setter {
	switch key {
	case "validation.overdue_after_s":
		return seconds(&s.OverdueAfter)
	case "validation.undo_s":
		return seconds(&s.Undo)
	case "validation.approval_expires_s":
		return seconds(&s.ApprovalExpires)
	case "validation.second_approver":
		return plain(&s.SecondApprover)
	case "x.post_spacing_s":
		return seconds(&s.PostSpacing)
	case "x.banned_phrases":
		return s.setBannedPhrases
	case "x.mentions_every_s":
		return seconds(&s.MentionsEvery)
	case "x.mentions_daily_cents":
		return cents(&s.MentionsDaily)
	case "run.max_time_s":
		return seconds(&s.MaxRunTime)
	case "poll.duration_s":
		return seconds(&s.PollDuration)
	case "step.retries_s":
		return s.setStepRetries
	case "validation.max_rejections":
		return whole(&s.MaxRejections, 1<<20)
	case "run.max_turns":
		return whole(&s.MaxTurns, 1<<20)
	case "run.retries":
		return whole(&s.Retries, 1<<20)
	case "budget.warning_percent":
		return whole(&s.BudgetWarning, 100)
	case "links.allowlist":
		return plain(&s.LinkAllowlist)
	case "x.ai_reply_approval":
		return s.setReplyApproval
	}
	for prefix, named := range map[string]func(agent string) setter{
		"validation_required.":  func(agent string) setter { return ofAgent(s.ValidationRequired, agent, plain) },
		"llm.model.":            func(agent string) setter { return ofAgent(s.Models, agent, plain) },
		"llm.fallback.":         func(agent string) setter { return ofAgent(s.Fallbacks, agent, plain) },
		"budget.share_percent.": func(agent string) setter { return ofAgent(s.SharePercent, agent, percent) },
	} {
		if agent, ok := strings.CutPrefix(key, prefix); ok && agent != "" {
			return named(agent)
		}
	}
	return nil
}

func plain[T any](at *T) setter {
	return func(value json.RawMessage) error { return json.Unmarshal(value, at) }
}

func seconds(at *time.Duration) setter {
	return func(value json.RawMessage) error {
		var n int64
		if err := json.Unmarshal(value, &n); err != nil {
			return err
		}
		*at = time.Duration(n) * time.Second
		return nil
	}
}

func cents(at *Nano) setter {
	return func(value json.RawMessage) error {
		n := 0
		err := whole(&n, 1<<20)(value)
		*at = Nano(n) * Dollar / 100
		return err
	}
}

func percent(at *int) setter { return whole(at, 100) }

// whole reads a number from 0 to most.
func whole(at *int, most int) setter {
	return func(value json.RawMessage) error {
		var n int
		if err := json.Unmarshal(value, &n); err != nil {
			return err
		}
		if n < 0 || n > most {
			return fmt.Errorf("%d is not a number from 0 to %d", n, most)
		}
		*at = n
		return nil
	}
}

// ofAgent reads the value of one agent.
func ofAgent[T any](into map[string]T, agent string, read func(*T) setter) setter {
	return func(value json.RawMessage) error {
		var v T
		if err := read(&v)(value); err != nil {
			return err
		}
		into[agent] = v
		return nil
	}
}

func (s *Settings) setStepRetries(value json.RawMessage) error {
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

// setBannedPhrases puts a list in the place of the default, not over it.
func (s *Settings) setBannedPhrases(value json.RawMessage) error {
	var phrases []string
	err := json.Unmarshal(value, &phrases)
	s.BannedPhrases = phrases
	return err
}
