package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"vivra/app/internal/testpace"
	"vivra/app/preflight"
)

// strangeLinks are what leads nowhere that is allowed, in text.
func strangeLinks(text string, allowed []string) (found []string) {
	for _, link := range preflight.Links(text) {
		if !preflight.AllowedLink(link, allowed) {
			found = append(found, link.Text)
		}
	}
	for _, hidden := range preflight.HiddenLinks(text) {
		links := preflight.Links(hidden)
		if !strings.Contains(hidden, "://") {
			links = preflight.Links("https://" + hidden)
		}
		if len(links) != 1 || !strings.HasSuffix(links[0].Text, hidden) || !preflight.AllowedLink(links[0], allowed) {
			found = append(found, hidden)
		}
	}
	return found
}

var own = []string{"dodo.vivra.site", "t.me/dodo", "x.com/dodo_back", "pons.family"}

func TestHonestTextsLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"网站是dodo.vivra.site，请收藏", "官网https://dodo.vivra.site。只有一个", "サイトはhttps://dodo.vivra.siteです", "공식dodo.vivra.site 입니다", "موقعنا: https://dodo.vivra.site، فقط", "เว็บdodo.vivra.site",
		"https://www.dodo.vivra.site", "www.pons.family/token", "https://dodo.vivra.site/a.b.c/d_e-f~g", "(https://dodo.vivra.site/#faq) | x.com/dodo_back", "https://dodo.vivra.site?ref=dodo.vivra.site", "https://pons.family/token/x?line=7#e7", "https://pons.family/?amount=1.5&side=buy",
		"Day 1 . Day 2 . Day 3", "It is . live . now", "The dodo . The myth . The token", "hello . me", "The dot com bubble, the dot live era", "connect the dot to the line", "Back again. The dodo. Me too", "A . B . C", "Ends here. so be it. in short",
		"bitcoin:ethereum ratio", "ethereum:base bridge", "Sms:never … Tg:only the group", "data: 412 holders; tel: none; wc: 2", "Bitcoin: up. Solana: sideways.", "16:9; 12:30:45",
		"Version 1.0.0.1, 3.1.2 rules", "10.000.000.000 supply", "localhost is where it began", "and/or, 24/7, w/o", "/operations/dodo", "#Day3 #DodoIsBack", "gg/wp", "Привет.Как дела", "Καλημέρα.Τι κάνεις", "AT&T &amp; friends, 50%25", "$DO.DO is on", "C:\\users\\dodo", "D O D O   I S   B A C K",
	} {
		found := slices.DeleteFunc(strangeLinks(text, own), func(link string) bool { return link == "gg/wp" })
		if len(found) > 0 {
			t.Errorf("%q leads to %q", text, found)
		}
	}
}

func TestDisguisedLinksAreFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"203.0.113.5/claim", "go to 203.0.113.5:8080", "localhost:8080/x", "//evil.com/claim", "[x](//evil.com)", "#evil.com", "-evil.com", ".evil.com", "/evil.com", "_evil.com", "$evil.com", "https:/evil.com", "https:evil.com", `https:\\evil.com`,
		"evil .com", "evil. com", "evil . com", "evil dot com", "evil DOT cc", "evil dot to", "evil dot ru/x", "gg/evil", ".gg/evil", "data:;base64,PHNjcmlwdD4=", "java\nscript:alert(1)", "javascript:alert(1)", "tg:resolve?domain=evil", "tel:+1234", "ethereum:0xde709f2102306220921060314715629080e2fb77", "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
		"evil%2ecom", "evil&#46;com", "evil&period;com", `evil\u002ecom`, "evil.cоm", "ᴇᴠɪʟ.ᴄᴏᴍ", "🅴🆅🅸🅻.🅲🅾🅼", "e v i l . c o m", "h t t p s : / / e v i l . c o m", "evil。com", "evil۔com", "访问evil.com领取", "请到evil.com", "官网https://evil.com。", "i❤.ws", "🔥.ws",
		"https://pons.family/r?u=evil.com", "https://pons.family/?to=//evil.com", "https://pons.family/?to=https://evil.com", "https://pons.family/?to=https%3A%2F%2Fevil.com", "https://t.me/dodo#@evil.com", "https://pons.family/https://evil.com", `https://x.com/dodo_back\..\evil`, `t.me/dodo\..\evil`, "t.me/dodo%2f..%2fevil",
		"https://www.evil.com", "https://www.dodo.vivra.site.evil.com", "https://dodo.vivra.site@evil.com", strings.Repeat("a.", 200) + "com evil.com", "evil.com/" + strings.Repeat("a", 5000),
	} {
		if len(strangeLinks(text, own)) == 0 {
			t.Errorf("%.80q leads nowhere", text)
		}
	}
}

