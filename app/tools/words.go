package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/untrusted"
)

// The most bytes that one text, and all texts of a call, may have: beyond it
// they are not even looked through.
const (
	maxWord  = maxSection
	maxWords = 2 * maxSection
)

// word is one text among the arguments of a call and the field it stands in, or
// the name of a field.
type word struct {
	key, text string
	field     bool
}

// words are the texts in arguments, long numbers and the names of fields
// included. Ids and hashes in their own fields are none, and neither are the
// places in the token file that an answer cites.
func words(scope agent.Scope, tool string, args json.RawMessage) ([]word, error) {
	l := lister{opened: opened(scope, tool)}
	switch err := l.list(string(args)); {
	case errors.As(err, new(*app.Error)):
		return nil, err
	case err != nil:
		return nil, app.Errorf(app.Invalid, "arguments are not JSON: %v", err)
	}
	var kept []word
	for _, w := range l.found {
		if !w.names() && !cites(scope, tool, w) {
			kept = append(kept, w)
		}
	}
	return kept, nil
}

// opened is the field whose text is JSON that is stored field by field; any
// other text is read as it stands, whatever it looks like.
func opened(scope agent.Scope, tool string) string {
	switch {
	case tool == "write_file":
		return "content"
	case tool == "utility_build_and_test", tool == agent.FinishTool && scope.Task == "builder.utility":
		return "config"
	}
	return ""
}

// names tells whether a word is an id, a hash or a colour in a field for those.
func (w word) names() bool {
	return w.text == "" || idField.MatchString(w.key) && id.MatchString(w.text)
}

var (
	id      = regexp.MustCompile(`^(?:[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9]{1,20}|#[0-9a-fA-F]{6})$`)
	idField = regexp.MustCompile(`^(?:(?:[a-z0-9_]+_)?(?:id|asset|assets|sha256|palette)|media|memes|pfp|banner|(?:pfp|x_banner|tg_banner|og)_[0-9x]+|64|128|256|512|1024)$`)
)

// lister collects the words of a JSON text in their order.
type lister struct {
	opened string
	found  []word
	bytes  int
}

func (l *lister) list(raw string) error {
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	if err := l.value(dec, ""); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is more after its end")
	}
	return nil
}

func (l *lister) value(dec *json.Decoder, key string) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		return l.group(dec, key, v == '{')
	case json.Number:
		if len(v) >= longNumber {
			return l.add(word{key: key, text: v.String()})
		}
	case string:
		return l.text(key, v)
	}
	return nil
}

// longNumber is from where on a number could be more than one.
const longNumber = 10

// group lists an object or an array. A field that stands there twice is
// refused: whoever reads next may take the other one.
func (l *lister) group(dec *json.Decoder, key string, object bool) error {
	seen := map[string]bool{}
	for dec.More() {
		if object {
			token, err := dec.Token()
			if err != nil {
				return err
			}
			if key, _ = token.(string); seen[key] {
				return twice(key)
			}
			seen[key] = true
			if err := l.add(word{text: key, field: true}); err != nil {
				return err
			}
		}
		if err := l.value(dec, key); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func twice(key string) error {
	return &agent.UnsafeError{Rules: []agent.Rule{agent.RuleTwice}, Quote: untrusted.Quote(key, maxQuote),
		Cause: app.Errorf(app.Invalid, "A field stands there twice: give each once.")}
}

// structured is the beginning of an object or an array.
var structured = regexp.MustCompile(`^\s*[\[{]`)

// text lists a text and, when it is JSON, what stands in it.
func (l *lister) text(key, text string) error {
	if err := l.add(word{key: key, text: text}); err != nil || !structured.MatchString(text) {
		return err
	}
	within := lister{}
	switch err := within.list(text); {
	case errors.As(err, new(*app.Error)):
		return err
	case err != nil:
		return nil // it is no JSON, so it is a text
	}
	if key != "" && key == l.opened {
		l.found = l.found[:len(l.found)-1] // nobody reads it as it stands
	}
	l.found = append(l.found, within.found...)
	return nil
}

func (l *lister) add(w word) error {
	if l.bytes += len(w.text); len(w.text) > maxWord {
		return tooLong(cmp.Or(w.key, "a text"), len(w.text), maxWord)
	}
	if l.bytes > maxWords {
		return tooLong("the call", l.bytes, maxWords)
	}
	l.found = append(l.found, w)
	return nil
}

func tooLong(what string, n, most int) error {
	return app.Errorf(app.Invalid, "%s has %d bytes: at most %d.", untrusted.Quote(what, 40), n, most)
}
