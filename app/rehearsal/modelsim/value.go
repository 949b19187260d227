package modelsim

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// value is a piece of JSON that is looked into without fear: what is not there
// is nil, and reads as nothing.
type value struct{ v any }

// read decodes text, numbers as they were written; what is no JSON is nil.
func read(text string) value {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return value{}
	}
	return value{unfence(v)}
}

var fence = regexp.MustCompile(`^<untrusted source="[^"]*" id="[^"]*">\n`)

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// open takes text out of its fence.
func open(text string) string {
	for {
		inner, fenced := strings.CutSuffix(text, "\n</untrusted>")
		start := fence.FindString(inner)
		if !fenced || start == "" {
			return text
		}
		text = unescape.Replace(inner[len(start):])
	}
}

// unfence opens every fenced string in v, and reads it when it held JSON.
func unfence(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = unfence(v[key])
		}
	case []any:
		for i := range v {
			v[i] = unfence(v[i])
		}
	case string:
		inner := open(v)
		if inner == v {
			return v
		}
		if decoded := read(inner); decoded.v != nil {
			return decoded.v
		}
		return inner
	}
	return v
}

// at follows keys and indexes.
func (x value) at(path ...any) value {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := x.v.(map[string]any)
			x = value{object[step]}
		case int:
			array, _ := x.v.([]any)
			if step < 0 || step >= len(array) {
				return value{}
			}
			x = value{array[step]}
		}
	}
	return x
}

func (x value) has() bool { return x.v != nil }

func (x value) str() string {
	switch v := x.v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func (x value) or(otherwise string) string {
	if s := x.str(); s != "" {
		return s
	}
	return otherwise
}

func (x value) num() float64 {
	n, _ := x.v.(json.Number)
	f, _ := n.Float64()
	return f
}

func (x value) int() int { return int(x.num()) }

func (x value) yes() bool {
	b, _ := x.v.(bool)
	return b
}

func (x value) list() []value {
	array, _ := x.v.([]any)
	out := make([]value, len(array))
	for i := range array {
		out[i] = value{array[i]}
	}
	return out
}

func (x value) strs() []string {
	out := []string{}
	for _, item := range x.list() {
		out = append(out, item.str())
	}
	return out
}

// object is a copy of x's members, to be added to.
func (x value) object() map[string]any {
	out := map[string]any{}
	members, _ := x.v.(map[string]any)
	for key, v := range members {
		out[key] = v
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
