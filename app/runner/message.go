package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vivra/app/agent"
	"vivra/app/agents"
	"vivra/app/calendar"
	"vivra/app/chain"
	"vivra/app/preflight"
	"vivra/app/untrusted"
)

const reminder = "You answered in plain text. Nobody reads it. Go on with a tool call, and end the task by calling finish with its output."

const reminderOfCut = "Your answer met its output limit before it came to a tool call, so nobody reads it. Be brief: go on with a tool call, and end the task by calling finish with its output."

// closedOutput is all that is said of an output whose every word comes from a list.
const closedOutput = "the output holds what its schema does not: give the fields of the schema and no others, each with a value from its list"

func schemaMessage(problems string) string {
	return "Your output was refused. Mend exactly this and call finish once more; there is no third time: " + problems
}

func joined(problems []string) string { return strings.Join(problems, "; ") }

func (r *run) system() string {
	return r.Catalogue.Fill(r.agent, agents.PreambleFields{Slug: r.op.Slug, ChainID: r.op.Token.Ref.ChainID, Address: chain.Checksum(r.op.Token.Ref.Address),
		J0: r.op.J0, Now: r.Clock.Now(), XHandle: r.op.XHandle, SiteHost: r.op.SiteHost, LivePage: r.LivePage(r.op.Slug), LinkHosts: r.settings.LinkAllowlist})
}

// fenced is JSON by section, each in a fence of its own: one that is too long
// is cut without harm to the others.
type fenced map[string]string

// opening is the first user message. What others wrote is fenced.
type opening struct {
	Step            string          `json:"step"`
	Task            string          `json:"task"`
	Day             int             `json:"day"`
	Instructions    string          `json:"instructions"`
	Input           json.RawMessage `json:"input"`
	RejectionReason string          `json:"rejection_reason,omitempty"`
	Token           string          `json:"token"` // fenced JSON
	TokenFile       fenced          `json:"token_file"`
	Operation       map[string]any  `json:"operation"`
}

// firstMessage returns what a run is told first, and where what others wrote in
// it comes from.
func (r *run) firstMessage(ctx context.Context) (first string, sources []string, err error) {
	var input struct {
		RejectionReason string `json:"rejection_reason"`
	}
	if err := json.Unmarshal(r.step.Input, &input); err != nil {
		return "", nil, fmt.Errorf("read the step's input: %w", err)
	}
	facts, err := r.task.Fenced(r.step.Input)
	if err != nil {
		return "", nil, err
	}
	file, quotes, err := r.excerpt(ctx)
	if err != nil {
		return "", nil, err
	}
	if quotes {
		sources = append(sources, "token_file")
	}
	if !preflight.OnlyName(r.op.Token.Name) || !preflight.OnlyName(r.op.Token.Symbol) {
		sources = append(sources, "token")
	}
	token, err := readable(map[string]any{"name": r.op.Token.Name, "symbol": r.op.Token.Symbol,
		"address": chain.Checksum(r.op.Token.Ref.Address), "chain_id": r.op.Token.Ref.ChainID})
	if err != nil {
		return "", nil, err
	}
	first, err = readable(opening{Step: r.step.Key, Task: r.step.Task, Day: r.op.Day(r.Clock.Now()), Instructions: r.task.Instructions,
		Input: facts, RejectionReason: input.RejectionReason, Token: untrusted.Wrap("token", token), TokenFile: file,
		Operation: map[string]any{"slug": r.op.Slug, "x_handle": r.op.XHandle, "site_host": r.op.SiteHost, "live_page": r.LivePage(r.op.Slug), "telegram_chat": r.op.TelegramChat}})
	return first, sources, err
}

