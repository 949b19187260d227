package web

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"vivra/views/admin"
)

var sentenceEnd = regexp.MustCompile(`[.!?:”"] `)

// beside puts the sentences of a problem next to the fields that they begin
// with the name of, and returns the rest. Where there is one text, the rest is
// about that.
func beside(fields []admin.DraftField, problem string) (rest string) {
	byLength := make([]*admin.DraftField, len(fields))
	for i := range fields {
		byLength[i] = &fields[i]
	}
	slices.SortStableFunc(byLength, func(a, b *admin.DraftField) int { return cmp.Compare(len(b.Label), len(a.Label)) })
	rest = divide(problem, func(text string) *admin.DraftField {
		for _, f := range byLength {
			if after, ok := strings.CutPrefix(text, f.Label); ok && (strings.HasPrefix(after, " ") || strings.HasPrefix(after, ":")) {
				return f
			}
		}
		return nil
	})
	if i := slices.IndexFunc(fields, weighted); rest != "" && i >= 0 && !slices.ContainsFunc(fields[i+1:], weighted) {
		fields[i].Problems, rest = append(fields[i].Problems, rest), ""
	}
	return rest
}

func weighted(f admin.DraftField) bool { return f.Weighted }

// divide cuts a text before each sentence that belongs to a field.
func divide(text string, field func(string) *admin.DraftField) (rest string) {
	for text != "" {
		f := field(text)
		end := len(text)
		for _, cut := range sentenceEnd.FindAllStringIndex(text, -1) {
			if field(text[cut[1]:]) != nil {
				end = cut[1]
				break
			}
		}
		if part := strings.TrimSpace(text[:end]); f != nil {
			f.Problems = append(f.Problems, part)
		} else {
			rest = strings.TrimSpace(rest + " " + part)
		}
		text = text[end:]
	}
	return rest
}
