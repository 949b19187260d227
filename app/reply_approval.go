package app

import (
	"encoding/json"
	"net/url"
	"strings"
)

// ReplyApproval reads where X's written approval of automated replies is kept,
// "" for nowhere. Words alone are none: "pending" must not have replies drafted.
func ReplyApproval(text string) (string, error) {
	text = strings.TrimSpace(text)
	link, err := url.Parse(text)
	linked := err == nil && link.Scheme == "https" && strings.Contains(link.Hostname(), ".")
	if text == "" || linked || strings.ContainsAny(text, "0123456789") {
		return text, nil
	}
	return "", Errorf(Invalid, "%.40q is no reference. Write the number of X's case, or a link that begins with https://. Leave the field empty while X has not approved.", text)
}

// setReplyApproval takes what is no reference for none.
func (s *Settings) setReplyApproval(value json.RawMessage) error {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return err
	}
	s.XReplyApproval, _ = ReplyApproval(text)
	return nil
}
