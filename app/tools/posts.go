package tools

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
)

// post makes the payload of one post of the operation's account.
func (d Deps) post(ctx context.Context, scope agent.Scope, text string, assets, alt []string) (app.PostPayload, error) {
	if scope.XHandle == "" {
		return app.PostPayload{}, errNoAccount
	}
	media, err := d.media(ctx, scope, assets, alt)
	return app.PostPayload{Account: scope.XHandle, Text: text, Media: media}, err
}

// draftOf is a post as the platform's rules see it.
func draftOf(p app.PostPayload) preflight.Post {
	return preflight.Post{Text: p.Text, Media: len(p.Media)}
}

// priceOf is what X charges for posts and the descriptions of their pictures.
func priceOf(posts ...app.PostPayload) (total app.Nano) {
	for _, p := range posts {
		total += preflight.PostPrice(p.Text, p.Answers != nil)
		for _, m := range p.Media {
			if m.Alt != "" {
				total += preflight.PriceMetadata
			}
		}
	}
	return total
}

// costs ends the sentence about an effect that has a price.
func costs(price app.Nano) string { return fmt.Sprintf("Costs %s at the platform.", price) }
