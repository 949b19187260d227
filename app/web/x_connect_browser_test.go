package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"

	"vivra/app/internal/testbrowser"
)

// TestConnectInABrowser goes the way to X and back in a real browser: between
// two sites, under the policies of both. A page fails the test when its policy
// is broken.
func TestConnectInABrowser(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		account, button string
		prepare         func(b *booth)
		role, says      string
		connected       bool
	}{
		"allow":         {"Dodo_Back", "allow", nil, "status", "@dodo_back is connected.", true},
		"deny":          {"Dodo_Back", "deny", nil, "alert", "Access was denied at X.", false},
		"wrong account": {"someone_else", "allow", nil, "alert", "X was signed in as @someone_else", false},
		"expired code": {"Dodo_Back", "allow", func(b *booth) {
			b.answers("/2/oauth2/token", func() int { b.wall.Advance(31 * time.Second); return 0 })
		}, "alert", "for 30 seconds", false},
		"wrong state": {"Dodo_Back", "", nil, "alert", "belongs to nothing that was asked for here", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t)
			if c.prepare != nil {
				c.prepare(b)
			}
			page := testbrowser.Page(t)
			signInWith(page, b.url, "admin")
			b.goes(page, c.account, c.button)
			if said := squeeze(page.MustElement("[role=" + c.role + "]").MustText()); !strings.Contains(said, c.says) {
				t.Errorf("it says %q", said)
			}
			if kept := b.count("x_accounts WHERE state = 'connected'") == 1; kept != c.connected {
				t.Errorf("connected is %t", kept)
			}
			if n := b.count("x_connections WHERE outcome = ''"); name != "wrong state" && n != 0 {
				t.Error("the connection has no outcome")
			}
		})
	}
}

// goes sets out on the accounts' page and decides at X; without a button it is
// led back by a link that nobody asked for.
func (b *booth) goes(page *rod.Page, account, button string) {
	page.MustNavigate(b.url + "/admin/accounts").MustWaitLoad()
	leads(page, `#x-dodo_back form[action="/admin/accounts/connections"] button`)
	leads(page, `main a[href^="`+b.at+`"]`)
	page.MustElement("select[name=account]").MustSelect(account)
	if button == "" {
		page.MustNavigate(b.url + "/admin/accounts/callback?state=somebody-elses&code=c").MustWaitLoad()
		return
	}
	leads(page, `button[value=`+button+`]`)
}

// leads clicks on what leads to another page, and waits for that.
func leads(page *rod.Page, selector string) {
	arrived := page.MustWaitNavigation()
	page.MustElement(selector).MustClick()
	arrived()
	page.MustWaitLoad()
}
