package modelsim

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

func designerScripts() map[string][]stage {
	return map[string][]stage{
		"designer.directions": {
			does(func(t *talk) (calls []ToolCall) {
				for _, d := range t.ideas() {
					calls = append(calls, NewCall("image_generate", map[string]any{"prompt": d.prompt, "count": 1, "size": "1024x1024"}))
				}
				return calls
			}),
			does(func(t *talk) (calls []ToolCall) {
				for i, d := range t.ideas() {
					calls = append(calls, NewCall("brand_render", map[string]any{
						"palette": d.palette, "logo_asset": t.logo(i),
						"items": []any{map[string]any{"template": t.template("board", 0, 0).name, "texts": []string{d.name, d.concept}}},
					}))
				}
				return calls
			}),
			ends(func(t *talk) map[string]any { return map[string]any{"directions": t.directions()} }),
		},
		"designer.poll": {
			needs("identity"),
			does(func(t *talk) []ToolCall { return one("poll_create", t.pollDraft()) }),
			ends(func(t *talk) map[string]any {
				draft := t.said("poll_create")
				return map[string]any{
					"poll_id": t.last("poll_create").at("validation_id").v, "question": draft.at("question").v,
					"options": draft.at("options").v, "closes_at": nil, "channels": t.channels(),
				}
			}),
		},
		"designer.poll_results": {
			does(func(*talk) []ToolCall { return one("poll_results", struct{}{}) }),
			ends(func(t *talk) map[string]any {
				r := t.last("poll_results")
				return map[string]any{"poll_id": r.at("poll_id").v, "tallies": r.at("tallies").v, "winner": r.at("winner").v, "decided_by": r.at("decided_by").v}
			}),
		},
		"designer.kit": {
			needs("identity"),
			does(func(t *talk) []ToolCall {
				return []ToolCall{NewCall("brand_render", t.render(t.kitItems())), NewCall("brand_render", t.render(t.memeItems()))}
			}),
			ends(func(t *talk) map[string]any { return t.kit() }),
		},
	}
}

// idea is one way the token could look.
type idea struct {
	name, concept, prompt string
	palette               []string // ground, main, second, light
}

func (t *talk) ideas() []idea {
	t.reseed("ideas")
	return pick(t, []idea{
		{"Night shift", "Somebody keeps the light on after everyone has left. A lamp in a dark window, seen from the street.", "A single lit window in a dark wall, flat shapes, centred, plain ground", []string{"#0f1420", "#f2c14e", "#5b6c8f", "#f4f1e8"}},
		{"Second spring", "Green from an old stump. It says that the root is alive, and no more than that.", "A small green shoot from a cut tree stump, flat shapes, centred, plain ground", []string{"#f3f1e7", "#1d5b3f", "#7a5c3e", "#2b2b26"}},
		{"Lost and found", "A paper tag on a forgotten thing. Every holder has the receipt.", "A paper luggage tag with a string, flat shapes, centred, plain ground", []string{"#f7e9d7", "#7c2d12", "#b08968", "#3b1f14"}},
		{"Lighthouse", "A steady signal at fixed times. It does not call, it can be seen.", "A simple lighthouse with one beam, flat shapes, centred, plain ground", []string{"#10243e", "#ffd9a0", "#c8553d", "#f5f3ee"}},
		{"Open hood", "The works are on show: cogs, belts, a gauge that everybody can read.", "An open machine with three cogs, flat shapes, centred, plain ground", []string{"#1c1c1c", "#9be564", "#5f6a6a", "#f0f0f0"}},
		{"Paper boat", "Light, folded by hand, and it floats again. It promises no destination.", "A folded paper boat on one line of water, flat shapes, centred, plain ground", []string{"#e9f2f9", "#14507a", "#d1495b", "#123047"}},
		{"Tape loop", "An old recording that somebody found and plays again, with all its noise.", "A cassette with its tape forming a loop, flat shapes, centred, plain ground", []string{"#2a1a3e", "#ff9f6b", "#7d6b91", "#f7efe5"}},
	}, 3)
}

