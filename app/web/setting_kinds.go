package web

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vivra/app"
)

// settingKind is how values of one kind are written in a form. show is given
// what parse made, as it is stored.
type settingKind struct {
	input string // the control: number, text, lines, choice
	hint  string
	show  func(raw json.RawMessage) string
	parse func(text string) (any, error)
}

// stored reads a stored value; one that is not of the kind shows as it is.
func stored[T any](show func(T) string) func(json.RawMessage) string {
	return func(raw json.RawMessage) string {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return string(raw)
		}
		return show(v)
	}
}

func whole(least, most int, unit string) settingKind {
	return settingKind{
		input: "number", hint: fmt.Sprintf("%d to %d %s", least, most, unit),
		show: stored(strconv.Itoa),
		parse: func(text string) (any, error) {
			n, err := strconv.Atoi(text)
			if err != nil || n < least || n > most {
				return nil, app.Errorf(app.Invalid, "Write a whole number from %d to %d.", least, most)
			}
			return n, nil
		},
	}
}

func yesNo() settingKind {
	return settingKind{
		input: "choice",
		show: stored(func(on bool) string {
			if on {
				return "yes"
			}
			return "no"
		}),
		parse: func(text string) (any, error) {
			if text != "yes" && text != "no" {
				return nil, app.Errorf(app.Invalid, "Choose yes or no.")
			}
			return text == "yes", nil
		},
	}
}

func sentence(most int, hint string) settingKind {
	return settingKind{
		input: "text", hint: hint,
		show: stored(strings.TrimSpace),
		parse: func(text string) (any, error) {
			if len([]rune(text)) > most || strings.ContainsAny(text, "\x00\n") {
				return nil, app.Errorf(app.Invalid, "Write one line of at most %d characters.", most)
			}
			return text, nil
		},
	}
}

// reference is where X's approval of automated replies is kept.
func reference(most int) settingKind {
	kind := sentence(most, "X's case number, or a link that begins with https://; empty: there is none")
	line := kind.parse
	kind.parse = func(text string) (any, error) {
		if _, err := line(text); err != nil {
			return nil, err
		}
		return app.ReplyApproval(text)
	}
	return kind
}

// repliesMean says whether replies are drafted.
func repliesMean(value string) string {
	switch held, err := app.ReplyApproval(value); {
	case err != nil:
		return "Replies are not drafted: this is no reference. Mentions are read and shown; who wants to answer does so by hand at X."
	case held == "":
		return "Replies are not drafted. Mentions are read and shown; who wants to answer does so by hand at X."
	}
	return "Replies are drafted, and each waits in the queue: none goes out before a person approves it."
}

// phrasesMean says what it means that no phrase is refused.
func phrasesMean(value string) string {
	if value != "" {
		return ""
	}
	return "The list is empty, so no post is refused for its words: only whoever approves it keeps promises of profit and false urgency out."
}

// host is a host name, alone or with a path: pons.family, t.me/dodo.
var host = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(/[A-Za-z0-9._~/-]*)?$`)

const maxHosts = 100

func hosts() settingKind {
	return settingKind{
		input: "lines", hint: "one a line, such as pons.family or t.me/dodo",
		show: stored(func(all []string) string { return strings.Join(all, "\n") }),
		parse: func(text string) (any, error) {
			all := []string{}
			for line := range strings.Lines(text) {
				name, page, _ := strings.Cut(strings.TrimSpace(line), "/")
				line = strings.TrimSuffix(strings.ToLower(name)+"/"+page, "/")
				switch {
				case line == "":
				case !host.MatchString(line):
					return nil, app.Errorf(app.Invalid, "%q is no host. Write pons.family or t.me/dodo, without https://.", line)
				default:
					all = append(all, line)
				}
			}
			if len(all) > maxHosts {
				return nil, app.Errorf(app.Invalid, "Write at most %d hosts.", maxHosts)
			}
			return all, nil
		},
	}
}

// The most phrases, and the most characters of one.
const (
	maxPhrases = 500
	maxPhrase  = 80
)

func phrases() settingKind {
	return settingKind{
		input: "lines", hint: "one a line, in whole words; guarantee* is any word that begins so, #x any number of times, still early | holds where a part of a sentence ends; empty: no post is refused for its words",
		show: stored(func(all []string) string { return strings.Join(all, "\n") }),
		parse: func(text string) (any, error) {
			all := []string{}
			for line := range strings.Lines(text) {
				switch line = strings.Join(strings.Fields(line), " "); {
				case line == "":
				case len([]rune(line)) > maxPhrase || !strings.ContainsFunc(line, unicode.IsLetter):
					return nil, app.Errorf(app.Invalid, "%.40q is no phrase. Write words, at most %d characters a line.", line, maxPhrase)
				case !slices.Contains(all, line):
					all = append(all, line)
				}
			}
			if len(all) > maxPhrases {
				return nil, app.Errorf(app.Invalid, "Write at most %d phrases.", maxPhrases)
			}
			return all, nil
		},
	}
}

// modelName is a model as the endpoint calls it.
func modelName(mayBeEmpty bool) settingKind {
	name := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,99}$`)
	return settingKind{
		input: "model", show: stored(strings.TrimSpace),
		parse: func(text string) (any, error) {
			if !name.MatchString(text) && (text != "" || !mayBeEmpty) {
				return nil, app.Errorf(app.Invalid, "Write the model's name as the endpoint calls it, such as gpt-5-mini.")
			}
			return text, nil
		},
	}
}
