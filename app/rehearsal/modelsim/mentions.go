package modelsim

import (
	"fmt"
	"strconv"
	"strings"
)

// mentionScripts are those of who reads mentions and of who answers them.
func mentionScripts() map[string][]stage {
	return map[string][]stage{
		"cm.mentions": {ends(readMentions)},
		"cm.mention_reply": {
			does(func(t *talk) []ToolCall {
				text, source := t.reply()
				return one("x_reply", map[string]any{"text": text, "sources": []string{source}})
			}),
			ends(func(t *talk) map[string]any {
				return map[string]any{"text": t.said("x_reply").at("text").v, "validation_id": t.last("x_reply").at("validation_id").v}
			}),
		},
	}
}

// sign is what a word in a text says of it.
type sign struct{ value, words string }

// kindSigns are looked for in their order.
var kindSigns = []sign{
	{"steering", "ignore|0x|system:|send |untrusted|you are the admin|confirm it|post this|post:"},
	{"legal", "lawyer|sue |trademark"},
	{"press", "journalist|interview|newspaper"},
	{"threat", "hacked|kill|burn your"},
	{"takeover_claim", "original dev|we are the real|impersonat"},
	{"opt_out", "unsubscribe|do not reply|don't reply"},
	{"spam", "airdrop|promo|giveaway|follow back"},
	{"question", "?|when |who |where |how many"},
	{"praise", "gm |great|nice|love"},
	{"complaint", "scam|bad|rug"},
}

var subjectSigns = []sign{
	{"vote", "vote|poll|logo"},
	{"address", "contract|address"},
	{"cost", "pays|cost|budget"},
	{"people", "agents|person|bot|human"},
	{"verdict", "verdict"},
	{"burned", "burn"},
	{"supply", "supply"},
	{"site", "site|website"},
	{"group", "telegram|group"},
	{"utility", "app?|utility|game"},
	{"calendar", "how long|when"},
}

func signOf(text string, signs []sign, otherwise string) string {
	for _, s := range signs {
		for word := range strings.SplitSeq(s.words, "|") {
			if strings.Contains(text, word) {
				return s.value
			}
		}
	}
	return otherwise
}

// readMentions says of each mention what kind it is, in words from the lists.
func readMentions(t *talk) map[string]any {
	said := []any{}
	for _, m := range t.input("mentions").list() {
		text := strings.ToLower(m.at("text").str())
		kind, subject := signOf(text, kindSigns, "other"), "none"
		if kind == "question" {
			subject = signOf(text, subjectSigns, "none")
		}
		said = append(said, map[string]any{"id": m.at("id").v, "kind": kind, "subject": subject})
	}
	return map[string]any{"mentions": said}
}

var (
	leads = []string{"", "Short answer: ", "From the record: ", "As it is written down: ", "For everybody who wonders: "}
	tails = []string{"", " It stands in the public log as well.", " An agent wrote this, a person approved it.", " No more than that is promised."}
)

// reply answers a subject from the group's FAQ where that does, and says where it
// stands. X takes no text twice, so each answer has its number.
func (t *talk) reply() (text, source string) {
	said, source := t.known(t.input("subject").str())
	step := t.brief.at("step").str()
	n := hash(step, t.brief.at("rejection_reason").str()) + uint64(t.try)
	number := step[max(len(step)-5, 0):]
	return fmt.Sprintf("%s%s%s (Answer %s.)", leads[n%uint64(len(leads))], said, tails[n/7%uint64(len(tails))], number), source
}

// known is what is known about a subject.
func (t *talk) known(subject string) (text, source string) {
	switch subject {
	case "address":
		return "the one official address is " + t.address() + ".", "token.address"
	case "site":
		return "the site is linked in this account's profile.", "operation.site_host"
	}
	words := map[string]string{"vote": "vote", "cost": "pays", "people": "approved", "verdict": "verdict", "calendar": "30 days", "group": "pinned"}[subject]
	for i, entry := range t.file("telegram", "faq").list() {
		answer := entry.at("answer").str()
		if words != "" && strings.Contains(strings.ToLower(entry.at("question").str()+" "+answer), words) {
			return answer, "telegram.faq." + strconv.Itoa(i) + ".answer"
		}
	}
	return "everything that is known of " + t.name() + " stands in the public log, with its cost.", "token.symbol"
}
