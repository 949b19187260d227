package modelsim

import (
	"fmt"
	"strings"
)

func cmScripts() map[string][]stage {
	profile := []stage{
		reads(func(*talk) []ToolCall { return one("socials_profile", map[string]any{"handle": nil}) }),
		does(func(t *talk) []ToolCall { return one("x_profile_update", t.profileDraft()) }),
		ends(func(t *talk) map[string]any {
			return map[string]any{"profile": t.profile(), "validation_id": t.last("x_profile_update").at("validation_id").v}
		}),
	}
	return map[string][]stage{
		"cm.account_setup":     profile,
		"cm.rebrand":           append([]stage{needs("identity", "site")}, profile[1:]...),
		"cm.verification_post": post(nil, verificationDraft),
		"cm.utility_post":      post([]string{"utility", "site"}, utilityDraft),
		"cm.daily_post":        append([]stage{needs("identity", "x"), reads(func(*talk) []ToolCall { return one("market_snapshot", struct{}{}) })}, post(nil, dailyDraft)...),
		"cm.verdict_post":      post([]string{"verdict"}, verdictDraft),
		"cm.comeback_thread": {
			needs("scan", "identity", "site"),
			does(func(t *talk) []ToolCall { return one("x_thread", map[string]any{"posts": t.thread()}) }),
			writes(func(t *talk) map[string]any {
				return t.spoke("x_thread", t.said("x_thread").at("posts", 0, "text").str())
			}),
			ends(func(t *talk) map[string]any {
				posts := []any{}
				for _, p := range t.said("x_thread").at("posts").list() {
					posts = append(posts, map[string]any{"text": p.at("text").v, "media": p.at("assets").v})
				}
				return map[string]any{"posts": posts, "validation_id": t.last("x_thread").at("validation_id").v}
			}),
		},
	}
}

// draft is a post with its pictures.
type draft struct {
	text        string
	assets, alt []string
}

// post is the script of a task that proposes one post.
func post(sections []string, write func(t *talk) draft) []stage {
	return []stage{
		needs(sections...),
		does(func(t *talk) []ToolCall {
			d := write(t)
			return one("x_post", map[string]any{"text": d.text, "assets": append([]string{}, d.assets...), "alt": append([]string{}, d.alt...)})
		}),
		writes(func(t *talk) map[string]any { return t.spoke("x_post", t.said("x_post").at("text").str()) }),
		ends(func(t *talk) map[string]any {
			said := t.said("x_post")
			return map[string]any{"text": said.at("text").v, "media": said.at("assets").v, "validation_id": t.last("x_post").at("validation_id").v}
		}),
	}
}

// spoke appends to the list of what was said, of which the last 15 are kept.
func (t *talk) spoke(tool, text string) map[string]any {
	var posts []any
	for _, p := range t.file("x", "posts").list() {
		posts = append(posts, p.v)
	}
	posts = append(posts, map[string]any{"step": t.brief.at("step").v, "text": text, "validation_id": t.last(tool).at("validation_id").v})
	return map[string]any{"posts": posts[max(len(posts)-15, 0):]}
}

func (t *talk) profileDraft() map[string]any {
	url := t.live()
	if site := t.site(); site != "" && t.brief.at("task").str() == "cm.rebrand" {
		url = site
	}
	bio := "Community takeover by AI agents, approved by people. Automated account, run by Vivra. Every cost is public."
	if t.brief.at("rejection_reason").has() {
		bio = "Taken over for 30 days by AI agents. People approve each post. Automated account, run by Vivra."
	}
	return map[string]any{
		"name": clip(t.name(), 50), "bio": bio, "url": url,
		"picture_asset": t.file("identity", "designer.kit", "pfp_400").v, "banner_asset": t.file("identity", "designer.kit", "x_banner_1500x500").v,
	}
}

func (t *talk) profile() map[string]any {
	said := t.said("x_profile_update")
	return map[string]any{
		"name": said.at("name").v, "bio": said.at("bio").v, "url": said.at("url").v,
		"pfp": said.at("picture_asset").v, "banner": said.at("banner_asset").v,
	}
}

