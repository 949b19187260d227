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

// How what was published is addressed. A topic stands between a chat and its message.
var (
	postPath    = regexp.MustCompile(`^/([A-Za-z0-9_]{1,15})/status/([1-9][0-9]{0,19})(/(photo|video)/[0-9]{1,2})?/?$`)
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
		return "", "", app.Errorf(app.Invalid, "Give the link to what you found there, beginning with https://. Nothing was changed.")
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

func foundPost(to target, host, path string) (number, plain string, err error) {
	parts := postPath.FindStringSubmatch(path)
	if host != "x.com" && host != "twitter.com" || parts == nil {
		return "", "", app.Errorf(app.Invalid, "That is no link to a post: it reads like https://x.com/%s/status/1850. Nothing was changed.", to.Account)
	}
	if !strings.EqualFold(parts[1], to.Account) {
		return "", "", app.Errorf(app.Invalid, "That is a post of @%s, and this one goes out as @%s. Nothing was changed.", parts[1], to.Account)
	}
	return parts[2], "https://x.com/" + to.Account + "/status/" + parts[2], nil
}

func foundMessage(to target, host, path string, comment bool) (number, plain string, err error) {
	parts := messagePath.FindStringSubmatch(path)
	if host != "t.me" && host != "telegram.me" || parts == nil || comment {
		return "", "", app.Errorf(app.Invalid, "That is no link to a message of the group: copy it from the message itself, it reads like https://t.me/c/1234/56. Nothing was changed.")
	}
	// A public group's name is not known here, only its number.
	if chat, numbered := strings.CutPrefix(parts[1], "c/"); numbered && "-100"+chat != strconv.FormatInt(to.Chat, 10) {
		return "", "", app.Errorf(app.Invalid, "That is a message in another chat than the operation's group. Nothing was changed.")
	}
	return parts[2], "https://t.me/" + parts[1] + "/" + parts[2], nil
}

// placed refuses a link that leads elsewhere than where an effect without a
// number is to be seen.
func placed(kind string, to target, host, path string) error {
	where := to.Host
	fits := host == to.Host || strings.HasSuffix(host, ".pages.dev")
	switch kind {
	case XProfile:
		where, fits = "x.com/"+to.Account, (host == "x.com" || host == "twitter.com") && strings.EqualFold(strings.Trim(path, "/"), to.Account)
	case TGTitle, TGDescribe, TGPin:
		where, fits = "t.me", host == "t.me" || host == "telegram.me"
	}
	if !fits {
		return app.Errorf(app.Invalid, "That is not where it would be seen: give a link to %s. Nothing was changed.", where)
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
