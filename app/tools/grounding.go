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
