package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vivra/app/preflight"
)

// ruleInput is the rule that a line breaks which can't be read.
const ruleInput preflight.Rule = "input"

// maxLine is the longest line that is read.
const maxLine = 1 << 20

var errLongLine = fmt.Errorf("has more than %d bytes", maxLine)

// withoutMark reads a stream behind the byte order mark that some editors put
// before it.
func withoutMark(in io.Reader) *bufio.Reader {
	const mark = "\uFEFF"
	r := bufio.NewReader(in)
	if start, _ := r.Peek(len(mark)); string(start) == mark {
		_, _ = r.Discard(len(mark)) // they are there
	}
	return r
}

// readLine returns the next line without the blanks around it. One that is too
// long is skipped, and an error.
func readLine(in *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !long):
			return nil, err
		case long:
			return nil, errLongLine
		default:
			return bytes.TrimSpace(line), nil
		}
	}
}

// postOf reads one line.
func postOf(line []byte) (post preflight.Post, err error) {
	if !utf8.Valid(line) {
		return post, errors.New("is not UTF-8")
	}
	fields, err := object(paired(line), "text", "media", "poll", "reply_to")
	if err != nil {
		return post, err
	}
	if fields["text"] == nil {
		return post, errors.New("has no text")
	}
	err = errors.Join(
		read(fields, "text", "a text", &post.Text),
		readMedia(fields["media"], &post.Media),
		readPoll(fields["poll"], &post),
		readReply(fields, &post))
	return post, oneLine(err)
}

// paired is JSON with U+FFFE in place of each half of a surrogate pair that
// stands alone: Go reads one as U+FFFD, which X takes, and X refuses both halves
// and U+FFFE.
func paired(raw []byte) []byte {
	return escapes.ReplaceAllFunc(raw, func(escape []byte) []byte {
		if len(escape) == len(`\uD800`) && surrogate.Match(escape) {
			return []byte(`\uFFFE`)
		}
		return escape
	})
}

var (
	escapes   = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`)
	surrogate = regexp.MustCompile(`^\\u[dD][89a-fA-F]`)
)

// object reads the fields of an object, and names those that it should not have.
func object(raw []byte, known ...string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("is no JSON object")
	}
	fields := map[string]json.RawMessage{}
	var unknown, twice []string
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return nil, errors.New("is no JSON object")
		}
		name, _ := key.(string)
		switch {
		case !slices.Contains(known, name):
			unknown = append(unknown, strconv.Quote(name))
		case fields[name] != nil:
			twice = append(twice, name)
		case string(value) != "null":
			fields[name] = value
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("is no JSON object")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("goes on behind its object")
	}
	switch {
	case len(unknown) > 0:
		return nil, fmt.Errorf("has unknown fields: %s; known are %s", strings.Join(unknown, ", "), strings.Join(known, ", "))
	case len(twice) > 0:
		return nil, fmt.Errorf("has fields twice: %s", strings.Join(twice, ", "))
	}
	return fields, nil
}

// oneLine is several faults in one sentence.
func oneLine(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", ", and "))
}

func read[T any](fields map[string]json.RawMessage, name, what string, into *T) error {
	if raw := fields[name]; raw != nil && json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("has a field %s that is not %s", name, what)
	}
	return nil
}

// readMedia takes a number of pictures or a list of them.
func readMedia(raw json.RawMessage, n *int) error {
	if raw == nil {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		*n = len(list)
		return nil
	}
	if json.Unmarshal(raw, n) != nil || *n < 0 {
		return errors.New("has a field media that is neither a number of pictures nor a list of them")
	}
	return nil
}

func readPoll(raw json.RawMessage, post *preflight.Post) error {
	if raw == nil {
		return nil
	}
	fields, err := object(raw, "options", "minutes")
	if err != nil {
		return fmt.Errorf("has a poll that %w", err)
	}
	post.Poll = true
	return errors.Join(
		read(fields, "options", "a list of texts", &post.PollOptions),
		read(fields, "minutes", "a whole number", &post.PollMinutes))
}

var (
	handle = regexp.MustCompile(`^@?[A-Za-z0-9_]{1,15}$`)
	postID = regexp.MustCompile(`^[0-9]{1,20}$`)
)

// readReply takes the account that is answered, which may be named, or the
// number of its post.
func readReply(fields map[string]json.RawMessage, post *preflight.Post) error {
	var to string
	if err := read(fields, "reply_to", "a text", &to); err != nil || fields["reply_to"] == nil {
		return err
	}
	switch {
	case postID.MatchString(to):
	case handle.MatchString(to):
		post.Answering = strings.TrimPrefix(to, "@")
	default:
		return fmt.Errorf("has a reply_to %q that is neither an account nor the number of a post", to)
	}
	post.Summoned = true
	return nil
}

// lines are those of a text that are not empty.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
