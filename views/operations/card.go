package operations

import (
	"fmt"

	"vivra/app"
)

// CardState names what the card shows: the same name, the same picture. What was
// spent counts in steps, or a busy day had no end of pictures.
func CardState(p Page) string {
	const step = app.Dollar / 4
	return fmt.Sprint(p.cardWord(), p.cardDay(), p.Op.Token.Name, p.Op.Token.Symbol, p.Op.Spent/step, p.Op.Cap)
}

func (p Page) cardDay() string {
	if p.Op.State == app.OperationScheduled {
		return "starts " + p.Op.J0.UTC().Format("2 Jan 2006")
	}
	return p.dayText()
}

// spentShare is how much of the cap is spent, of 1000.
func (p Page) spentShare() int {
	return int(min(p.Op.Spent/max(p.Op.Cap/1000, 1), 1000))
}

// clip keeps outside text to so many characters.
func clip(text string, most int) string {
	if all := []rune(text); len(all) > most {
		return string(all[:most-1]) + "…"
	}
	return text
}
