package edits

import (
	"encoding/json"
	"fmt"

	"vivra/app"
)

// Amend returns a step's output with the words of a payload in it, so that the
// token file says what went out. Of an output only what says the same is
// rewritten; nothing is added.
func Amend(kind app.ValidationKind, output, payload json.RawMessage) (json.RawMessage, error) {
	said, err := words(kind, payload)
	if err != nil || len(said) == 0 || len(output) == 0 {
		return output, err
	}
	amended, err := replace(output, said)
	if err != nil {
		return nil, fmt.Errorf("amend the step's output: %w", err)
	}
	return amended, nil
}

// words are a payload's by the fields of the output type of its task.
func words(kind app.ValidationKind, payload json.RawMessage) (map[string]any, error) {
	switch kind {
	case app.KindPost:
		return wordsOf(payload, func(p app.PostPayload) map[string]any { return map[string]any{"text": p.Text} })
	case app.KindThread:
		return wordsOf(payload, threadWords)
	case app.KindPoll:
		return wordsOf(payload, func(p app.PollPayload) map[string]any {
			return map[string]any{"question": p.Question, "options": p.Options}
		})
	case app.KindProfile:
		return wordsOf(payload, func(p app.ProfilePayload) map[string]any {
			return map[string]any{"profile": map[string]any{"name": p.Name, "bio": p.Bio, "url": p.URL}}
		})
	case app.KindTelegram:
		return wordsOf(payload, func(p app.TelegramSetupPayload) map[string]any {
			return map[string]any{"title": p.Title, "description": p.Description, "rules": p.Rules, "pinned": p.Pinned}
		})
	}
	return nil, nil
}

func wordsOf[T any](payload json.RawMessage, fn func(T) map[string]any) (map[string]any, error) {
	var p T
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, fmt.Errorf("read the edited payload: %w", err)
	}
	return fn(p), nil
}

func threadWords(p app.ThreadPayload) map[string]any {
	posts := make([]map[string]any, len(p.Posts))
	for i, each := range p.Posts {
		media := make([]string, len(each.Media))
		for j, m := range each.Media {
			media[j] = m.SHA256
		}
		posts[i] = map[string]any{"text": each.Text, "media": media}
	}
	return map[string]any{"posts": posts}
}

// replace sets the fields that an object has, also those of objects in it.
func replace(object json.RawMessage, with map[string]any) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	for name, value := range with {
		old, ok := fields[name]
		if !ok {
			continue
		}
		var err error
		if within, deeper := value.(map[string]any); deeper {
			fields[name], err = replace(old, within)
		} else {
			fields[name], err = app.CanonicalJSON(value)
		}
		if err != nil {
			return nil, err
		}
	}
	return app.CanonicalJSON(fields)
}
