package utilities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"vivra/app"
)

// config is the settings of one template. The structs below and the schemas in
// the manifests say the same; a test holds them together.
type config interface {
	title() string
	problems() []string
}

// reader decodes and checks settings; the error names every field that is
// wrong, in words that a model can act on.
func reader[C config](raw json.RawMessage) (config, error) {
	var c C
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return nil, app.Errorf(app.Invalid, "config: %s.", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, app.Errorf(app.Invalid, "config: there is more after the end of the object.")
	}
	if problems := c.problems(); len(problems) > 0 {
		return nil, app.Errorf(app.Invalid, "%s", strings.Join(problems, " "))
	}
	return c, nil
}

// Canonical is a config in the one form in which it is read, inspected, built
// and kept. A name that stands in an object twice is refused, in whatever case:
// whoever reads next may take the other one.
func Canonical(raw string) (json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(raw))
	if err := once(dec); err != nil {
		return nil, err
	}
	if json.NewDecoder(strings.NewReader(raw)).Decode(new(json.RawMessage)) == nil && dec.More() {
		return nil, app.Errorf(app.Invalid, "config: there is more after the end of the object.")
	}
	canonical, err := app.CanonicalJSON(json.RawMessage(raw))
	if err != nil {
		return nil, app.Errorf(app.Invalid, "config: it is not JSON.")
	}
	return canonical, nil
}

// once refuses names that stand twice in the value that comes next. What is no
// JSON is left to whoever decodes it.
func once(dec *json.Decoder) error {
	token, err := dec.Token()
	opens, ok := token.(json.Delim)
	if err != nil || !ok {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if opens == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil
			}
			name, _ := token.(string)
			// Go's decoder takes a name in any case.
			folded := strings.ToLower(strings.ToUpper(name))
			if seen[folded] {
				return app.Errorf(app.Invalid, "config: a name stands there twice.")
			}
			seen[folded] = true
		}
		if err := once(dec); err != nil {
			return err
		}
	}
	_, _ = dec.Token()
	return nil
}

// faults collects what is wrong, field by field.
type faults []string

func (f *faults) text(name, value string, least, most int) {
	if n := utf8.RuneCountInString(strings.TrimSpace(value)); n < least || n > most {
		*f = append(*f, fmt.Sprintf("config.%s: has %s, it takes %d to %d.", name, app.Count(n, "character", "characters"), least, most))
	}
}

func (f *faults) number(name string, value *float64, least, most float64) {
	switch {
	case value == nil:
		*f = append(*f, fmt.Sprintf("config.%s: is missing; it is a number from %v to %v.", name, least, most))
	case *value < least || *value > most:
		*f = append(*f, fmt.Sprintf("config.%s: is %v, it must be from %v to %v.", name, *value, least, most))
	}
}

func (f *faults) whole(name string, value *int, least, most int) {
	if value == nil {
		f.number(name, nil, float64(least), float64(most))
		return
	}
	v := float64(*value)
	f.number(name, &v, float64(least), float64(most))
}

func (f *faults) items(name string, n, least, most int) {
	if n < least || n > most {
		*f = append(*f, fmt.Sprintf("config.%s: has %s, it takes %d to %d.", name, app.Count(n, "item", "items"), least, most))
	}
}

type leaderboard struct {
	Title  string  `json:"title"`
	Size   *int    `json:"size"`
	Badges []badge `json:"badges"`
}

type badge struct {
	Name       string   `json:"name"`
	MinPercent *float64 `json:"min_percent"`
}

func (c leaderboard) title() string { return c.Title }

func (c leaderboard) problems() []string {
	var f faults
	f.text("title", c.Title, 1, 60)
	f.whole("size", c.Size, 5, 20)
	f.items("badges", len(c.Badges), 1, 5)
	for i, b := range c.Badges {
		f.text(fmt.Sprintf("badges[%d].name", i), b.Name, 1, 24)
		f.number(fmt.Sprintf("badges[%d].min_percent", i), b.MinPercent, 0, 50)
	}
	return f
}

type minigame struct {
	Title   string `json:"title"`
	Catch   string `json:"catch"`
	Dodge   string `json:"dodge"`
	Seconds *int   `json:"seconds"`
	Lives   *int   `json:"lives"`
	Speed   *int   `json:"speed"`
}

func (c minigame) title() string { return c.Title }

func (c minigame) problems() []string {
	var f faults
	f.text("title", c.Title, 1, 60)
	f.text("catch", c.Catch, 1, 24)
	f.text("dodge", c.Dodge, 1, 24)
	f.whole("seconds", c.Seconds, 20, 120)
	f.whole("lives", c.Lives, 1, 5)
	f.whole("speed", c.Speed, 1, 5)
	return f
}

type quiz struct {
	Title      string     `json:"title"`
	Seconds    *int       `json:"seconds"`
	SeasonDays *int       `json:"season_days"`
	Questions  []question `json:"questions"`
}

type question struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Answer   *int     `json:"answer"`
	Note     *string  `json:"note"` // may be empty, not absent
}

func (c quiz) title() string { return c.Title }

func (c quiz) problems() []string {
	var f faults
	f.text("title", c.Title, 1, 60)
	f.whole("seconds", c.Seconds, 10, 120)
	f.whole("season_days", c.SeasonDays, 1, 30)
	f.items("questions", len(c.Questions), 3, 30)
	for i, q := range c.Questions {
		at := fmt.Sprintf("questions[%d].", i)
		f.text(at+"question", q.Question, 1, 200)
		f.items(at+"options", len(q.Options), 2, 4)
		for j, o := range q.Options {
			f.text(fmt.Sprintf("%soptions[%d]", at, j), o, 1, 60)
		}
		f.whole(at+"answer", q.Answer, 0, 3)
		if q.Note == nil {
			f = append(f, "config."+at+"note: is missing; it may be empty.")
		} else {
			f.text(at+"note", *q.Note, 0, 200)
		}
	}
	return f
}

type alerts struct {
	Title           string `json:"title"`
	MaxPerMember    *int   `json:"max_per_member"`
	CooldownMinutes *int   `json:"cooldown_minutes"`
	QuietFrom       *int   `json:"quiet_from"`
	QuietTo         *int   `json:"quiet_to"`
}

func (c alerts) title() string { return c.Title }

func (c alerts) problems() []string {
	var f faults
	f.text("title", c.Title, 1, 60)
	f.whole("max_per_member", c.MaxPerMember, 1, 10)
	f.whole("cooldown_minutes", c.CooldownMinutes, 5, 1440)
	f.whole("quiet_from", c.QuietFrom, 0, 23)
	f.whole("quiet_to", c.QuietTo, 0, 23)
	return f
}
