package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checked is one line of the answer.
type checked struct {
	Length   int   `json:"length"`
	LengthOK bool  `json:"length_ok"`
	Price    int64 `json:"price_nusd"`
	Problems []struct{ Rule, Detail string }
}

func (c checked) rules() (rules []string) {
	for _, p := range c.Problems {
		rules = append(rules, p.Rule)
	}
	return rules
}

// checkPosts runs vivra check post on a file, with an environment that holds
// nothing.
func checkPosts(t *testing.T, in string, flags ...string) (out []checked, code int, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"check", "post", kept(t, in)}, flags...), with(nil), &stdout, &stderr)
	for line := range strings.Lines(stdout.String()) {
		var c checked
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil || c.Problems == nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, c)
	}
	return out, code, stderr.String()
}

func kept(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCheckPost(t *testing.T) {
	const own = "0x52908400098527886E0F7030069857D2E4169EE7"
	flags := []string{"--address", own, "--allow", "pons.family", "--allow", "t.me/dodo"}
	for line, want := range map[string]struct {
		length int
		price  int64
		rules  []string
	}{
		`{"text":"gm"}`: {2, 15_000_000, nil},
		`{"text":"gm","media":null,"poll":null,"reply_to":null}`:        {2, 15_000_000, nil},
		`{"text":"see pons.family"}`:                                    {4 + 23, 200_000_000, nil},
		`{"text":"CA ` + own + `"}`:                                     {45, 15_000_000, nil},
		`{"text":"see evil.com"}`:                                       {27, 200_000_000, []string{"link"}},
		`{"text":"a.onion"}`:                                            {23, 200_000_000, []string{"link"}},
		`{"text":"👨‍👩‍👧‍👦 cafe\u0301"}`:                                 {7, 15_000_000, nil},
		`{"text":"` + strings.Repeat("字", 141) + `"}`:                   {282, 15_000_000, []string{"length"}},
		`{"text":"a\ufeff"}`:                                            {3, 15_000_000, []string{"invalid_character"}},
		`{"text":"$DODO and $ETH"}`:                                     {14, 15_000_000, []string{"cashtag"}},
		`{"text":"hi @ann"}`:                                            {7, 15_000_000, []string{"mention"}},
		`{"text":"hi @ann","reply_to":"@Ann"}`:                          {7, 10_000_000, nil},
		`{"text":"hi @bob","reply_to":"ann"}`:                           {7, 10_000_000, []string{"mention"}},
		`{"text":"hi","reply_to":"1871234567890123456"}`:                {2, 10_000_000, nil},
		`{"text":"see t.me/dodo","reply_to":"ann"}`:                     {27, 200_000_000, nil},
		`{"text":"","media":2}`:                                         {0, 25_000_000, nil},
		`{"text":"gm","media":["a","b"]}`:                               {2, 25_000_000, nil},
		`{"text":"gm","media":5}`:                                       {2, 40_000_000, []string{"media"}},
		`{"text":""}`:                                                   {0, 15_000_000, []string{"empty"}},
		`{"text":" \n"}`:                                                {2, 15_000_000, []string{"empty"}},
		`{"text":"a\ud800"}`:                                            {3, 15_000_000, []string{"invalid_character"}},
		`{"text":"\ude00\ud83d"}`:                                       {4, 15_000_000, []string{"invalid_character"}},
		`{"text":"\ud83d\ude00"}`:                                       {2, 15_000_000, nil},
		`{"text":"\\ud800"}`:                                            {6, 15_000_000, nil},
		`{"text":"a\u202eb"}`:                                           {4, 15_000_000, []string{"invalid_character"}},
		`{"text":"a` + "\u2066" + `b"}`:                                 {4, 15_000_000, []string{"invalid_character"}},
		`{"text":"` + "\u200f" + `مرحبا"}`:                              {7, 15_000_000, nil},
		`{"text":"?","poll":{"options":["A","\ud800"],"minutes":60}}`:   {1, 15_000_000, []string{"invalid_character"}},
		`{"text":"?","poll":{"options":["A","a\u202eb"],"minutes":60}}`: {1, 15_000_000, []string{"invalid_character"}},
		`{"text":"?","poll":{"options":["A","B"],"minutes":1440}}`:      {1, 15_000_000, nil},
		`{"text":"?","media":1,"poll":{"options":["A"],"minutes":1}}`:   {1, 20_000_000, []string{"poll", "poll", "poll"}},
		`{"text":"?","poll":{}}`:                                        {1, 15_000_000, []string{"poll", "poll"}},
		`{"text":"?","poll":{"options":["A","act now"],"minutes":60}}`:  {1, 15_000_000, []string{"banned_phrase"}},
		`{"text":"GU\u200bARANTEED profit"}`:                            {18, 15_000_000, []string{"invalid_character", "banned_phrase"}},
		`{"text":"Nothing is guaranteed."}`:                             {22, 15_000_000, nil},
		`{"text":"CA 0xde709f2102306220921060314715629080e2fb77"}`:      {45, 15_000_000, []string{"address"}},
	} {
		out, code, _ := checkPosts(t, line+"\n", flags...)
		holds := 0
		if len(want.rules) > 0 {
			holds = failed
		}
		if len(out) != 1 || code != holds || out[0].Length != want.length || out[0].LengthOK != (want.length <= 280 && !slices.Contains(want.rules, "empty")) || out[0].Price != want.price || !slices.Equal(out[0].rules(), want.rules) {
			t.Errorf("%s: %+v, exit code %d; want %+v", line, out, code, want)
		}
	}
}

// A line that can't be read says so and does not stop the rest.
func TestCheckPostSaysWhichLineIsBad(t *testing.T) {
	bad := []string{
		`nope`, `[]`, `{"text":"a"} {}`, `{"text":"a"`, `{"text":5}`, `{}`, `{"media":1}`, `{"text":"a","txt":"b","Media":1}`, `{"text":"a","text":"b"}`, `{"text":"a","media":-1}`, `{"text":"a","media":1.5}`,
		`{"text":"a","poll":3}`, `{"text":"a","poll":{"option":["a"]}}`, `{"text":"a","poll":{"options":"a"}}`, `{"text":"a","reply_to":"not a name"}`, `{"text":"a","reply_to":7}`, "{\"text\":\"\xff\"}",
		`{"text":"` + strings.Repeat("a", 2<<20) + `"}`,
	}
	var in strings.Builder
	for _, line := range bad {
		in.WriteString(line + "\n\n" + `{"text":"gm"}` + "\n")
	}
	out, code, said := checkPosts(t, strings.TrimSuffix(in.String(), "\n"))
	if len(out) != 2*len(bad) || code != misused || !strings.Contains(said, fmt.Sprintf("can't read %d of %d lines", len(bad), 2*len(bad))) {
		t.Fatalf("%d lines, exit code %d, %s", len(out), code, said)
	}
	for i, line := range bad {
		if got := out[2*i]; got.LengthOK || !slices.Equal(got.rules(), []string{"input"}) || !strings.HasPrefix(got.Problems[0].Detail, fmt.Sprintf("Line %d ", 3*i+1)) {
			t.Errorf("%.80s: %+v", line, got)
		}
		if got := out[2*i+1]; !got.LengthOK || len(got.Problems) > 0 {
			t.Errorf("the line after %.80s: %+v", line, got)
		}
	}
	if detail := out[2*7].Problems[0].Detail; !strings.Contains(detail, `"txt", "Media"; known are text, media, poll, reply_to`) {
		t.Error(detail)
	}
}

// Some editors begin a file with a byte order mark; elsewhere it is a character.
func TestCheckPostAfterAMark(t *testing.T) {
	out, code, said := checkPosts(t, "\ufeff"+`{"text":"gm"}`+"\n\ufeff"+`{"text":"gm"}`)
	if len(out) != 2 || code != misused || len(out[0].Problems) > 0 || !slices.Equal(out[1].rules(), []string{"input"}) || !strings.Contains(said, "can't read 1 of 2 lines") {
		t.Errorf("%+v, exit code %d, %s", out, code, said)
	}
	if _, code, _ := checkPosts(t, "\ufeff"); code != 0 {
		t.Errorf("a mark alone: exit code %d", code)
	}
	if _, code, said := checkPosts(t, `{"text":"act now"}`); code != failed || !strings.Contains(said, "Problems in 1 of 1 post.") {
		t.Errorf("exit code %d, %s", code, said)
	}
}

func TestCheckPostAsOneAccount(t *testing.T) {
	in := `{"text":"gm, world"}` + "\n" + `{"text":"GM  wоrld!"}` + "\n" + `{"text":"gn"}`
	if out, code, _ := checkPosts(t, in); code != 0 || len(out) != 3 {
		t.Errorf("of any account: %+v, exit code %d", out, code)
	}
	out, code, _ := checkPosts(t, in, "--account")
	if code != failed || len(out[0].Problems)+len(out[2].Problems) > 0 || !slices.Equal(out[1].rules(), []string{"repeat"}) {
		t.Errorf("of one account: %+v, exit code %d", out, code)
	}
}

func TestCheckPostByAListOfPhrases(t *testing.T) {
	in := `{"text":"wen moon"}` + "\n" + `{"text":"guaranteed"}`
	out, code, _ := checkPosts(t, in, "--banned", kept(t, "\n wen moon \n"))
	if code != failed || !slices.Equal(out[0].rules(), []string{"banned_phrase"}) || len(out[1].Problems) > 0 {
		t.Errorf("%+v, exit code %d", out, code)
	}
}

func TestCheckPostAskedWrongly(t *testing.T) {
	for _, flags := range [][]string{{"--address", "0x12"}, {"--banned", "/nowhere"}, {"--loud"}} {
		if _, code, said := checkPosts(t, `{"text":"gm"}`, flags...); code != misused || said == "" {
			t.Errorf("%v: exit code %d, %s", flags, code, said)
		}
	}
	if _, code, _ := checkPosts(t, ""); code != 0 {
		t.Errorf("nothing in: exit code %d", code)
	}
}

func BenchmarkCheckPost(b *testing.B) {
	file := filepath.Join(b.TempDir(), "in")
	line := `{"text":"It dances again. 412 holders of $DODO, 9 more than yesterday. Measured at 08:00 UTC. https://dodo.vivra.site"}` + "\n"
	if err := os.WriteFile(file, []byte(strings.Repeat(line, 10_000)), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var out, errs bytes.Buffer
		if code := run(b.Context(), []string{"check", "post", file}, with(nil), &out, &errs); code != failed {
			b.Fatal(code)
		}
	}
}
