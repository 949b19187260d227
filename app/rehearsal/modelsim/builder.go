package modelsim

import (
	"slices"
	"strings"
)

func builderScripts() map[string][]stage {
	return map[string][]stage{
		"builder.utility": {
			reads(func(*talk) []ToolCall {
				return []ToolCall{NewCall("utility_templates", struct{}{}), NewCall("chain_holders", struct{}{}), NewCall("market_snapshot", struct{}{})}
			}),
			{tries: 3, calls: func(t *talk) []ToolCall {
				template := t.utility().at("name").str()
				return one("utility_build_and_test", map[string]string{"template": template, "config": encode(t.config(template))})
			}},
			reads(func(t *talk) []ToolCall {
				if !t.passed() {
					return one("alert", map[string]string{"kind": "utility", "message": "No utility passed its tests."})
				}
				return one("utility_publish", map[string]any{"build_id": t.last("utility_build_and_test").at("build_id").v})
			}),
			writes(func(t *talk) map[string]any {
				what, _, _ := strings.Cut(t.utility().at("description").or(t.utility().at("name").str()), ":")
				what, _, _ = strings.Cut(what, ",")
				return map[string]any{"what": strings.TrimSuffix(what, ".") + ".", "for_whom": "members of the group and holders"}
			}),
			ends(utility),
		},
	}
}

// utility is the template of this attempt: another one each time a build failed.
func (t *talk) utility() value {
	templates := t.last("utility_templates").at("templates").list()
	if len(templates) == 0 {
		return value{}
	}
	t.reseed("utility")
	order := t.rng.Perm(len(templates))
	return templates[order[t.builds()%len(templates)]]
}

// builds counts the attempts that failed.
func (t *talk) builds() (n int) {
	for _, r := range t.results {
		if r.tool == "utility_build_and_test" && !r.ok {
			n++
		}
	}
	return n
}

// passed tells whether there is a build that may be published.
func (t *talk) passed() bool { return t.last("utility_build_and_test").has() }

func utility(t *talk) map[string]any {
	built := t.newest("utility_build_and_test")
	out := map[string]any{
		"template": built.args.at("template").v, "config": built.args.at("config").v, "build_id": nil, "validation_id": nil,
		"tests": map[string]any{"passed": number(built.out.at("passed")), "failed": number(built.out.at("failed"))},
	}
	if published := t.last("utility_publish"); published.has() {
		out["build_id"], out["validation_id"] = built.out.at("build_id").v, published.at("validation_id").v
	}
	return out
}

// config is what a template is built with.
func (t *talk) config(template string) map[string]any {
	name := clip(t.name(), 30)
	switch template {
	case "holders-leaderboard":
		return map[string]any{"title": name + ": who stayed", "size": 15, "badges": []any{
			map[string]any{"name": "Lighthouse", "min_percent": 2}, map[string]any{"name": "Lamp", "min_percent": 0.5}, map[string]any{"name": "Candle", "min_percent": 0},
		}}
	case "web-minigame":
		return map[string]any{"title": name + ": night shift", "catch": "lamps", "dodge": "rugs", "seconds": 60, "lives": 3, "speed": 2}
	case "tg-price-alerts":
		return map[string]any{"title": name + ": price alerts", "max_per_member": 3, "cooldown_minutes": 60, "quiet_from": 22, "quiet_to": 7}
	}
	return map[string]any{"title": name + ": the quiz", "seconds": 30, "season_days": 7, "questions": t.questions()}
}

// questions put the right answer in another place each time.
func (t *talk) questions() (list []any) {
	t.reseed("questions")
	for _, q := range quiz {
		right := t.rng.IntN(len(q.wrong) + 1)
		options := slices.Insert(slices.Clone(q.wrong), right, q.right)
		list = append(list, map[string]any{"question": q.question, "options": options, "answer": right, "note": q.note})
	}
	return list
}

// quiz are questions whose answer does not age.
var quiz = []struct {
	question, right, note string
	wrong                 []string
}{
	{"How long does a takeover last?", "30 days", "The calendar has 30 days, from the first hour on.", []string{"One hour", "Ten years", "Until the weekend"}},
	{"Who approves what the agents publish?", "A person", "Nothing that a model wrote is public before that.", []string{"Nobody", "The pool", "The explorer"}},
	{"How many official addresses does a token have?", "One", "It stands in the pinned message.", []string{"Two", "One a day", "None"}},
	{"Who of the team writes to you first?", "Nobody", "Whoever does is a fraud.", []string{"Support", "The bot", "An admin"}},
	{"Where can every cost be read?", "In the public log", "Each model call is a line of its own.", []string{"In a chat", "On request", "Nowhere"}},
	{"How is the new face chosen?", "By a vote", "On X and in the group, added up.", []string{"By lot", "By the bot alone", "It never changes"}},
	{"What does the bot do with a foreign address?", "It deletes it", "And whoever posted it is banned.", []string{"It pins it", "It buys it", "It translates it"}},
	{"How many agents work on a takeover?", "Six", "Each has its own tools and its own budget.", []string{"One", "Sixty", "None"}},
	{"When is the verdict given?", "After 7 days", "By a rule that was published before the start.", []string{"After an hour", "Never", "After a year"}},
	{"What may a token like this lose?", "All its value", "That is why nobody here says when to trade.", []string{"Its block", "Its chain", "Nothing"}},
	{"What is a burned token?", "One nobody can use", "It lies at an address without a key.", []string{"A new one", "A loan", "A fee"}},
	{"What names a token for certain?", "Chain and address", "Names and symbols collide.", []string{"Its symbol", "Its logo", "Its price"}},
}