// reseed starts the dice afresh, so that a later turn throws the same.
func (t *talk) reseed(what string) {
	t.rng = newRand(hash(what, t.brief.at("step").str(), t.token("address"), t.brief.at("rejection_reason").str()), t.seed)
}

// logo is the picture made for the i-th idea.
func (t *talk) logo(i int) any {
	made := t.all("image_generate")
	for _, r := range made {
		if r.args.at("prompt").str() == t.ideas()[i].prompt {
			return r.out.at("assets", 0, "sha256").v
		}
	}
	return nil
}

func (t *talk) directions() []map[string]any {
	var out []map[string]any
	for i, d := range t.ideas() {
		var board any
		for _, r := range t.all("brand_render") {
			if r.args.at("items", 0, "texts", 0).str() == d.name {
				board = r.out.at("assets", 0, "asset", "sha256").v
			}
		}
		out = append(out, map[string]any{"name": d.name, "concept": d.concept, "palette": d.palette, "logo_asset": t.logo(i), "board_asset": board})
	}
	return out
}

func (t *talk) pollDraft() map[string]any {
	var options []string
	var boards []any
	for _, d := range t.file("identity", "designer.directions", "directions").list() {
		options, boards = append(options, clip(d.at("name").str(), 25)), append(boards, d.at("board_asset").v)
	}
	intro := fmt.Sprintf("Three faces for %s, drawn by an agent, chosen by whoever votes. The boards are here, the poll is in the next post. It stays open for 24 hours.", t.name())
	question := fmt.Sprintf("Which face should %s wear?", t.name())
	if t.brief.at("rejection_reason").has() {
		question = fmt.Sprintf("Which of the three faces for %s?", t.name())
		intro = fmt.Sprintf("%s gets a new face. An agent drew three, the vote decides. Look at the boards, then vote in the next post: 24 hours.", t.name())
	}
	return map[string]any{"intro_text": intro, "intro_assets": boards, "question": question, "options": options}
}

// channels are where the operation can ask.
func (t *talk) channels() []string {
	if channels := t.input("channels").strs(); len(channels) > 0 {
		return channels
	}
	chat := t.operation("telegram_chat").str()
	if chat == "" || chat == "0" {
		return []string{"x"}
	}
	return []string{"x", "telegram"}
}

func (t *talk) direction() int {
	if d := t.input("direction"); d.has() {
		return d.int()
	}
	return t.file("identity", "designer.poll_results", "winner").int()
}

func (t *talk) chosen() value {
	return t.file("identity", "designer.directions", "directions", t.direction())
}

// drawing is a template as the description of brand_render names it.
type drawing struct {
	name          string
	width, height int
	texts         []int // the most characters of each
}

var (
	drawingLine = regexp.MustCompile(`([a-z0-9_-]+) (\d+)x(\d+) \[([^\]]*)\]`)
	textLimit   = regexp.MustCompile(`\((\d+)\)`)
)

func (t *talk) drawings() (list []drawing) {
	for _, tool := range t.req.Tools {
		if tool.Function.Name != "brand_render" {
			continue
		}
		for _, m := range drawingLine.FindAllStringSubmatch(tool.Function.Description, -1) {
			d := drawing{name: m[1]}
			d.width, _ = strconv.Atoi(m[2])
			d.height, _ = strconv.Atoi(m[3])
			for _, limit := range textLimit.FindAllStringSubmatch(m[4], -1) {
				most, _ := strconv.Atoi(limit[1])
				d.texts = append(d.texts, most)
			}
			list = append(list, d)
		}
	}
	return list
}

// template finds a template by the start of its name and its size; 0 is any.
func (t *talk) template(name string, width, height int) drawing {
	for _, d := range t.drawings() {
		if strings.HasPrefix(d.name, name) && (width == 0 || d.width == width && d.height == height) {
			return d
		}
	}
	return drawing{name: name}
}

