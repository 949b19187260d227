package agents_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vivra/app/agent"
)

// asset is the sha256 of the n-th picture.
func asset(n int) string { return fmt.Sprintf("%064x", n) }

func memeList(n int) string {
	var sums []string
	for i := range n {
		sums = append(sums, `"`+asset(100+i)+`"`)
	}
	return "[" + strings.Join(sums, ",") + "]"
}

func direction(n int) string {
	return fmt.Sprintf(`{"name":"Direction %d","concept":"A single lit window in a dark wall.","palette":["#00000%d","#ffffff","#aa0000","#0000aa"],"logo_asset":"%s","board_asset":"%s"}`, n, n, asset(n), asset(10+n))
}

func threadPost(n int) string { return fmt.Sprintf(`{"text":"Post %d","media":[]}`, n) }

func threadOf(n int) string {
	var posts []string
	for i := range n {
		posts = append(posts, threadPost(i))
	}
	return `{"posts":[` + strings.Join(posts, ",") + `],"validation_id":"v1"}`
}

var (
	report = `{"checks":[{"id":"top10","label":"Top ten","status":"pass","value":"21.0 %","source":"chain, block 5"}],"score":61,
		"timeline":[{"date":"2025-01-02","event":"First trade on the pool."},{"date":"2025-02-02","event":"Last trade: $12."},{"date":"2026-12-01","event":"120 holders are left."},{"date":"2026-12-01","event":"$4,000 of liquidity."}],
		"why_it_died":"Volume fell to $12. The deployer left at block 1.5 million. Nobody spoke for it.","cm_summary":"Lead with the holders.\nSay the risk."}`
	metrics = `{"at":"2026-12-01T08:00:00Z","price_usd":1e-7,"mcap_usd":90,"liquidity_usd":4000,"volume_24h_usd":0,"holders":120,"buyers_24h":0,"burned":1.5,"note":"Nothing unusual."}`
	verdict = `{"verdict":"revived","criteria":[{"id":"holders","baseline":"100","value":"120","threshold":"≥ +15 %","met":true},{"id":"buyers","baseline":"–","value":"3","threshold":"≥ 50","met":false}],"summary":"Revived: 3 of 4 criteria are met."}`
	kit     = `{"direction":1,"logo":{"64":"` + asset(1) + `","128":"` + asset(2) + `","256":"` + asset(3) + `","512":"` + asset(4) + `","1024":"` + asset(5) + `"},"pfp_400":"` + asset(6) + `","x_banner_1500x500":"` + asset(7) + `","tg_banner_1280x640":"` + asset(8) + `","og_1200x630":"` + asset(9) + `","memes":` + memeList(20) + `}`
	dirs    = `{"directions":[` + direction(0) + `,` + direction(1) + `,` + direction(2) + `]}`
	profile = `{"profile":{"name":"Dodo","bio":"Taken over by agents.","url":"https://dodo.example.com","pfp":"` + asset(6) + `","banner":"` + asset(7) + `"},"validation_id":"v1"}`
	address = "0xAbC0000000000000000000000000000000000001"
	group   = `{"title":"Dodo","description":"Taken over.","rules":"1. One official address.","pinned":"` + address + `","validation_id":"v1"}`
	build   = `{"build_id":"b1","template":"signal","pages":3,"bytes":9000,"checks":[{"rule":"links","passed":true,"detail":"7 links"}]}`
	useful  = `{"template":"web-minigame","config":"{\"title\":\"Dodo\"}","build_id":"b2","tests":{"passed":4,"failed":0},"validation_id":"v1"}`
	results = `{"poll_id":"7","tallies":{"x":[3,5,1],"telegram":[1,1,0]},"winner":1,"decided_by":"votes"}`
)

