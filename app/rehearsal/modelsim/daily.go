package modelsim

import "fmt"

// figures are today's and yesterday's measurements.
type figures struct{ now, before value }

func (t *talk) figures() figures {
	now := t.input("todays_metrics")
	if !now.has() {
		now = t.last("market_snapshot")
	}
	return figures{now, t.input("previous")}
}

// asides follow a refused draft, so that the next one is another text.
var asides = []string{"Written again, shorter.", "Second attempt at saying this plainly.", "Said once more, with less."}

func dailyDraft(t *talk) draft {
	day := t.day()
	f := t.figures()
	offset := t.shift(len(others))
	head := subjects[day%len(subjects)](t, day, f)
	if offset+t.try > 0 {
		head = others[(day+offset+t.try)%len(others)](t, day, f)
	}
	d := draft{}
	link, aside := "", ""
	if t.brief.at("rejection_reason").has() {
		aside = asides[offset%len(asides)]
	}
	if day%7 == 3 && t.try == 0 { // one link a week is worth its price
		link = t.site()
	}
	d.text = fit(270, head, aside, closings[day%len(closings)], link)
	if memes := t.file("identity", "designer.kit", "memes").strs(); day%3 == 0 && len(memes) > 0 && t.try == 0 {
		i := day % len(memes)
		d.assets, d.alt = memes[i:i+1], []string{fmt.Sprintf("Meme of %s: two dry lines above and below the token's mark.", t.name())}
	}
	return d
}
