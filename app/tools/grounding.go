package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vivra/app/agent"
)

// ground needs an answer to name sources, and each of them to be there: in the
// token file, or among the others that the answer may rest on.
func (d Deps) ground(ctx context.Context, scope agent.Scope, f *faults, sources []string, others ...string) error {
	f.need(len(sources) > 0, "sources is empty: without a source there is no answer.")
	for _, path := range sources {
		if slices.Contains(others, path) {
			continue
		}
		known, err := d.known(ctx, scope, path)
		if err != nil {
			return err
		}
		f.need(known, "The token file has nothing at one of the sources: name paths that read_file showed.")
	}
	return nil
}

// known tells whether the token file holds something at path: a section, then
// keys and indexes, with dots between.
func (d Deps) known(ctx context.Context, scope agent.Scope, path string) (bool, error) {
	section, rest, deeper := strings.Cut(path, ".")
	if !slices.Contains(sections, section) {
		return false, nil
	}
	content, version, err := d.Files.ReadFile(ctx, scope.Token.ID, section)
	if err != nil {
		return false, fmt.Errorf("read section %s: %w", section, err)
	}
	for deeper && content != nil {
		var key string
		key, rest, deeper = strings.Cut(rest, ".")
		content = child(content, key)
	}
	return version > 0 && content != nil, nil
}

// child is the value at a key or an index, nil when there is none.
func child(raw json.RawMessage, key string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		return object[key]
	}
	var array []json.RawMessage
	i, err := strconv.Atoi(key)
	if err != nil || json.Unmarshal(raw, &array) != nil || i < 0 || i >= len(array) {
		return nil
	}
	return array[i]
}