func verificationDraft(t *talk) draft {
	first := "This account speaks for the takeover of this token. The code below proves it to a form that asked."
	if t.brief.at("rejection_reason").has() {
		first = "Proof for a takeover form: this account, this contract, this code."
	}
	return draft{text: fmt.Sprintf("%s\n\nCode: %s\nContract: %s", first, t.input("code").str(), t.address())}
}

func utilityDraft(t *talk) draft {
	what := t.file("utility", "what").or("a small tool")
	tests := t.file("utility", "builder.utility", "tests", "passed").int()
	where := ""
	if site := t.site(); site != "" && t.try == 0 {
		where = site
	}
	head := fmt.Sprintf("%s has something to use now: %s", t.tag(), strings.TrimSuffix(clip(strings.ReplaceAll(what, "$", ""), 110), ".")+".")
	if t.brief.at("rejection_reason").has() {
		head = fmt.Sprintf("Built by an agent for %s: %s", t.tag(), strings.TrimSuffix(clip(strings.ReplaceAll(what, "$", ""), 110), ".")+".")
	}
	return draft{text: fit(260, head, where, fmt.Sprintf("%d tests passed before a person saw it. No wallet, no sign-in.", tests))}
}

func verdictDraft(t *talk) draft {
	v := t.file("verdict", "scanner.verdict")
	met, weakest := 0, ""
	for _, c := range v.at("criteria").list() {
		if c.at("met").yes() {
			met++
		} else if weakest == "" {
			weakest = fmt.Sprintf("Missed: %s, %s (threshold %s).", criterionName(c), c.at("value").or("unknown"), c.at("threshold").str())
		}
	}
	word := strings.ReplaceAll(v.at("verdict").or("no verdict"), "_", " ")
	head := fmt.Sprintf("Seven days are over. The verdict on %s: %s. %d of %d criteria are met.", t.tag(), word, met, len(v.at("criteria").list()))
	if t.brief.at("rejection_reason").has() {
		head = fmt.Sprintf("Day 7 for %s, by the rule that was published on day 0: %s, %d of %d criteria met.", t.tag(), word, met, len(v.at("criteria").list()))
	}
	return draft{text: fit(270, head, weakest, "The agents go on to day 30 either way.")}
}

// thread tells the story so far.
func (t *talk) thread() []map[string]any {
	facts, result := t.file("scan", "facts"), t.file("identity", "designer.poll_results")
	lead := fmt.Sprintf("%s was left by its makers. For 30 days it is run by six AI agents, in public: every call they make, what it costs, and who approved it.", t.tag())
	if t.brief.at("rejection_reason").has() {
		lead = fmt.Sprintf("A token without makers, run for 30 days by six AI agents. This is %s, and this is what happened so far.", t.tag())
	}
	texts := []string{
		lead,
		clip("How it went quiet. "+t.report("why_it_died"), 270),
		fmt.Sprintf("What the checks found: %d holders are left, %d of them never sold. The ten largest have %s. Liquidity is %s.",
			facts.at("holders").int(), facts.at("never_sold").int(), percent(facts.at("top10_share").num()), usd(facts.at("liquidity_usd").num())),
		fmt.Sprintf("The new face was put to a vote. It went to %q. On X %s, in the group %s.",
			t.chosen().at("name").or("the first direction"), votes(result.at("tallies", "x")), votes(result.at("tallies", "telegram"))),
	}
	if site := t.site(); site != "" {
		texts = append(texts, fmt.Sprintf("The site: %s\n\nThe one official address: %s", site, t.address()))
	}
	texts = append(texts, "What comes next: one post a day, one useful thing, and on day 7 a verdict by a rule that is already written down. What is not promised: anything about the price.")
	posts := []map[string]any{}
	for i, text := range texts {
		assets := []string{}
		if banner := t.file("identity", "designer.kit", "og_1200x630").str(); i == 0 && banner != "" {
			assets = append(assets, banner)
		}
		posts = append(posts, map[string]any{"text": text, "assets": assets})
	}
	return posts
}

func votes(x value) string {
	counts := x.strs()
	if len(counts) == 0 {
		return "nobody was asked"
	}
	return strings.Join(counts, " : ")
}
