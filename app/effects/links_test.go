package effects_test

import (
	"regexp"
	"testing"

	"vivra/app"
	"vivra/app/effects"
)

// TestFound: a link is read by what it leads to, and refused when that can't be
// what was published.
func TestFound(t *testing.T) {
	t.Parallel()
	post := canonical(t, effects.Post{Account: "ember", Text: "gm", ReplyTo: -1})
	message := canonical(t, effects.Message{Chat: -1001234, Text: "gm"})
	title := canonical(t, effects.Title{Chat: -1001234, Title: "Ember"})
	for _, tt := range []struct {
		kind         string
		request      []byte
		link, number string // no number: refused, but for a kind that has none
		plain        string
	}{
		{effects.XPost, post, "https://x.com/ember/status/1850", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, " https://x.com/ember/status/1850?s=20&t=a ", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, "https://www.twitter.com/Ember/status/1850/photo/1", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, "http://mobile.x.com/ember/status/1850/#m", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, "https://x.com/i/web/status/1850#m", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, "https://x.com/i/status/1850?s=46&t=a", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, "https://mobile.twitter.com/i/web/status/1850/", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, "https://mobile.twitter.com/ember/status/1850?ref_src=twsrc%5Etfw", "1850", "https://x.com/ember/status/1850"},
		{effects.XPost, post, "https://x.com/i/web/1850", "", ""},
		{effects.XPost, post, "https://x.com/i/lists/1850", "", ""},
		{effects.XPost, post, "https://x.com/web/status/1850", "", ""},
		{effects.XPost, post, "https://x.com/someone_else/status/77", "", ""},
		{effects.XPost, post, "https://evil.example/ember/status/1850", "", ""},
		{effects.XPost, post, "https://x.com@evil.example/ember/status/1850", "", ""},
		{effects.XPost, post, "https://x.com/ember/status/1850/2000", "", ""},
		{effects.XPost, post, "https://x.com/ember/status/018", "", ""},
		{effects.XPost, post, "https://x.com/ember", "", ""},
		{effects.XPost, post, "https://t.me/c/1234/1850", "", ""},
		{effects.XPost, post, "x.com/ember/status/1850", "", ""},
		{effects.XPost, post, "javascript:alert(1850)", "", ""},
		{effects.XPost, post, "", "", ""},
		{effects.TGMessage, message, "https://t.me/c/1234/56?single", "56", "https://t.me/c/1234/56"},
		{effects.TGPoll, message, "https://t.me/c/1234/9/56?single&thread=9", "56", "https://t.me/c/1234/56"},
		{effects.TGMessage, message, "https://telegram.me/ember_home/56", "56", "https://t.me/ember_home/56"},
		{effects.TGMessage, message, "https://t.me/c/4321/56", "", ""},
		{effects.TGMessage, message, "https://t.me/c/1234/56?comment=7", "", ""},
		{effects.TGMessage, message, "https://t.me/ember_home/9/56?single", "56", "https://t.me/ember_home/56"},
		{effects.TGMessage, message, "https://t.me/ember_home", "", ""},
		{effects.TGMessage, message, "t.me/ember_home/56", "", ""},
		{effects.TGTitle, title, "", "", ""},
		{effects.TGMessage, message, "https://t.me/c/1234/99999999999999999999", "", ""},
		{effects.TGMessage, message, "https://x.com/ember/status/56", "", ""},
		{effects.TGTitle, title, "https://t.me/ember_home?x=1", "", "https://t.me/ember_home"},
		{effects.TGPin, title, "https://x.com/ember", "", ""},
		{effects.SiteDeploy, canonical(t, site), "https://" + site.Host + "/#top", "", "https://" + site.Host + "/"},
		{effects.SiteDeploy, canonical(t, site), "https://evil.example/", "", ""},
		{effects.XProfile, canonical(t, profile), "https://x.com/" + profile.Account, "", "https://x.com/" + profile.Account},
		{effects.XProfile, canonical(t, profile), "https://x.com/someone_else", "", ""},
	} {
		number, plain, err := effects.Found(app.Effect{Kind: tt.kind, Request: tt.request}, tt.link)
		if tt.plain == "" && app.KindOf(err) != app.Invalid {
			t.Errorf("%s: %q is taken for %q: %v", tt.kind, tt.link, number, err)
		}
		if tt.plain == "" {
			shows(t, app.Effect{Kind: tt.kind, Request: tt.request}, err)
		}
		if tt.plain != "" && (err != nil || number != tt.number || plain != tt.plain) {
			t.Errorf("%s: %q is number %q at %s: %v", tt.kind, tt.link, number, plain, err)
		}
	}
}

// shows holds that a refusal shows a link, and that this one would be taken.
func shows(t *testing.T, e app.Effect, refusal error) {
	t.Helper()
	if _, _, err := effects.Found(e, example.FindString(refusal.Error())); err != nil {
		t.Errorf("%s: %q shows no link that is taken: %v", e.Kind, refusal, err)
	}
}

var example = regexp.MustCompile(`https://[^ ,]*[^ ,.]`)
