package doctor

import (
	"context"
	"fmt"

	"vivra/app"
)

// Prices looks whether every model that can be paid for has a price.
func Prices(catalogue func(context.Context) Catalogue, imageModel, imageSize string) Check {
	const name = "prices"
	return one(name, func(ctx context.Context) Finding {
		known := catalogue(ctx)
		var lacking, users []string
		for _, use := range Uses(known.Agents, known.Settings) {
			if _, ok := known.Prices.At(use.Model, known.Now); !ok {
				lacking, users = append(lacking, use.Model), append(users, use.agents())
			}
		}
		if len(lacking) > 0 {
			return broken(name, "", "%s: no price is known, so %s can't work: add it with vivra prices import, or set another model.", enumerate(lacking), enumerate(users))
		}
		if _, ok := known.Prices.ImageAt(imageModel, imageSize, known.Now); !ok {
			return broken(name, "", "%s of %s: no price is known, so no picture is made: add it with vivra prices import.", imageModel, imageSize)
		}
		return ok(name, "%s", known.newest())
	})
}

// newest says how fresh the list is.
func (c Catalogue) newest() string {
	var last app.PriceRow
	for _, row := range c.Prices {
		if row.ImportedAt.After(last.ImportedAt) {
			last = row
		}
	}
	switch {
	case !c.Stored:
		return "every model in use has one among those built in; the database was not asked"
	case last.ImportedAt.IsZero():
		return "every model in use has one, all built in"
	}
	return fmt.Sprintf("every model in use has one; imported last on %s", last.ImportedAt.UTC().Format("2006-01-02"))
}
