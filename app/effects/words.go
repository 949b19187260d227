package effects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Name is what people call a kind of effect.
func Name(kind string) string {
	switch kind {
	case XPost:
		return "a post on X"
	case XProfile:
		return "the profile on X"
	case TGTitle:
		return "the group's title"
	case TGDescribe:
		return "the group's description"
	case TGMessage:
		return "a message to the group"
	case TGPin:
		return "the group's pinned message"
	case TGPoll:
		return "a poll in the group"
	case SiteDeploy:
		return "the site"
	case UtilDeploy:
		return "the utility"
	}
	return strconv.Quote(kind)
}

func set(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

func handle(account string) string {
	if account == "" {
		return set("")
	}
	return "@" + account
}

func group(chat int64) string {
	if chat == 0 {
		return set("")
	}
	return strconv.FormatInt(chat, 10)
}

// quoted shows what can't be seen, so that two texts that differ look different.
func quoted(text string) string {
	escaped := strconv.Quote(text)
	return "“" + strings.ReplaceAll(escaped[1:len(escaped)-1], `\"`, `"`) + "”"
}

// leaves are the values in a JSON text by their names, such as "media 1 alt".
func leaves(raw []byte) map[string]any {
	out := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		v = string(raw)
	}
	collect("", v, out)
	return out
}

// plainKey is a field's name that can't be taken for two, nor for a place in a list.
var plainKey = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func collect(name string, v any, out map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for key, each := range v {
			if !plainKey.MatchString(key) {
				key = strconv.Quote(key)
			}
			collect(strings.TrimSpace(name+" "+key), each, out)
		}
		if len(v) == 0 {
			out[name] = v
		}
	case []any:
		for i, each := range v {
			collect(fmt.Sprintf("%s %d", name, i+1), each, out)
		}
		if len(v) == 0 {
			out[name] = v
		}
	default:
		out[name] = v
	}
}

// show is a leaf for people. What holds nothing is shown as nothing.
func show(leaves map[string]any, name string) string {
	switch v := leaves[name].(type) {
	case nil:
		return ""
	case string:
		if v == "" {
			return ""
		}
		return quoted(v)
	case map[string]any, []any:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// How much of a long text is shown before and from the place where two differ.
const (
	before  = 24
	longest = 100
)

// apart cuts two long texts to where they differ.
func apart(was, is string) (string, string) {
	if len(was) <= longest && len(is) <= longest {
		return was, is
	}
	differ := 0
	for differ < len(was) && differ < len(is) && was[differ] == is[differ] {
		differ++
	}
	return excerpt(was, differ-before), excerpt(is, differ-before)
}

// excerpt is a part of text from a byte on, with … for what is left out.
func excerpt(text string, from int) string {
	head, tail := "", ""
	if from > 0 {
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from--
		}
		head, text = "…", text[min(from, len(text)):]
	}
	if len(text) > longest {
		end := longest
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text, tail = text[:end], "…"
	}
	return head + text + tail
}
