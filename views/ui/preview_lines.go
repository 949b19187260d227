package ui

import (
	"encoding/json"
	"strings"

	"vivra/app"
)

// Lines is the text of an output, a line per part, to compare two drafts.
func Lines(kind app.ValidationKind, raw json.RawMessage) []string {
	switch kind {
	case app.KindPost:
		p, _ := decode[app.PostPayload](raw)
		return post(p)
	case app.KindThread:
		var lines []string
		t, _ := decode[app.ThreadPayload](raw)
		for _, p := range t.Posts {
			lines = append(lines, post(p)...)
		}
		return lines
	case app.KindPoll:
		p, _ := decode[app.PollPayload](raw)
		return append(append(post(p.Intro), p.Question), p.Options...)
	case app.KindProfile:
		p, _ := decode[app.ProfilePayload](raw)
		return append([]string{p.Name, p.Bio, p.URL, picture(p.Picture), picture(p.Banner)}, p.Checklist...)
	case app.KindTelegram:
		p, _ := decode[app.TelegramSetupPayload](raw)
		return []string{p.Title, p.Description, p.Rules, p.Pinned}
	case app.KindDossier:
		var lines []string
		d, _ := decode[app.DossierPayload](raw)
		for _, f := range d.Fields {
			lines = append(lines, f.Label+": "+f.Value)
		}
		return lines
	}
	return strings.Split(Pretty(raw), "\n")
}

func post(p app.PostPayload) []string {
	lines := []string{p.Text}
	for _, m := range p.Media {
		lines = append(lines, picture(m))
	}
	return lines
}

// picture names a file by what it shows and by its content: another file under
// the same words is another picture.
func picture(m app.Media) string {
	if m.SHA256 == "" {
		return "no picture"
	}
	return "picture " + ShortHash(m.SHA256) + ": " + m.Alt
}
