package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"vivra/app/preflight"
)

const official = "0xAbCdEf0123456789aBcDeF0123456789abcdef01"

var rules = preflight.Rules{OfficialAddress: official, AllowedHosts: []string{"dodo.vivra.site"}}

func broken(problems []preflight.Problem) []preflight.Rule {
	var rules []preflight.Rule
	for _, p := range problems {
		rules = append(rules, p.Rule)
	}
	return rules
}

func TestCheckPost(t *testing.T) {
	t.Parallel()
	two := []string{"A", "B"}
	for name, c := range map[string]struct {
		post preflight.Post
		want []preflight.Rule
	}{
		"plain":                  {preflight.Post{Text: "It dances again. $DODO https://dodo.vivra.site"}, nil},
		"280":                    {preflight.Post{Text: strings.Repeat("a", 280)}, nil},
		"281":                    {preflight.Post{Text: strings.Repeat("a", 281)}, []preflight.Rule{preflight.RuleLength}},
		"empty":                  {preflight.Post{Text: " \n"}, []preflight.Rule{preflight.RuleEmpty}},
		"picture only":           {preflight.Post{Media: 1}, nil},
		"byte order mark":        {preflight.Post{Text: "a\uFEFF"}, []preflight.Rule{preflight.RuleInvalid}},
		"broken UTF-8":           {preflight.Post{Text: "a\xff"}, []preflight.Rule{preflight.RuleInvalid}},
		"two cashtags":           {preflight.Post{Text: "$DODO beats $ETH"}, []preflight.Rule{preflight.RuleCashtag}},
		"mention":                {preflight.Post{Text: "hi @ann"}, []preflight.Rule{preflight.RuleMention}},
		"mention of the asker":   {preflight.Post{Text: "hi @Ann", Answering: "ann"}, nil},
		"official address":       {preflight.Post{Text: "CA " + strings.ToLower(official)}, nil},
		"foreign address":        {preflight.Post{Text: "CA 0x" + strings.Repeat("1", 40)}, []preflight.Rule{preflight.RuleAddress}},
		"foreign link":           {preflight.Post{Text: "see pump.fun"}, []preflight.Rule{preflight.RuleLink}},
		"five pictures":          {preflight.Post{Text: "a", Media: 5}, []preflight.Rule{preflight.RuleMedia}},
		"poll":                   {preflight.Post{Text: "?", PollOptions: two, PollMinutes: 1440}, nil},
		"poll with picture":      {preflight.Post{Text: "?", PollOptions: two, PollMinutes: 1440, Media: 1}, []preflight.Rule{preflight.RulePoll}},
		"poll of one":            {preflight.Post{Text: "?", PollOptions: two[:1], PollMinutes: 1440}, []preflight.Rule{preflight.RulePoll}},
		"poll of five":           {preflight.Post{Text: "?", PollOptions: []string{"1", "2", "3", "4", "5"}, PollMinutes: 5}, []preflight.Rule{preflight.RulePoll}},
		"poll too short":         {preflight.Post{Text: "?", PollOptions: two, PollMinutes: 4}, []preflight.Rule{preflight.RulePoll}},
		"poll too long":          {preflight.Post{Text: "?", PollOptions: two, PollMinutes: 10_081}, []preflight.Rule{preflight.RulePoll}},
		"option of 26":           {preflight.Post{Text: "?", PollOptions: []string{"A", strings.Repeat("é", 26)}, PollMinutes: 5}, []preflight.Rule{preflight.RulePoll}},
		"option of 25":           {preflight.Post{Text: "?", PollOptions: []string{"A", strings.Repeat("é", 25)}, PollMinutes: 5}, nil},
		"same option":            {preflight.Post{Text: "?", PollOptions: []string{"A", "A"}, PollMinutes: 5}, []preflight.Rule{preflight.RulePoll}},
		"minutes but no options": {preflight.Post{Text: "?", PollMinutes: 5}, []preflight.Rule{preflight.RulePoll}},
	} {
		if got := broken(preflight.CheckPost(c.post, rules)); !slices.Equal(got, c.want) {
			t.Errorf("%s: breaks %v, want %v", name, got, c.want)
		}
	}
	if got := broken(preflight.CheckPost(preflight.Post{Text: official}, preflight.Rules{})); !slices.Equal(got, []preflight.Rule{preflight.RuleAddress}) {
		t.Errorf("without an official address every address is foreign, got %v", got)
	}
}

func TestCheckThread(t *testing.T) {
	t.Parallel()
	posts := func(texts ...string) []preflight.Post {
		var thread []preflight.Post
		for _, text := range texts {
			thread = append(thread, preflight.Post{Text: text})
		}
		return thread
	}
	for name, c := range map[string]struct {
		posts []preflight.Post
		want  []preflight.Rule
	}{
		"four":      {posts("a", "b", "c", "d"), nil},
		"three":     {posts("a", "b", "c"), []preflight.Rule{preflight.RuleThread}},
		"nine":      {posts("a", "b", "c", "d", "e", "f", "g", "h", "i"), []preflight.Rule{preflight.RuleThread}},
		"same text": {posts("a", "b", "c", "b"), []preflight.Rule{preflight.RuleThread}},
		"one bad":   {posts("a", "b", "c", "see pump.fun"), []preflight.Rule{preflight.RuleLink}},
	} {
		if got := broken(preflight.CheckThread(c.posts, rules)); !slices.Equal(got, c.want) {
			t.Errorf("%s: breaks %v, want %v", name, got, c.want)
		}
	}
}
