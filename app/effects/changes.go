package effects

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"

	"vivra/app"
)

// Changes says in one sentence per difference what an approval was given for
// and what it would be for now, nil when it holds. An account that was not
// connected then may be any now.
func Changes(was, is app.Frozen) []string {
	if was.AccountID == "" {
		is.AccountID = ""
	}
	d := differences{sent: map[[2]string]bool{}}
	d.compare("The kind of output", quoted(string(was.Kind)), quoted(string(is.Kind)))
	d.compare("The token's official address", set(was.OfficialAddress), set(is.OfficialAddress))
	d.compare("The account on X", handle(was.Account), handle(is.Account))
	d.compare("The number of the account on X", set(was.AccountID), set(is.AccountID))
	d.compare("The Telegram group", group(was.Chat), group(is.Chat))
	d.compare("The site's host", set(was.Host), set(is.Host))
	d.calls(was.Calls, is.Calls)
	d.files(was.Files, is.Files)
	d.payload(was.Payload, is.Payload)
	if len(d.sentences) == 0 && !same(was, is) {
		d.say("It is not written as it was: something empty was added or left out.")
	}
	return d.sentences
}

// same tells whether both have one canonical form, and so one hash.
func same(was, is app.Frozen) bool {
	a, errA := app.CanonicalJSON(was)
	b, errB := app.CanonicalJSON(is)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// differences are sentences; sent holds what was and what is in the calls, which
// are told of once: they are made from the payload, and name the files.
type differences struct {
	sentences []string
	sent      map[[2]string]bool
}

func (d *differences) say(format string, args ...any) {
	d.sentences = append(d.sentences, fmt.Sprintf(format, args...))
}

func (d *differences) compare(what, was, is string) {
	if was == is {
		return
	}
	switch was, is := apart(was, is); {
	case was == "":
		d.say("%s is new: %s.", what, is)
	case is == "":
		d.say("%s was %s, and is gone.", what, was)
	default:
		d.say("%s was %s, it is now %s.", what, was, is)
	}
}

func (d *differences) calls(was, is []app.FrozenCall) {
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(is):
			d.say("Call %d, %s, would not be made any more.", i+1, Name(was[i].Kind))
		case i >= len(was):
			d.say("Call %d, %s, would be made too.", i+1, Name(is[i].Kind))
		case was[i].Kind != is[i].Kind:
			d.compare(fmt.Sprintf("Call %d", i+1), Name(was[i].Kind), Name(is[i].Kind))
		default:
			d.request(fmt.Sprintf("Call %d, %s", i+1, Name(is[i].Kind)), was[i].Request, is[i].Request)
		}
	}
}

func (d *differences) request(what string, was, is []byte) {
	for name, pair := range fields(was, is) {
		d.compare(what+": "+name, pair[0], pair[1])
		d.sent[pair] = true
	}
}

func (d *differences) payload(was, is []byte) {
	for name, pair := range fields(was, is) {
		if !d.sent[pair] {
			d.compare("The payload: "+name, pair[0], pair[1])
		}
	}
}

func (d *differences) files(was, is []string) {
	at := func(files []string, i int) string {
		if i >= len(files) {
			return ""
		}
		return quoted(files[i])
	}
	for i := range max(len(was), len(is)) {
		if pair := [2]string{at(was, i), at(is, i)}; !d.sent[pair] {
			d.compare(fmt.Sprintf("File %d", i+1), pair[0], pair[1])
		}
	}
}

// fields are the names in two JSON texts, with what each has there.
func fields(was, is []byte) iter.Seq2[string, [2]string] {
	a, b := leaves(was), leaves(is)
	all := maps.Clone(a)
	maps.Copy(all, b)
	return func(yield func(string, [2]string) bool) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if pair := [2]string{show(a, name), show(b, name)}; !yield(name, pair) {
				return
			}
		}
	}
}
