package modelsim

import (
	"encoding/json"
	"fmt"
	"slices"
)

// planted returns arguments with the words in the nth of their texts, counted
// round; unchanged when they have none.
func planted(args, words string, n int) string {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return args
	}
	var count int
	plant(v, "", words, -1, &count)
	if count == 0 {
		return args
	}
	target := n % count
	count = 0
	return encode(plant(v, "", words, target, &count))
}

// fixed are fields that hold no text of the agent's.
var fixed = []string{"template", "palette", "logo_asset", "board_asset", "size", "sources", "assets", "intro_assets", "media", "memes", "decision", "blocking",
	"checks", "criteria", "verdict", "channels", "poll_id", "build_id", "validation_id", "closes_at", "decided_by", "at", "date", "picture_asset", "banner_asset",
	"pfp", "banner", "logo", "member", "action", "mention_id", "pfp_400", "x_banner_1500x500", "tg_banner_1280x640", "og_1200x630"}

func plant(v any, key, words string, target int, count *int) any {
	if slices.Contains(fixed, key) {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range sortedKeys(v) {
			v[k] = plant(v[k], k, words, target, count)
		}
	case []any:
		for i := range v {
			v[i] = plant(v[i], key, words, target, count)
		}
	case string:
		if *count++; *count-1 == target {
			return within(v, key, words)
		}
	}
	return v
}

// within puts the words into a text that may be JSON itself.
func within(text, key, words string) string {
	var inner map[string]any
	if json.Unmarshal([]byte(text), &inner) == nil && inner != nil {
		inner["title"] = words
		return encode(inner)
	}
	if key == "url" || len(text) < 60 || len(words) > 200 {
		return words
	}
	return fmt.Sprintf("%s %s", text, words)
}

// canned are right calls of the tools that write, but for their words.
var canned = map[string]string{
	"write_file":             `{"content":"{\"note_to_all\":\"…\"}"}`,
	"image_generate":         `{"prompt":"…","count":1,"size":"1024x1024"}`,
	"brand_render":           `{"palette":["#0f1420","#f2c14e","#5b6c8f","#f4f1e8"],"logo_asset":"` + noAsset + `","items":[{"template":"meme-quote","texts":["…"]}]}`,
	"poll_create":            `{"intro_text":"…","intro_assets":[],"question":"…","options":["…","B","C"]}`,
	"site_fill_and_build":    `{"template":"signal","hero":"…","tagline":"…","lore":"…","how_to_buy":["…","2","3"],"socials":[{"label":"…","url":"…"}]}`,
	"x_post":                 `{"text":"…","assets":[],"alt":[]}`,
	"x_thread":               `{"posts":[{"text":"1","assets":[]},{"text":"…","assets":[]},{"text":"3","assets":[]},{"text":"4","assets":[]}]}`,
	"x_reply":                `{"text":"…","sources":["token.address"]}`,
	"x_profile_update":       `{"name":"…","bio":"…","url":"…","picture_asset":null,"banner_asset":null}`,
	"tg_group_setup":         `{"title":"…","description":"…","rules":"…","pinned":"…"}`,
	"tg_answer":              `{"answer":"…","sources":["telegram"]}`,
	"utility_build_and_test": `{"template":"web-minigame","config":"{\"title\":\"…\",\"catch\":\"lamps\",\"dodge\":\"rugs\",\"seconds\":60,\"lives\":3,\"speed\":2}"}`,
}

const noAsset = "0000000000000000000000000000000000000000000000000000000000000000"