// readable is v as JSON in which a fence looks like one: no \u003c for <.
func readable(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// excerpt is what the agent may read of the token file. Sections that were
// written quote names, bios and posts.
func (r *run) excerpt(ctx context.Context) (sections fenced, quotes bool, err error) {
	sections = make(fenced, len(r.task.Sections))
	for _, name := range r.task.Sections {
		content, version, err := r.Store.TokenFile(ctx, r.op.Token.ID, name)
		if err != nil {
			return nil, false, err
		}
		sections[name] = untrusted.Wrap("token_file", string(content))
		quotes = quotes || version > 0
	}
	return sections, quotes, nil
}

// said sums up a model call for the log, from facts.
func said(answer agent.Response, err error) string {
	if err != nil {
		return "The model gave no usable answer"
	}
	switch n := len(answer.Calls); {
	case n == 0:
		return "The model answered in text"
	case n == 1 && answer.Calls[0].Tool == agent.FinishTool:
		return "The model handed in its output"
	case n == 1:
		return "The model asked for 1 tool call"
	default:
		return fmt.Sprintf("The model asked for %d tool calls", n)
	}
}

// did sums up a tool call for the log, from facts: never in a model's words.
func did(a agent.Agent, name string, out agent.Outcome) string {
	tool := toolName(a, name)
	switch {
	case tool == "":
		return "Refused: a call to a tool that this agent does not have"
	case out.Unsafe != nil && tool == agent.FinishTool:
		return "Refused: the output held " + out.Unsafe.Words()
	case out.Unsafe != nil:
		return "Refused: " + tool + " with " + out.Unsafe.Words()
	case tool == agent.FinishTool:
		return "The output did not fit its schema and was sent back"
	case out.Refused:
		return "Refused: the arguments of " + tool + " do not fit"
	case !out.OK:
		return tool + " failed"
	}
	if sentence, ok := deeds[tool]; ok {
		return sentence
	}
	return "Called " + tool
}

// toolName returns a name only when it is one of ours: a model can write
// anything there, and the log is public.
func toolName(a agent.Agent, name string) string {
	if _, ok := a.Tool(name); ok || name == agent.FinishTool {
		return name
	}
	return ""
}

// deeds are what the log says of each tool that did its work.
var deeds = map[string]string{
	"read_file":              "Read the token file",
	"write_file":             "Wrote the token file",
	"chain_token":            "Read the token on chain",
	"chain_holders":          "Counted the holders on chain",
	"chain_liquidity":        "Read the liquidity on chain",
	"chain_transfers":        "Read the trades on chain",
	"chain_simulate_trade":   "Tried a buy and a sell without sending them",
	"chain_burned":           "Read what was burned on chain",
	"market_snapshot":        "Read the market",
	"market_chart":           "Read the price history",
	"socials_profile":        "Looked at a profile on X",
	"socials_posts":          "Read posts on X",
	"image_generate":         "Generated images",
	"brand_render":           "Rendered brand images",
	"poll_create":            "Proposed the poll",
	"poll_results":           "Counted the poll on both channels",
	"site_templates":         "Looked through the site templates",
	"site_fill_and_build":    "Built the site",
	"site_check":             "Checked the site",
	"site_publish":           "Proposed the site for publishing",
	"x_post":                 "Proposed a post",
	"x_thread":               "Proposed a thread",
	"x_profile_update":       "Proposed a profile",
	"x_reply":                "Proposed a reply",
	"tg_group_setup":         "Proposed the Telegram group's setup",
	"tg_activity":            "Counted the activity in the Telegram group",
	"tg_answer":              "Answered a question in the group",
	"utility_templates":      "Looked through the utility templates",
	"utility_build_and_test": "Built and tested the utility",
	"utility_publish":        "Proposed the utility for publishing",
	"alert":                  "Alerted the team",
}

// summary is the log's sentence for a finished run.
func (r *run) summary() string {
	if day := calendar.DayOf(r.step.Key); day > 0 {
		return fmt.Sprintf("%s finished %s of day %d", title(r.agent.Name), strings.ReplaceAll(nameOf(r.step.Task), "_", " "), day)
	}
	return title(r.agent.Name) + " finished " + strings.ReplaceAll(nameOf(r.step.Task), "_", " ")
}

func nameOf(task string) string {
	_, name, _ := strings.Cut(task, ".")
	return name
}

func title(name string) string {
	return map[string]string{"scanner": "Scanner", "designer": "Designer", "webdev": "Webdev", "cm": "CM", "tg_bot": "Telegram bot", "builder": "Builder"}[name]
}
