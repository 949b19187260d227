package preflight

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"vivra/app"
	"vivra/app/untrusted"
)

// Post is a draft.
type Post struct {
	Text        string
	Media       int // number of pictures
	PollOptions []string
	PollMinutes int
	// Answering is the account a reply speaks to, without @; empty otherwise.
	Answering string
	// Summoned tells that somebody is answered who mentioned or quoted the account.
	Summoned bool
	// Poll tells that it is a poll, even one without options or a duration.
	Poll bool
}

// Rules are what one operation may say.
type Rules struct {
	// OfficialAddress is the token's own, 0x and 40 hex digits in any case.
	OfficialAddress string
	// AllowedHosts are the hosts (pons.family, with the port if one is written)
	// and pages (t.me/dodo and all below it) that may be linked.
	AllowedHosts []string
	// Banned are the phrases that no post may hold, as Banned takes them.
	Banned []string
}

// Rule names what a draft breaks.
type Rule string

// The rules.
const (
	RuleEmpty   Rule = "empty"
	RuleLength  Rule = "length"
	RuleInvalid Rule = "invalid_character"
	RuleCashtag Rule = "cashtag"
	RuleMention Rule = "mention"
	RuleAddress Rule = "address"
	RuleLink    Rule = "link"
	RuleMedia   Rule = "media"
	RulePoll    Rule = "poll"
	RuleThread  Rule = "thread"
	RuleBanned  Rule = "banned_phrase"
	RuleRepeat  Rule = "repeat"
	RuleAlike   Rule = "alike"
)

// Problem is one rule that a draft breaks, with a sentence about how.
type Problem struct {
	Rule   Rule   `json:"rule"`
	Detail string `json:"detail"`
}

// The limits of a post, a poll and a thread.
const (
	MaxMedia       = 4
	MinPollOptions = 2
	MaxPollOptions = 4
	MaxPollOption  = app.MaxPollOption
	MinPollMinutes = 5
	MaxPollMinutes = 10_080
	MinThread      = 4
	MaxThread      = 8
)

type problems []Problem

func (p *problems) add(rule Rule, format string, args ...any) {
	*p = append(*p, Problem{rule, fmt.Sprintf(format, args...)})
}

// CheckPost returns every rule the draft breaks, nil when it may go to a person.
func CheckPost(post Post, rules Rules) []Problem {
	var found problems
	found.checkText(post)
	found.checkAddresses(post.Text, rules)
	found.checkLinks(post.Text, rules)
	found.checkWords(post, rules)
	if post.Media > MaxMedia {
		found.add(RuleMedia, "A post holds at most %d pictures, this one has %d.", MaxMedia, post.Media)
	}
	if post.Poll || len(post.PollOptions) > 0 || post.PollMinutes != 0 {
		found.checkPoll(post)
	}
	return found
}

// CheckThread returns every rule the posts break as a thread and each for itself.
func CheckThread(posts []Post, rules Rules) []Problem {
	var found problems
	if len(posts) < MinThread || len(posts) > MaxThread {
		found.add(RuleThread, "A thread has %d to %d posts, this one has %d.", MinThread, MaxThread, len(posts))
	}
	for i, post := range posts {
		for _, problem := range CheckPost(post, rules) {
			found.add(problem.Rule, "Post %d: %s", i+1, problem.Detail)
		}
		if slices.ContainsFunc(posts[:i], func(p Post) bool { return p.Text == post.Text }) {
			found.add(RuleThread, "Post %d says the same as an earlier one; X refuses that.", i+1)
		}
	}
	return found
}

