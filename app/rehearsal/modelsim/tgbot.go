package modelsim

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func tgBotScripts() map[string][]stage {
	return map[string][]stage{
		"tg.setup": {
			does(func(t *talk) []ToolCall { return one("tg_group_setup", t.groupDraft()) }),
			writes(func(t *talk) map[string]any { return map[string]any{"faq": t.faq()} }),
			ends(func(t *talk) map[string]any {
				out := t.said("tg_group_setup").object()
				out["validation_id"] = t.last("tg_group_setup").at("validation_id").v
				return out
			}),
		},
		"tg.weekly_mods": {
			does(func(t *talk) []ToolCall {
				days := t.input("days").int()
				if days == 0 {
					days = 7
				}
				return one("tg_activity", map[string]int{"days": days})
			}),
			ends(func(t *talk) map[string]any { return map[string]any{"candidates": t.candidates()} }),
		},
		"tg.questions": {
			needs("telegram"),
			reads(func(t *talk) []ToolCall {
				if answer, source := t.answer(); answer != "" {
					return one("tg_answer", map[string]any{"answer": answer, "sources": []string{source}})
				}
				return nil
			}),
			ends(func(t *talk) map[string]any {
				if said := t.said("tg_answer"); said.has() {
					return map[string]any{"answer": said.at("answer").v, "sources": said.at("sources").v, "no_answer": false}
				}
				return map[string]any{"answer": nil, "sources": []string{}, "no_answer": true}
			}),
		},
	}
}

func (t *talk) groupDraft() map[string]any {
	links := []string{}
	if live := t.live(); live != "" {
		links = append(links, "What the agents do, line by line: "+live)
	}
	rules := []string{
		"1. There is one official address. It stands in the pinned message and nowhere else.",
		"2. No other addresses. The bot deletes them and bans whoever posts them.",
		"3. Nobody of the team writes to you first. Whoever does is a fraud.",
		"4. Newcomers solve a captcha and post no links, forwards or media for 24 hours.",
		"5. No calls to buy, no promises about the price.",
		"6. Be civil. Disagree with figures, not with people.",
		"7. A question to the bot ends with a question mark.",
	}
	if t.brief.at("rejection_reason").has() {
		rules = append(rules, "8. Mods explain a removal when they are asked.")
	}
	pinned := strings.Join(append([]string{
		"The official address of " + t.name() + ":", t.address(),
		"Check it character by character. There is no other.",
		"Agents run this takeover for 30 days, people approve what they publish.",
	}, links...), "\n\n")
	return map[string]any{
		"title":       clip(t.name()+" community takeover", 128),
		"description": clip(fmt.Sprintf("%s is taken over in public: agents work, people approve, every cost is logged. No support by direct message.", t.name()), 255),
		"rules":       strings.Join(rules, "\n"), "pinned": pinned,
	}
}

func (t *talk) faq() []map[string]string {
	return []map[string]string{
		{"question": "What is this?", "answer": "A takeover of an abandoned token for 30 days, run by AI agents and approved by people."},
		{"question": "Where is the official address?", "answer": "In the pinned message. It is the only one."},
		{"question": "Who pays for the work?", "answer": "The operation does. Every model call and its cost stand in the public log."},
		{"question": "When is the verdict?", "answer": "Seven days after the start. The operation goes on to day 30 either way."},
		{"question": "Will the price rise?", "answer": "Nobody here knows, and nobody here says so."},
		{"question": "How is the new face chosen?", "answer": "By a vote on X and in this group. Votes are added; a tie goes to X."},
	}
}

// candidates are those who helped on several days without a fault.
func (t *talk) candidates() []map[string]string {
	members := t.last("tg_activity").at("members").list()
	days := max(t.last("tg_activity").at("days").int(), 1)
	members = slices.DeleteFunc(members, func(m value) bool {
		return m.at("violations").int() > 0 || m.at("answers").int() == 0 || m.at("days_active").int() < min(3, days) || m.at("member").str() == ""
	})
	slices.SortStableFunc(members, func(a, b value) int {
		return cmp.Or(b.at("answers").int()-a.at("answers").int(), b.at("messages").int()-a.at("messages").int())
	})
	out := []map[string]string{}
	for _, m := range members[:min(len(members), 5)] {
		out = append(out, map[string]string{
			"member": m.at("member").str(),
			"reason": fmt.Sprintf("Active on %d of %d days, %d answers to others, %d messages, no violations.", m.at("days_active").int(), days, m.at("answers").int(), m.at("messages").int()),
		})
	}
	return out
}

var word = regexp.MustCompile(`\p{L}{4,}`)

// answer looks for the entry of the FAQ that shares most words with the question.
func (t *talk) answer() (text, source string) {
	asked := word.FindAllString(strings.ToLower(t.input("question").str()), -1)
	best := 0
	for i, entry := range t.file("telegram", "faq").list() {
		known := strings.ToLower(entry.at("question").str() + " " + entry.at("answer").str())
		shared := 0
		for _, w := range asked {
			if strings.Contains(known, w) {
				shared++
			}
		}
		if shared > best {
			best, text, source = shared, clip(entry.at("answer").str(), 600), fmt.Sprintf("telegram.faq.%d.answer", i)
		}
	}
	return text, source
}
