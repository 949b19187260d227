package effects

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"vivra/app"
)

// How what was published is addressed. X shows a post under its number alone,
// too. A topic stands between a chat and its message.
var (
	postPath    = regexp.MustCompile(`^/(?:i/(?:web/)?|([A-Za-z0-9_]{1,15})/)status/([1-9][0-9]{0,19})(/(photo|video)/[0-9]{1,2})?/?$`)
	messagePath = regexp.MustCompile(`^/(c/[0-9]{1,17}|[A-Za-z][A-Za-z0-9_]{3,31})/(?:[0-9]{1,17}/)?([1-9][0-9]{0,17})/?$`)
)

// target is where a request is carried out.
type target struct {
	Account, Host string
	Chat          int64
}

// Found reads the link that a person gives to what an effect has published: the
// number that the platform knows it by, empty where it gives none, and the link
// without what does not belong to it. What can't be the effect's is refused.
func Found(e app.Effect, link string) (number, plain string, err error) {
	var to target
	if err := json.Unmarshal(e.Request, &to); err != nil {
		return "", "", fmt.Errorf("read request: %w", err)
	}
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", "", app.Errorf(app.Invalid, "Give the link to what you found there: it reads like %s. Nothing was changed.", to.example(e.Kind))
	}
	host := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.Host), "www."), "mobile.")
	switch e.Kind {
	case XPost:
		return foundPost(to, host, u.Path)
	case TGMessage, TGPoll:
		return foundMessage(to, host, u.Path, u.Query().Has("comment"))
	}
	return "", "https://" + u.Host + u.EscapedPath(), placed(e.Kind, to, host, u.Path)
}

// example is how the link to something that an effect of a kind has published reads.
func (t target) example(kind string) string {
	switch {
	case kind == XPost:
		return "https://x.com/" + t.Account + "/status/1850"
	case kind == XProfile:
		return "https://x.com/" + t.Account
	case t.Host != "":
		return "https://" + t.Host + "/"
	}
	if chat, private := strings.CutPrefix(strconv.FormatInt(t.Chat, 10), "-100"); private {
		return "https://t.me/c/" + chat + "/56, or https://t.me/group_name/56 where the group is public"
	}
	return "https://t.me/group_name/56"
}

func foundPost(to target, host, path string) (number, plain string, err error) {
	parts := postPath.FindStringSubmatch(path)
	if host != "x.com" && host != "twitter.com" || parts == nil {
		return "", "", app.Errorf(app.Invalid, "That is no link to a post: it reads like %s. Nothing was changed.", to.example(XPost))
	}
	if parts[1] != "" && !strings.EqualFold(parts[1], to.Account) {
		return "", "", app.Errorf(app.Invalid, "That is a post of @%s, and this one goes out as @%s: its link reads like %s. Nothing was changed.", parts[1], to.Account, to.example(XPost))
	}
	return parts[2], "https://x.com/" + to.Account + "/status/" + parts[2], nil
}

func foundMessage(to target, host, path string, comment bool) (number, plain string, err error) {
	parts := messagePath.FindStringSubmatch(path)
	if host != "t.me" && host != "telegram.me" || parts == nil || comment {
		return "", "", app.Errorf(app.Invalid, "That is no link to a message of the group: copy it from the message itself, it reads like %s. Nothing was changed.", to.example(TGMessage))
	}
	// A public group's name is not known here, only its number.
	if chat, numbered := strings.CutPrefix(parts[1], "c/"); numbered && "-100"+chat != strconv.FormatInt(to.Chat, 10) {
		return "", "", app.Errorf(app.Invalid, "That is a message in another chat than the operation's group, where it reads like %s. Nothing was changed.", to.example(TGMessage))
	}
	return parts[2], "https://t.me/" + parts[1] + "/" + parts[2], nil
}

// placed refuses a link that leads elsewhere than where an effect without a
// number is to be seen.
func placed(kind string, to target, host, path string) error {
	where := to.example(kind)
	fits := host == to.Host || strings.HasSuffix(host, ".pages.dev")
	switch kind {
	case XProfile:
		fits = (host == "x.com" || host == "twitter.com") && strings.EqualFold(strings.Trim(path, "/"), to.Account)
	case TGTitle, TGDescribe, TGPin:
		fits = host == "t.me" || host == "telegram.me"
	}
	if !fits {
		return app.Errorf(app.Invalid, "That is not where it would be seen: the link reads like %s. Nothing was changed.", where)
	}
	return nil
}

// Numbered are the kinds that share an effect's numbers at its platform, and how
// the requests of those begin that do: messages are numbered in each chat.
func Numbered(e app.Effect) (kinds []string, begins string) {
	var to target
	if e.Kind != TGMessage && e.Kind != TGPoll || json.Unmarshal(e.Request, &to) != nil {
		return []string{e.Kind}, ""
	}
	return []string{TGMessage, TGPoll}, fmt.Sprintf(`{"chat":%d,`, to.Chat)
}