func (p *problems) checkText(post Post) {
	if strings.TrimSpace(post.Text) == "" && post.Media == 0 {
		p.add(RuleEmpty, "The post is empty.")
	}
	if n := Length(post.Text); n > MaxLength {
		p.add(RuleLength, "The text counts %d, X allows %d.", n, MaxLength)
	}
	p.checkCharacters("The text", post.Text)
	for i, option := range post.PollOptions {
		p.checkCharacters(fmt.Sprintf("Option %d", i+1), option)
	}
	if tags := Cashtags(post.Text); len(tags) > 1 {
		p.add(RuleCashtag, "X allows one cashtag, the text has %d: $%s.", len(tags), strings.Join(tags, ", $"))
	}
	for _, name := range Mentions(post.Text) {
		if post.Answering == "" || !strings.EqualFold(name, post.Answering) {
			p.add(RuleMention, "@%s is mentioned; only the author being answered may be.", name)
		}
	}
}

// checkCharacters looks for what X refuses, and for what a reader does not see:
// it hides words, or has others read in another order than they stand in.
func (p *problems) checkCharacters(what, text string) {
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\uFFFE\uFEFF\uFFFF") {
		p.add(RuleInvalid, "%s holds a character that X refuses.", what)
		return
	}
	if turn := strings.IndexFunc(text, turning); turn >= 0 {
		r, _ := utf8.DecodeRuneInString(text[turn:])
		p.add(RuleInvalid, "%s holds %U, which turns the direction of what stands around it. Take it out.", what, r)
	} else if untrusted.Unseen(text) {
		p.add(RuleInvalid, "%s holds characters that can't be seen. Take them out.", what)
	}
}

// turning tells whether a character embeds, overrides or isolates a direction.
func turning(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

func (p *problems) checkAddresses(text string, rules Rules) {
	for _, written := range Addresses(text) {
		if !Official(written, rules.OfficialAddress) {
			p.add(RuleAddress, "%s is not the token's address.", written)
		}
	}
}

// checkWords looks at the post and the answers of its poll, which are read as
// one.
func (p *problems) checkWords(post Post, rules Rules) {
	text := strings.Join(append([]string{post.Text}, post.PollOptions...), "\n")
	for _, phrase := range Banned(text, rules.Banned) {
		p.add(RuleBanned, "%s", BannedWords(phrase))
	}
}

// Official tells whether two addresses are the same 20 bytes.
func Official(written, official string) bool {
	want, err := app.ParseAddress(strings.ToLower(official))
	if err != nil {
		return false
	}
	got, err := app.ParseAddress(strings.ToLower(written))
	return err == nil && got == want
}

func (p *problems) checkLinks(text string, rules Rules) {
	for _, link := range Links(text) {
		if !AllowedLink(link, rules.AllowedHosts) {
			p.add(RuleLink, "%s leads to a place that is not on the allowlist.%s", link.Text, Hint(link.Text))
		}
	}
}

// Hint is what to do about a link that nobody meant to write, "" for others.
func Hint(link string) string {
	if !glued.MatchString(link) {
		return ""
	}
	return " If it is none, put a blank after the full stop."
}

// glued is the end of one sentence and the beginning of the next.
var glued = regexp.MustCompile(`^[\p{L}\p{N}-]+\.\p{Lu}\p{Ll}*$`)

func (p *problems) checkPoll(post Post) {
	if post.Media > 0 {
		p.add(RulePoll, "A poll goes alone: pictures belong in the post before it.")
	}
	if n := len(post.PollOptions); n < MinPollOptions || n > MaxPollOptions {
		p.add(RulePoll, "A poll has %d to %d options, this one has %d.", MinPollOptions, MaxPollOptions, n)
	}
	if post.PollMinutes < MinPollMinutes || post.PollMinutes > MaxPollMinutes {
		p.add(RulePoll, "A poll lasts %d to %d minutes, not %d.", MinPollMinutes, MaxPollMinutes, post.PollMinutes)
	}
	for i, option := range post.PollOptions {
		if n := utf8.RuneCountInString(option); n == 0 || n > MaxPollOption {
			p.add(RulePoll, "Option %d has %d characters; 1 to %d are allowed.", i+1, n, MaxPollOption)
		}
		if slices.Contains(post.PollOptions[:i], option) {
			p.add(RulePoll, "Option %d is there twice.", i+1)
		}
	}
}