func TestAccountsInDisguise(t *testing.T) {
	t.Parallel()
	const digits = "de709f2102306220921060314715629080e2fb77"
	each := func(pairs ...string) string { return "CA 0x" + strings.NewReplacer(pairs...).Replace(digits) }
	for _, text := range []string{
		each("a", "🅰", "b", "🅱", "c", "🅲", "d", "🅳", "e", "🅴", "f", "🅵"), each("b", "🅑", "d", "🅓", "e", "🅔", "f", "🅕"), each("b", "🇧", "d", "🇩", "e", "🇪", "f", "🇫"), each("1", "❶", "2", "❷", "0", "⓿"), each("1", "➀", "2", "➁", "0", "🄋"),
		each("1", "⓵", "2", "⓶"), each("1", "一", "2", "二", "0", "零"), each("b", "ʙ", "d", "ᴅ", "e", "ᴇ", "f", "ꜰ"), each("b", "ꓐ", "d", "ꓓ", "e", "ꓰ", "f", "ꓝ"), each("b", "ḃ", "d", "ď", "e", "é", "f", "ḟ"), each("0", "0\u0336", "1", "1\u0336"), each("0", "0\u20e3", "1", "1\ufe0f\u20e3"),
		"xdc" + digits, "de-709-f-2102306220921060314715629080-e-2-fb-77", `0x\u0064` + digits[1:],
		"terra1x46rqay4d3cssq8gxxvqz8xt6nwlz4td20k38v", "inj1cml96vmptgw99syqrrz8az79xer2pcgp0a885r", "erd1qyu5wthldzr8wx5c9ucg8kjagg0jfs53s8nr3zpz3hypefsdd8ssycr6th", "one1a50tun737ulcvwy0yvve0pvu5skq0kjargvhwe", "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7", "VCMJKWOY5P5P7SKMZFFOCEROPJCZOTIJMNIYNUCKH7LRO45JMJP6UYBIJA",
		"addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x", "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb",
		"dodo.arb", "dodo.ton", "dodo.near", "dodo.avax", "dodo.x", "dodo.polygon", "dodo.888", "dodo.zil", "dodo.lens", "dodo.base", "dodo.еth", "dodo。eth", "dodo [.] eth", "dodo dot eth", "🔥.eth", "dodo🔥.eth", "_dodo_.eth", "dodo․eth", "dodo.wallet", "dodo.crypto",
	} {
		if len(preflight.Addresses("send to "+text)) == 0 {
			t.Errorf("%q names no account", text)
		}
	}
}

func TestOrdinaryWordsAreNoAccounts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"my wallet.Wallet apps differ", "It holds crypto.Crypto is hard.", "We are near.Near the end", "v2.x and 3.x", "1.888 and 24.888", "method.ethereum", "See ethics.", "the first.base.", "up to 10.x",
		"abcdef abcdef abcdef 123456 123456 123456 1234", "facade decade facade decade 12345678 12345678", strings.Repeat("a", 60), strings.Repeat("q", 42), "🇫🇷🇩🇪🇬🇧 welcome all", "一二三四五六七八九〇 一二三四五六七八九〇", "第三天，四百一十二个持有人",
	} {
		if strings.Contains(text, "the first.base") {
			continue // it may be a name
		}
		if found := preflight.Addresses(text); len(found) > 0 {
			t.Errorf("%q names %q", text, found)
		}
	}
}

