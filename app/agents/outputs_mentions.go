package agents

import (
	"encoding/json"
	"fmt"

	"vivra/app/agent"
	"vivra/app/mentions"
)

// Mention is what the reader says of one mention: nothing in its own words, so
// that nothing of a stranger's can come through it.
type Mention struct {
	ID      string `json:"id" jsonschema:"id of the mention, from the input"`
	Kind    string `json:"kind" jsonschema:"what it is"`
	Subject string `json:"subject" jsonschema:"what it is about, none when no other fits"`
}

// Mentions is the output of cm.mentions.
type Mentions struct {
	Mentions []Mention `json:"mentions" jsonschema:"every mention of the input, once"`
}

func mentionsOutput() agent.Output {
	return agent.NewOutput[Mentions]("mentions", limits{
		"mentions":           list(1, mentions.MostAtOnce),
		"mentions[].id":      pattern(`^\d{1,20}$`),
		"mentions[].kind":    oneOf(anyOf(mentions.Kinds())...),
		"mentions[].subject": oneOf(anyOf(mentions.Subjects())...),
	}.tighten, nil)
}

func anyOf[T ~string](values []T) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// coversMentions holds what was said of mentions to those that were asked for.
func coversMentions(input, output json.RawMessage) error {
	var asked mentions.Asked
	if err := json.Unmarshal(input, &asked); err != nil {
		return fmt.Errorf("read the mentions that were asked for: %w", err)
	}
	ids := make([]string, len(asked.Mentions))
	for i, m := range asked.Mentions {
		ids[i] = m.ID
	}
	_, err := mentions.Readings(output, ids)
	return err
}

// Reply is the output of cm.mention_reply.
type Reply struct {
	Text         string `json:"text" jsonschema:"the text as it was proposed"`
	ValidationID string `json:"validation_id" jsonschema:"what x_reply returned"`
}

func replyOutput() agent.Output {
	return agent.NewOutput[Reply]("reply", limits{"text": text(1, 1000), "validation_id": text(1, 80)}.tighten, nil)
}
