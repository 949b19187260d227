package edits

import (
	"cmp"
	"fmt"

	"vivra/app"
)

// post are the text of a post and what stands for its pictures. name begins the
// names of the fields, label is what people call the post, "" when it is the only one.
func post(name, label string, p *app.PostPayload) []slot {
	hint := "An address or a link in it must be the token's own; nobody may be named."
	if p.Answers != nil {
		hint = "A reply: an address in it must be the token's own; no link, no cashtag, and nobody may be named."
	}
	slots := []slot{at(Field{Name: name + "text", Label: cmp.Or(label, "Text"), Rows: 5, Limit: app.MaxPost, Weighted: true, Hint: hint}, &p.Text)}
	return append(slots, alts(name, label, p)...)
}

func alts(name, label string, p *app.PostPayload) (slots []slot) {
	for i := range p.Media {
		slots = append(slots, at(Field{Name: fmt.Sprintf("%salt.%d", name, i), Label: app.AltLabel(label, i), Rows: 2, Limit: app.MaxAlt,
			Hint: "What the picture shows, for those who can't see it."}, &p.Media[i].Alt))
	}
	return slots
}

func thread(p *app.ThreadPayload) (slots []slot) {
	for i := range p.Posts {
		slots = append(slots, post(fmt.Sprintf("post.%d.", i), fmt.Sprintf("Post %d", i+1), &p.Posts[i])...)
	}
	return slots
}

// poll leaves out what stands for the boards: it follows the options.
func poll(p *app.PollPayload) []slot {
	slots := post("intro.", "Intro", &p.Intro)
	if p.Boards() {
		slots = slots[:1]
	}
	slots = append(slots, at(Field{Name: "question", Label: "Question", Rows: 3, Limit: app.MaxPost, Weighted: true}, &p.Question))
	for i := range p.Options {
		slots = append(slots, at(Field{Name: fmt.Sprintf("option.%d", i), Label: fmt.Sprintf("Option %d", i+1), Rows: 1, Limit: app.MaxPollOption}, &p.Options[i]))
	}
	return slots
}

func profile(p *app.ProfilePayload) []slot {
	return []slot{
		at(Field{Name: "name", Label: "Name", Rows: 1, Limit: app.MaxProfileName}, &p.Name),
		at(Field{Name: "bio", Label: "Bio", Rows: 3, Limit: app.MaxProfileBio}, &p.Bio),
		at(Field{Name: "url", Label: "Website", Rows: 1, Limit: app.MaxProfileURL, Hint: "The token's site, or the live page."}, &p.URL),
	}
}

func telegram(p *app.TelegramSetupPayload) []slot {
	return []slot{
		at(Field{Name: "title", Label: "Title", Rows: 1, Limit: app.MaxGroupTitle}, &p.Title),
		at(Field{Name: "description", Label: "Description", Rows: 3, Limit: app.MaxGroupDescription}, &p.Description),
		at(Field{Name: "rules", Label: "Rules", Rows: 8, Limit: app.MaxGroupText}, &p.Rules),
		at(Field{Name: "pinned", Label: "Pinned message", Rows: 8, Limit: app.MaxGroupText, Hint: "It must hold the official address and no other."}, &p.Pinned),
	}
}