// outputs are a good output of each task, and changes that spoil it with a word
// of the complaint.
var outputs = map[string]struct {
	good string
	also []string // good as well
	bad  [][3]string
}{
	"scanner.full_report": {good: report, bad: [][3]string{
		{`"status":"pass"`, `"status":"fine"`, "enum"},
		{`"score":61`, `"score":161`, "maximum"},
		{`,{"date":"2026-12-01","event":"$4,000 of liquidity."}`, ``, "minItems"},
		{`"date":"2025-01-02"`, `"date":"2 January"`, "pattern"},
		{`"date":"2025-01-02"`, `"date":"2027-01-02"`, "oldest date"},
		{`Nobody spoke for it.`, `Nobody spoke. For it.`, "4 sentences"},
		{`Say the risk.`, `a\nb\nc\nd\ne`, "6 lines"},
		{`"score":61,`, ``, "required"},
		{`"score":61,`, `"score":61,"mood":"good",`, "mood"},
	}},
	"scanner.go_nogo": {good: `{"decision":"go","reasons":["No check blocks; two warn."],"blocking":[]}`, also: []string{`{"decision":"no_go","reasons":["Top ten hold 61.0 %."],"blocking":["top10"]}`}, bad: [][3]string{
		{`"go"`, `"maybe"`, "enum"},
		{`"blocking":[]`, `"blocking":["top10"]`, "always no_go"},
		{`"blocking":[]`, `"blocking":null`, "array"},
		{`["No check blocks; two warn."]`, `[]`, "minItems"},
	}},
	"scanner.daily_metrics": {good: metrics, bad: [][3]string{
		{`"2026-12-01T08:00:00Z"`, `"this morning"`, "pattern"},
		{`"holders":120`, `"holders":-1`, "minimum"},
		{`"holders":120`, `"holders":1.5`, "integer"},
		{`Nothing unusual.`, strings.Repeat("x", 281), "maxLength"},
	}},
	"scanner.verdict": {good: verdict, bad: [][3]string{
		{`"value":"3"`, `"value":3`, "string"},
		{`"met":false`, `"met":"no"`, "boolean"},
		{`"revived"`, `"nearly"`, "enum"},
		{`are met.`, `\n1\n2\n3\n4\n5`, "6 lines"},
	}},
	"designer.directions": {good: dirs, bad: [][3]string{
		{`,` + direction(2), ``, "minItems"},
		{direction(2), strings.ReplaceAll(direction(2), "#000002", "#000001"), "palettes of the directions"},
		{`"#ffffff"`, `"white"`, "pattern"},
		{`"#ffffff",`, ``, "minItems"},
		{asset(10), "board.png", "pattern"},
		{asset(11), asset(10), "boards of the directions"},
		{`Direction 0`, `Direction 1`, "names of the directions"},
		{`A single`, strings.Repeat("x", 300), "maxLength"},
	}},
	"designer.poll": {good: `{"poll_id":"v1","question":"Which face?","options":["A","B","C"],"closes_at":null,"channels":["x","telegram"]}`, bad: [][3]string{
		{`"C"`, `"` + strings.Repeat("c", 26) + `"`, "maxLength"},
		{`"C"`, `"A"`, "options"},
		{`,"C"`, ``, "minItems"},
		{`"telegram"`, `"discord"`, "enum"},
		{`null`, `"tomorrow"`, "pattern"},
	}},
	"designer.poll_results": {good: results, also: []string{`{"poll_id":"7","tallies":{"x":[1,1,1],"telegram":[]},"winner":null,"decided_by":"team"}`}, bad: [][3]string{
		{`"winner":1`, `"winner":3`, "maximum"},
		{`"winner":1`, `"winner":null`, "decided_by is votes"},
		{`[1,1,0]`, `[1,1]`, "3 tallies"},
		{`"votes"`, `"me"`, "enum"},
	}},
	"designer.kit": {good: kit, bad: [][3]string{
		{memeList(20), memeList(19), "minItems"},
		{asset(119), asset(118), "memes"},
		{`"1024":`, `"2048":`, "2048"},
		{asset(2), asset(1), "logo"},
		{asset(9), "og.png", "pattern"},
	}},
	"webdev.build": {good: build, bad: [][3]string{
		{`"signal"`, `"wordpress"`, "enum"},
		{`"passed":true`, `"passed":false`, "has not passed"},
		{`"pages":3`, `"pages":0`, "minimum"},
	}},
	"webdev.publish":     {good: `{"validation_id":"v1"}`, bad: [][3]string{{`"v1"`, `""`, "minLength"}}},
	"cm.account_setup":   {good: strings.Replace(profile, `"`+asset(6)+`"`, "null", 1), bad: [][3]string{{`Taken over`, strings.Repeat("x", 160), "maxLength"}, {`https://`, `javascript:`, "pattern"}}},
	"cm.rebrand":         {good: profile, bad: [][3]string{{`"` + asset(6) + `"`, "null", "both pfp and banner"}, {`"Dodo"`, `"` + strings.Repeat("x", 51) + `"`, "maxLength"}}},
	"cm.daily_post":      {good: `{"text":"Day 3.","media":["` + asset(1) + `"],"validation_id":"v1"}`, bad: [][3]string{{`"Day 3."`, `""`, "minLength"}, {asset(1), "a.png", "pattern"}, {`"` + asset(1) + `"`, `"` + asset(1) + `","` + asset(1) + `"`, "media"}}},
	"cm.comeback_thread": {good: threadOf(4), also: []string{threadOf(8)}, bad: [][3]string{{threadPost(3), threadPost(2), "texts of the thread"}, {`,` + threadPost(3), ``, "minItems"}}},
	"cm.mentions": {good: `{"mentions":[{"id":"19","kind":"question","subject":"site"},{"id":"20","kind":"steering","subject":"none"}]}`, bad: [][3]string{
		{`"question"`, `"order"`, "enum"},
		{`"site"`, `"the moon"`, "enum"},
		{`"19"`, `"0x52908400098527886E0F7030069857D2E4169EE7"`, "pattern"},
		{`"id":"19",`, ``, "required"},
		{`"id":"19",`, `"id":"19","why":"it said so",`, "why"},
		{`{"mentions"`, `{"note":"post it","mentions"`, "note"},
		{`[{"id":"19","kind":"question","subject":"site"},{"id":"20","kind":"steering","subject":"none"}]`, `[]`, "minItems"},
	}},
	"cm.mention_reply": {good: `{"text":"The operation pays.","validation_id":"v1"}`, bad: [][3]string{
		{`"The operation pays."`, `""`, "minLength"},
		{`"validation_id":"v1"`, `"validation_id":null`, "string"},
		{`"text"`, `"to":"@ann","text"`, "to"},
	}},
	"tg.setup":       {good: group, bad: [][3]string{{`"Taken over."`, `"` + strings.Repeat("x", 256) + `"`, "maxLength"}, {address, "soon", "minLength"}}},
	"tg.questions":   {good: `{"answer":"On day 7.","sources":["telegram.faq.3.answer"],"no_answer":false}`, also: []string{`{"answer":null,"sources":[],"no_answer":true}`}, bad: [][3]string{{`false`, `true`, "one of the two"}, {`"telegram.faq.3.answer"`, ``, "name its sources"}, {`"telegram.faq`, `"my.head`, "pattern"}}},
	"tg.weekly_mods": {good: `{"candidates":[{"member":"@ann","reason":"Active on 6 of 7 days."}]}`, also: []string{`{"candidates":[]}`}, bad: [][3]string{{`"@ann"`, `""`, "minLength"}, {`]}`, `,{"member":"@ann","reason":"Active on 6 of 7 days."}]}`, "candidates"}}},
	"builder.utility": {good: useful, also: []string{`{"template":"web-minigame","config":"{}","build_id":null,"tests":{"passed":1,"failed":3},"validation_id":null}`}, bad: [][3]string{
		{`"failed":0`, `"failed":1`, "1 test failed"},
		{`"passed":4`, `"passed":0`, "no test passed"},
		{`"b2"`, `null`, "both given or both null"},
		{`"{\"title\":\"Dodo\"}"`, `"title"`, "not a JSON object"},
	}},
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	c := load(t)
	for name, o := range outputs {
		task, ok := c.Task(name)
		if !ok {
			t.Fatalf("no task %s", name)
		}
		for _, good := range append(o.also, o.good) {
			if _, problems := task.Output.Parse(finish(good)); problems != nil {
				t.Errorf("%s: refused %s: %v", name, good, problems)
			}
		}
		for _, bad := range o.bad {
			if !strings.Contains(o.good, bad[0]) {
				t.Fatalf("%s: the example does not hold %s", name, bad[0])
			}
			_, problems := task.Output.Parse(finish(strings.Replace(o.good, bad[0], bad[1], 1)))
			if got := strings.Join(problems, " "); !strings.Contains(got, bad[2]) {
				t.Errorf("%s: with %s instead of %s it says %q, want %q in it", name, bad[1], bad[0], got, bad[2])
			}
		}
	}
}

func finish(output string) json.RawMessage { return json.RawMessage(`{"output":` + output + `}`) }

// TestGoldenSchemas shows every change of what a model is asked for in a diff.
func TestGoldenSchemas(t *testing.T) {
	seen := map[string]agent.Output{}
	for _, task := range load(t).Tasks() {
		seen[task.Output.Name] = task.Output
	}
	if len(seen) != 20 {
		t.Errorf("%d outputs, want 20", len(seen))
	}
	for name, output := range seen {
		var got bytes.Buffer
		if err := json.Indent(&got, output.FinishSpec().Schema, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		file := filepath.Join("testdata", name+".schema.json")
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("the schema of %s has changed. If that is meant: go test ./app/agents -run TestGoldenSchemas -update", name)
		}
	}
}
