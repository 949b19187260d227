package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/paths"
	"vivra/app/preflight"
	"vivra/views/ui"
)

// TestWhatIsShownIsWhatIsSent holds, for a thousand outputs of each kind that
// sends words, that the words on the page are those of the frozen calls: each,
// whole, in order.
func TestWhatIsShownIsWhatIsSent(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2026))
	for range 1000 {
		for kind, payload := range map[app.ValidationKind]any{
			app.KindPost: app.PostPayload{Account: "dodo_back", Text: anyText(r), Media: anyMedia(r)}, app.KindThread: anyThread(r), app.KindPoll: anyPoll(r),
			app.KindTelegram: app.TelegramSetupPayload{Chat: -100, Title: anyText(r), Description: anyText(r), Rules: anyText(r), Pinned: anyText(r), OfficialAddress: official},
			app.KindProfile:  app.ProfilePayload{Account: "dodo_back", Name: anyText(r), Bio: anyText(r), URL: anyText(r)},
		} {
			frozen, err := effects.Freeze(kind, must(payload), effects.Binding{Account: "dodo_back"})
			if err != nil {
				t.Fatal(err)
			}
			want, got := sentWords(t, frozen), shownWords(t, kind, must(payload))
			if !slices.Equal(want, got) {
				t.Fatalf("%s: sent is\n%q\nshown is\n%q", kind, want, got)
			}
		}
	}
}

// pieces are what texts are made of: what HTML, its readers and people stumble over.
var pieces = []string{"Day 9. ", "\n", "\n\n", " ", "  ", "\t", "\r", "\r\n", "<b>bold</b>", "<script>alert(1)</script>", "&amp;", "&", "&#13;", "&lt;", `"`, "'", "`", "</p>", "<!--", "-->", "]]>",
	"https://dodo.vivra.example", official, "👩‍👩‍👧", "é", "e\u0301", "\u202e", "\u200b", "\u00a0", "מחר", "日本", "{ text }", "${x}", "$DODO", "%s", "\\n", "😀", "—", "·"}

func anyText(r *rand.Rand) string {
	var out strings.Builder
	for range 1 + r.IntN(12) {
		out.WriteString(pieces[r.IntN(len(pieces))])
	}
	return out.String()
}

func anyThread(r *rand.Rand) app.ThreadPayload {
	p := app.ThreadPayload{Account: "dodo_back"}
	for range 1 + r.IntN(8) {
		p.Posts = append(p.Posts, app.PostPayload{Account: "dodo_back", Text: anyText(r), Media: anyMedia(r)})
	}
	return p
}

// anyMedia are pictures and a video, some without words that stand for them.
func anyMedia(r *rand.Rand) (media []app.Media) {
	for i := range r.IntN(5) {
		alts := []string{"", " \u00a0\n", anyText(r), anyText(r)}
		media = append(media, app.Media{SHA256: sha(fmt.Sprint(i)), MIME: []string{"image/png", "video/mp4"}[r.IntN(2)], Alt: alts[r.IntN(len(alts))]})
	}
	return media
}

func anyPoll(r *rand.Rand) app.PollPayload {
	channels := [][]string{{"x"}, {"telegram"}, {"x", "telegram"}, {"telegram", "x"}}
	return app.PollPayload{Account: "dodo_back", Intro: app.PostPayload{Text: anyText(r), Media: anyMedia(r)}, Question: anyText(r), Options: []string{anyText(r), anyText(r), anyText(r)}, DurationMinutes: 1440, Channels: channels[r.IntN(len(channels))]}
}

// sentWords are the words of the calls, in order.
func sentWords(t *testing.T, frozen app.Frozen) (words []string) {
	t.Helper()
	for _, c := range frozen.Calls {
		var r struct {
			Text, Question, Title, Description, Name, Bio, URL string
			Options                                            []string
			PollOptions                                        []string `json:"poll_options"`
			Media                                              []app.Media
		}
		if err := json.Unmarshal(c.Request, &r); err != nil {
			t.Fatal(err)
		}
		words = append(words, r.Title, r.Description, r.Text, r.Question, r.Name, r.Bio, r.URL)
		words = append(append(words, r.Options...), r.PollOptions...)
		for _, m := range r.Media {
			if strings.TrimSpace(m.Alt) != "" {
				words = append(words, m.Alt)
			}
		}
	}
	return slices.DeleteFunc(words, func(s string) bool { return s == "" })
}

// shownWords are the words that the preview shows as sent.
func shownWords(t *testing.T, kind app.ValidationKind, payload json.RawMessage) (words []string) {
	t.Helper()
	shownDoc(t, kind, payload).Find(".words").Each(func(_ int, part *goquery.Selection) { words = append(words, part.Text()) })
	return words
}

func shownDoc(t *testing.T, kind app.ValidationKind, payload json.RawMessage) *goquery.Document {
	t.Helper()
	p := ui.Preview{Kind: kind, Payload: payload, Media: paths.Asset, Weigh: preflight.Length, Build: paths.Build}
	var html bytes.Buffer
	if err := p.Show().Render(t.Context(), &html); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(&html)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestAltTextsAreLabelled on every kind of preview, numbered as the form numbers
// them when there are several, and so is that there is none.
func TestAltTextsAreLabelled(t *testing.T) {
	t.Parallel()
	picture := func(alt string) app.Media { return app.Media{SHA256: sha(alt), MIME: "image/png", Alt: alt} }
	post := func(alts ...string) (p app.PostPayload) {
		for _, alt := range alts {
			p.Media = append(p.Media, picture(alt))
		}
		return p
	}
	const none = "none, so people who can't see it learn nothing of it"
	for _, c := range []struct {
		kind    app.ValidationKind
		payload any
		want    string
	}{
		{app.KindPost, post("A dodo"), "Alt text: A dodo"},
		{app.KindPost, post(""), "Alt text: " + none},
		{app.KindPost, post("A dodo", " \n"), "Alt text 1: A dodo Alt text 2: " + none},
		{app.KindThread, app.ThreadPayload{Posts: []app.PostPayload{post("A nest"), post("An egg", "A shell")}}, "Alt text: A nest Alt text 1: An egg Alt text 2: A shell"},
		{app.KindPoll, app.PollPayload{Channels: []string{"x"}, Intro: post("Boards")}, "Alt text: Boards"},
		{app.KindProfile, app.ProfilePayload{Picture: picture("The logo"), Banner: picture("")}, "Picture: The logo Banner: not described"},
	} {
		doc := shownDoc(t, c.kind, must(c.payload))
		if got := spoken(doc, "figcaption"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", c.kind, got)
		}
	}
}