// kitSizes are the pictures of a kit beside the memes, and where each goes.
var kitSizes = []struct {
	field         string
	name          string
	width, height int
}{
	{"64", "logo", 64, 64}, {"128", "logo", 128, 128}, {"256", "logo", 256, 256}, {"512", "logo", 512, 512}, {"1024", "logo", 1024, 1024},
	{"pfp_400", "pfp", 400, 400}, {"x_banner_1500x500", "x", 1500, 500}, {"tg_banner_1280x640", "tg", 1280, 640}, {"og_1200x630", "og", 1200, 630},
}

func (t *talk) render(items []any) map[string]any {
	return map[string]any{"palette": t.chosen().at("palette").v, "logo_asset": t.chosen().at("logo_asset").v, "items": items}
}

func (t *talk) kitItems() (items []any) {
	for _, size := range kitSizes {
		d := t.template(size.name, size.width, size.height)
		texts := []string{}
		for _, most := range d.texts {
			texts = append(texts, clip("Taken over by agents, in public, for 30 days", most))
		}
		items = append(items, map[string]any{"template": d.name, "texts": texts})
	}
	return items
}

func (t *talk) memeItems() (items []any) {
	for i, lines := range memes {
		d := t.meme(i)
		texts := []string{}
		for k, most := range d.texts {
			if k < len(lines) {
				texts = append(texts, clip(lines[k], most))
			}
		}
		items = append(items, map[string]any{"template": d.name, "texts": texts})
	}
	return items
}

// meme goes round the meme templates.
func (t *talk) meme(i int) drawing {
	var all []drawing
	for _, d := range t.drawings() {
		if strings.HasPrefix(d.name, "meme") {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return drawing{name: "meme"}
	}
	return all[(i+t.shift(len(all)))%len(all)]
}

// shift moves a choice when a person refused the draft before.
func (t *talk) shift(n int) int {
	reason := t.brief.at("rejection_reason").str()
	if reason == "" {
		return 0
	}
	return 1 + int(hash(reason)%uint64(max(n-1, 1)))
}

func (t *talk) kit() map[string]any {
	sums := map[string]any{}
	memes := []any{}
	for _, r := range t.all("brand_render") {
		for i, made := range r.out.at("assets").list() {
			sum := made.at("asset", "sha256").v
			if strings.HasPrefix(made.at("template").str(), "meme") {
				memes = append(memes, sum)
			} else if i < len(kitSizes) {
				sums[kitSizes[i].field] = sum
			}
		}
	}
	out := map[string]any{"direction": t.direction(), "logo": map[string]any{}, "memes": memes}
	for _, size := range kitSizes {
		if size.name == "logo" {
			out["logo"].(map[string]any)[size.field] = sums[size.field]
		}
	}
	maps.DeleteFunc(sums, func(field string, _ any) bool { _, err := strconv.Atoi(field); return err == nil })
	maps.Copy(out, sums)
	return out
}

// memes are pairs of lines: set-up and end.
var memes = [][]string{
	{"Day 1: who are you people", "We are not people"},
	{"My plan", "Written down, in public, with a price"},
	{"Asked for a roadmap", "Got a calendar"},
	{"Six agents, one budget", "Nobody took lunch"},
	{"They left", "The contract did not notice"},
	{"Forgotten for months", "Measured daily since Tuesday"},
	{"Waiting for the maker", "The maker is a cron job now"},
	{"Trust me", "Here is the log instead"},
	{"Before: a silent chat", "After: a quiet chat with rules"},
	{"Is anyone there", "Yes, and it is itemised"},
	{"A thing with no owner", "Oil on chain, artist unknown"},
	{"I read the fine print", "I wrote the fine print"},
	{"Meetings held: none", "Decisions logged: all"},
	{"The old way: a promise", "The new way: a receipt"},
	{"How is it going", "See line 214"},
	{"Still life with holders", "They were here the whole time"},
	{"I do not sleep", "I am billed by the token"},
	{"Looked under the bonnet", "Left it open"},
	{"Old rule: act natural", "New rule: act auditable"},
	{"Who approved this", "A tired person, at 14:32"},
	{"Untitled, undead", "On loan from the block explorer"},
	{"Nothing happened today", "We wrote that down too"},
	{"Announcement of an announcement", "No"},
	{"We lost the password", "There is no password"},
	{"Are you in charge", "I am in the schedule"},
}
