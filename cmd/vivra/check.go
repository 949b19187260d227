package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
	"vivra/app/tools"
)

type check struct {
	Post checkPost `cmd:"" help:"Hold posts for X to its rules: length, links, names, cashtags, addresses, pictures, polls, words, and say the price. JSON lines in, JSON lines out."`
}

type checkPost struct {
	File    string   `arg:"" optional:"" default:"-" help:"JSON lines: {\"text\", \"media\": a number or a list, \"poll\": {\"options\", \"minutes\"}, \"reply_to\": the account or the post that is answered}, all but text optional; - is standard input."`
	Address string   `help:"The token's own address, which posts may hold. Without it every address is a problem." placeholder:"0x…"`
	Allow   []string `help:"A host or page that posts may link to, such as pons.family or t.me/dodo; may be given again. Without any every link is a problem." placeholder:"HOST"`
	Banned  string   `help:"A file of phrases that no post may hold, one a line, in place of the default list." placeholder:"FILE"`
	Account bool     `help:"Take the lines for the posts of one account within 48 hours: the same text again is a problem."`
}

// Help says what kong's table can't.
func (checkPost) Help() string {
	return `Each line of input makes one line of output, in order:
{"length": as X counts it, "length_ok": whether X takes one of that length, "price_nusd": what X charges, in billionths of a dollar, "problems": [{"rule", "detail"}]}
A line that can't be read has one problem, of the rule "input", which names the line; the others go on.
It ends with 1 when a post has a problem, with 2 when a line can't be read.`
}

// Validate refuses what can't be meant.
func (c *checkPost) Validate() error {
	if _, err := app.ParseAddress(c.Address); c.Address != "" && err != nil {
		return fmt.Errorf("--address %q is no address: 0x and 40 hex digits", c.Address)
	}
	return nil
}

// judgement is what is said of one line.
type judgement struct {
	Length   int                 `json:"length"`
	LengthOK bool                `json:"length_ok"`
	Price    app.Nano            `json:"price_nusd"`
	Problems []preflight.Problem `json:"problems"`
}

// Run checks line after line, and says at the end whether all hold.
func (c *checkPost) Run(s surroundings) error {
	rules, err := c.rules()
	if err != nil {
		return misuse{err}
	}
	in, err := c.open()
	if err != nil {
		return misuse{err}
	}
	defer in.Close()
	out := bufio.NewWriter(s.out)
	err = c.all(withoutMark(in), out, rules)
	return errors.Join(err, out.Flush())
}

func (c *checkPost) open() (io.ReadCloser, error) {
	if c.File == "-" {
		return os.Stdin, nil
	}
	return os.Open(c.File)
}

func (c *checkPost) rules() (preflight.Rules, error) {
	rules := preflight.Rules{OfficialAddress: c.Address, AllowedHosts: c.Allow, Banned: app.BannedPhrases()}
	if c.Banned == "" {
		return rules, nil
	}
	list, err := os.ReadFile(c.Banned)
	rules.Banned = lines(string(list))
	return rules, err
}

// all checks every line of a stream.
func (c *checkPost) all(in *bufio.Reader, out io.Writer, rules preflight.Rules) error {
	var lines, unread, broken int
	said := map[string][]app.Said{} // by their digests, each text once
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for no := 1; ; no++ {
		line, err := readLine(in)
		if err == io.EOF {
			break
		}
		if err == nil && len(line) == 0 {
			continue
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return fmt.Errorf("read line %d: %w", no, err)
		}
		j, text, err := judgedLine(line, err, rules)
		if lines++; err != nil {
			unread++
			j.Problems = []preflight.Problem{{Rule: ruleInput, Detail: fmt.Sprintf("Line %d %v.", no, err)}}
		} else if c.Account {
			digest := preflight.Digest(text)
			repeats := preflight.CheckRepeat(text, said[digest], time.Time{})
			if j.Problems = append(j.Problems, repeats...); len(repeats) == 0 {
				said[digest] = append(said[digest], app.Said{Text: text, Waiting: true})
			}
		}
		if len(j.Problems) > 0 {
			broken++
		}
		if err := enc.Encode(j); err != nil {
			return err
		}
	}
	return ended(lines, unread, broken)
}

// ended is how the command ends.
func ended(lines, unread, broken int) error {
	switch {
	case unread > 0:
		return misuse{fmt.Errorf("can't read %d of %s", unread, app.Count(lines, "line", "lines"))}
	case broken > 0:
		return doesNotHold{fmt.Errorf("Problems in %d of %s.", broken, app.Count(lines, "post", "posts"))}
	}
	return nil
}

// judgedLine is what is said of a line, and its text.
func judgedLine(line []byte, err error, rules preflight.Rules) (judgement, string, error) {
	if err != nil {
		return judgement{}, "", err
	}
	post, err := postOf(line)
	if err != nil {
		return judgement{}, "", err
	}
	return judged(post, rules), post.Text, nil
}

// judged is what is said of a post.
func judged(post preflight.Post, rules preflight.Rules) judgement {
	v := judgement{Length: preflight.Length(post.Text), Price: preflight.PostPrice(post.Text, post.Summoned) + app.Nano(post.Media)*preflight.PriceMetadata}
	v.LengthOK = v.Length <= preflight.MaxLength && (post.Media > 0 || strings.TrimSpace(post.Text) != "")
	v.Problems = append([]preflight.Problem{}, preflight.CheckPost(post, rules)...)
	v.guarded(post, rules)
	return v
}

// guarded adds what the guard of the agents' outputs sees and X's own rules do
// not: more disguises, codes, orders. Names and symbols it would have to be told.
func (v *judgement) guarded(post preflight.Post, rules preflight.Rules) {
	g := tools.Guard{Links: rules.AllowedHosts}
	g.Official, _ = app.ParseAddress(rules.OfficialAddress) // Validate has looked at it
	found := map[preflight.Rule]bool{}
	for _, p := range v.Problems {
		found[p.Rule] = true
	}
	for _, bad := range g.Violations(append([]string{post.Text}, post.PollOptions...)...) {
		rule := preflight.Rule(bad.Rule)
		if found[rule] || bad.Rule == agent.RuleCashtag || bad.Rule == agent.RuleMention || bad.Rule == agent.RuleHidden && found[preflight.RuleInvalid] {
			continue
		}
		v.Problems = append(v.Problems, preflight.Problem{Rule: rule, Detail: bad.Detail})
	}
}
