package postgres

import (
	"encoding/json"
	"fmt"
	"slices"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// partsOut is how much of an approved output is out, and what of it went out
// under an earlier approval.
func partsOut(r dbsqlc.ApprovedValidationsRow) (parts app.Parts, before []app.OutCall, err error) {
	if len(r.Validation.Frozen) == 0 {
		return app.Parts{Out: r.Done, Total: r.Done}, nil, nil
	}
	var f app.Frozen
	if err := json.Unmarshal([]byte(r.Validation.Frozen), &f); err != nil {
		return parts, nil, fmt.Errorf("read what an approval binds to: %w", err)
	}
	parts = effects.PartsOf(f)
	parts.Out += r.Done
	return parts, f.Out, nil
}

// publish adds a publication to those that went out, or puts it in the place of
// the one that it goes on from.
func publish(all []app.Publication, p app.Publication, parts app.Parts, before []app.OutCall) ([]app.Publication, error) {
	p.Parts = parts
	if parts.Broken() {
		cut, err := effects.Cut(p.Kind, p.Payload, parts.Out)
		if err != nil {
			return nil, err
		}
		p.Payload = cut
	}
	if len(before) == 0 {
		return append(all, p), nil
	}
	var links []string
	for _, c := range before {
		if c.Link != "" {
			links = append(links, c.Link)
		}
	}
	p.Links = append(links, p.Links...)
	i := slices.IndexFunc(all, func(other app.Publication) bool { return other.StepKey == p.StepKey && other.Parts.Broken() })
	if i < 0 {
		return append(all, p), nil
	}
	p.Price += all[i].Price
	return append(slices.Delete(all, i, i+1), p), nil
}