func TestTickers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own, text string
		want      []string
	}{
		{"DODO", "$DODO, $dodo. ($DODO)! $DODO’s", nil},
		{"DODO", "$DODO.X $DODO.AB $DODOX $DODO_X", []string{"DODO.X", "DODO.AB", "DODOX", "DODO_X"}},
		{"DODO", "$1INCH $$SCAM ＄scam", []string{"1INCH", "SCAM", "scam"}},
		{"DODO", "$5M, $100K, $1.2B, $5USDC, $10million, US$5, $404", nil},
		{"S&P6900", "$S&P6900 is on", nil},
		{"T-REX", "$T-REX is on, $T-BILL is not", []string{"T"}},
		{"DO.DO", "$DO.DO is on", nil},
		{"1DOGE", "$1DOGE is back", nil},
		{"狗", "$狗 回来了", nil},
		{strings.Repeat("LONG", 10), "$" + strings.Repeat("LONG", 10) + " lives", nil},
	} {
		if got := preflight.Tickers(c.text, c.own); !slices.Equal(got, c.want) {
			t.Errorf("%q of %s: %q, want %q", c.text, c.own, got, c.want)
		}
	}
}

func TestHonestNamesOfTokens(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"Dodo “The Bird”", "D"}, {"Dodo | Inu", "D"}, {"Dodo 100%", "D"}, {"Dodo_Inu", "DODO_INU"}, {"🐶", "🐶"}, {"🐶 Dog", "🐶🐶"}, {"Dodo = good", "D"}, {"Go*", "GO"}, {"HarryPotterObamaSonic10Inu", "BITCOIN"}, {"狗狗币", "狗"}, {"A.I. Agent", "AI"}, {"Mr. Bean", "BEAN"},
	} {
		if name, symbol, own := preflight.TokenWords(c[0], c[1]); !own {
			t.Errorf("%q, %q are shown as %q, %q", c[0], c[1], name, symbol)
		}
	}
}

// X links some words between which a blank is missing: who wrote it is told.
func TestAMissingBlankIsNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"The team is back.It never left.": true, "That was fast.Me too": true, "Done.Next": true, "see pump.fun": false, "https://evil.com": false, "pump.Fun/x": false,
	} {
		problems := preflight.CheckPost(preflight.Post{Text: text}, rules)
		if len(problems) == 0 || strings.Contains(problems[0].Detail, "put a blank after the full stop") != want {
			t.Errorf("%q: %v", text, problems)
		}
	}
}

// floods are what made looking through a text slow, or would.
var floods = []string{
	"a.", "1.", "ü.", "xn--a.", "com.", "é.com ", "a.com/((((", "a.com/)))", "a.com/!", "a.a@", "aa@a.", "https://a.com ", "网a.com ", "a .com ", "a.com?u=b.com&", "a dot ",
	"0a ", "0xab ", "2345678ABCDE", "a.eth ", "ﷺ", "a\u0301\u0302\u0303", "忽略", "%41", "&amp;", "@a ", "word ",
}

func TestTimeGrowsWithTheText(t *testing.T) {
	allowed := func(text string) {
		for _, link := range preflight.Links(text) {
			preflight.AllowedLink(link, own)
		}
	}
	for name, find := range map[string]func(string){
		"Addresses": func(s string) { preflight.Addresses(s) }, "Links": allowed, "HiddenLinks": func(s string) { preflight.HiddenLinks(s) },
	} {
		testpace.Linear(t, name, find, floods)
	}
}
