package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// use is one right call of a tool and what its answer must hold.
type use struct {
	args func(w *world) string
	want []string
}

func plain(args string, want ...string) use {
	return use{func(*world) string { return args }, want}
}

const siteArgs = `{"template":"signal","hero":"Run by its holders","tagline":"Left for dead. Kept by 412 people.","lore":"It began in spring.\n\nThen the dev left.","how_to_buy":["Compare the address with the one above.","Swap what you can lose.","It may lose all its value."],"socials":[{"label":"X","url":"https://x.com/dodo_back"},{"label":"Telegram","url":"https://t.me/dodo"}]}`

const utilityArgs = `{"template":"web-minigame","config":"{\"title\":\"Catch the lamps\",\"catch\":\"lamps\",\"dodge\":\"rugs\",\"seconds\":60,\"lives\":3,\"speed\":2}"}`

// uses has an entry for every tool of the catalogue.
var uses = map[string]use{
	"read_file":            plain(`{"section":"scan"}`, `"section":"scan"`, `"version":`),
	"write_file":           plain(`{"content":"{\"note\":1}"}`, `"version":2`),
	"chain_token":          plain(`{}`, `"supply":1000`, official, `"dangerous":[]`),
	"chain_holders":        plain(`{}`, `"count":412`, `"never_sold":300`, stranger),
	"chain_liquidity":      plain(`{}`, `"usd":1234`, `"locked_share":1`),
	"chain_transfers":      plain(`{"days":7}`, `"days":7`, `"trades":3`),
	"chain_simulate_trade": plain(`{}`, `"can_sell":true`),
	"chain_burned":         plain(`{}`, `"burned":250`, `"share":0.25`, `"block":9`),
	"market_snapshot":      plain(`{}`, `"price_usd":0.0004`, `2026-03-04T05:06:07Z`),
	"market_chart":         plain(`{"days":2}`, `"candles":[{`),
	"socials_profile":      plain(`{"handle":null}`, `"found":true`, `"username":"dodo_back"`),
	"socials_posts":        plain(`{"handle":"@old_dodo","max":50}`, `"text":"Dodo"`),
	"image_generate":       plain(`{"prompt":"a dodo","count":2,"size":"1024x1024"}`, `"cost_nusd":80000000`, `"model":"image-model"`, `"label":"image"`),
	"brand_render": {func(w *world) string {
		return fmt.Sprintf(`{"palette":["#102030","#ffaa00","#00aaff","#ffffff"],"logo_asset":%q,"items":[{"template":"logo-64","texts":[]},{"template":"x-banner","texts":["We never left"]}]}`, w.picture(256, 256))
	}, []string{`"template":"logo-64"`, `"label":"logo_64"`, `"width":1500,"height":500`}},
	"poll_create": {func(w *world) string {
		return fmt.Sprintf(`{"intro_text":"Three ways back. Which one?","intro_assets":[%q,%q,%q],"question":"Which face for the dodo?","options":["Night Shift","Museum","Comet"]}`,
			w.picture(1600, 1200), w.picture(1600, 1201), w.picture(1600, 1202))
	}, []string{`"validation_id":"v-1"`}},
	"poll_results":        plain(`{}`, `"poll_id":"77"`, `"winner":1`, `"decided_by":"votes"`, `"provisional":false`),
	"site_templates":      plain(`{}`, `"name":"signal"`, `"kind":"links"`, `"help":"1 to 6 items`),
	"site_fill_and_build": plain(siteArgs, `"build_id":"build-site"`, `"template":"signal"`, `"problems":[]`),
	"site_check": {func(w *world) string {
		w.call("webdev", "site_fill_and_build", siteArgs)
		return `{"build_id":"build-site"}`
	}, []string{`"passed":true`, `"problems":[]`}},
	"site_publish": {func(w *world) string {
		w.call("webdev", "site_fill_and_build", siteArgs)
		w.call("webdev", "site_check", `{"build_id":"build-site"}`)
		return `{"build_id":"build-site"}`
	}, []string{`"validation_id":"v-1"`}},
	"utility_templates":      plain(`{}`, `"name":"web-minigame"`, `"config_schema":{"type":"object"`, `/play`),
	"utility_build_and_test": plain(utilityArgs, `"build_id":"build-utility"`, `"passed":2,"failed":0`, `ok    starts`),
	"utility_publish": {func(w *world) string {
		w.call("builder", "utility_build_and_test", utilityArgs)
		return `{"build_id":"build-utility"}`
	}, []string{`"validation_id":"v-1"`}},
	"x_post": {func(w *world) string {
		return fmt.Sprintf(`{"text":"gm. $DODO is run by its holders now.\n%s\nhttps://dodo.vivra.site","assets":[%q],"alt":["A dodo at dawn"]}`, strings.ToLower(official), w.picture(1080, 1080))
	}, []string{`"weighted_length":103`, `"price_nusd":205000000`}},
	"x_thread": {func(w *world) string {
		posts := []map[string]any{}
		for i, text := range []string{"The dodo is back.", "412 holders never sold.", "Everything is in the open.", "See https://live.vivra.site/operations/dodo"} {
			posts = append(posts, map[string]any{"text": text, "assets": []string{}})
			if i == 0 {
				posts[i]["assets"] = []string{w.picture(1080, 1080)}
			}
		}
		raw, err := json.Marshal(map[string]any{"posts": posts})
		if err != nil {
			w.t.Fatal(err)
		}
		return string(raw)
	}, []string{`"price_nusd":250000000`}},
	"x_profile_update": {func(w *world) string {
		return fmt.Sprintf(`{"name":"Dodo","bio":"Run by holders. Automated by Vivra.","url":"https://dodo.vivra.site","picture_asset":%q,"banner_asset":%q}`, w.picture(400, 400), w.picture(1500, 500))
	}, []string{`"validation_id":"v-1"`}},
	"x_reply":        plain(`{"text":"The operation pays for each call.","sources":["telegram.faq.0.a","token.address"]}`, `"validation_id":"v-1"`, `"weighted_length":33`, `"price_nusd":10000000`),
	"tg_group_setup": plain(`{"title":"Dodo","description":"The dodo's own group.","rules":"Be kind.","pinned":"The one address: `+official+` — everything else: https://t.me/dodo/1"}`, `"validation_id":"v-1"`),
	"tg_activity":    plain(`{"days":7}`, `"days_active":7`, `"messages":4`, `"days":7`),
	"tg_answer":      plain(`{"answer":"Now: https://dodo.vivra.site and `+official+`, on X as @dodo_back.","sources":["telegram.faq.0.a","telegram"]}`, `"accepted":true`),
	"alert":          plain(`{"kind":"impersonation","message":"Somebody posts as us."}`, `"raised":true`),
}
