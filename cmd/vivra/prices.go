package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/preflight"
)

type prices struct {
	Import importPrices `cmd:"" help:"Add a file's prices to the list: all of them or none. What was booked before stays as it was booked."`
	List   listPrices   `cmd:"" help:"Show what models and publications cost, and what they cost before."`
}

type importPrices struct {
	File  string `arg:"" help:"JSON: {\"models\": [{\"model\", \"input\", \"cached_input\", \"output\", \"effective\"}, {\"model\", \"size\", \"image\", \"effective\"}]}, in dollars per million tokens or per picture; - is standard input."`
	Again bool   `help:"Also add prices that a later import corrected: it takes the corrections back. One entry of a file says so with \"again\": true."`
	JSON  bool   `help:"Answer in JSON." name:"json"`
}

// Run adds what is new in a file of prices. In JSON a failure is told, too.
func (i importPrices) Run(ctx context.Context, s surroundings) error {
	return s.toldInJSON(i.JSON, i.add(ctx, s))
}

func (i importPrices) add(ctx context.Context, s surroundings) error {
	file, err := i.read()
	if err != nil {
		return misuse{err}
	}
	rows, err := app.ParsePrices(file, printable(filepath.Base(i.File)))
	if err != nil {
		return doesNotHold{errors.New("No price was imported.\n" + err.Error())}
	}
	e, faults := parse(s.getenv)
	if len(faults) > 0 {
		return misconfigured(faults)
	}
	for n := range rows {
		rows[n].Again = rows[n].Again || i.Again
	}
	done, err := boot.ImportPrices(ctx, e.config(nil), rows, s.caller(), s.log)
	if err != nil {
		return told(err)
	}
	return i.tell(s.out, done, app.PriceHints(rows, time.Now()))
}

// printable is text that can do no harm to a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// tell says what was added, what was not and why, and what may be a slip.
func (i importPrices) tell(out io.Writer, done app.PriceImport, hints []string) error {
	skipped := []string{}
	for _, p := range done.Skipped {
		skipped = append(skipped, fmt.Sprintf("%s from %s at %s was skipped: the import of %s corrected that to %s. To take the correction back, write \"again\": true into the entry, or import with --again.",
			strings.TrimSpace(p.Row.Model+" "+p.Row.Size), instant(p.Row.EffectiveAt), amounts(p.Row), instant(p.Correction.ImportedAt), amounts(p.Correction)))
	}
	if i.JSON {
		return json.NewEncoder(out).Encode(map[string]any{"added": done.Added, "known": done.Known, "skipped": skipped, "hints": hints})
	}
	lines := append([]string{fmt.Sprintf("%s added, %d known already.", app.Count(done.Added, "price", "prices"), done.Known)}, skipped...)
	for _, hint := range hints {
		lines = append(lines, "Note: "+hint)
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// amounts are a row's prices as a file has them.
func amounts(r app.PriceRow) string {
	if r.Kind == app.PriceImage {
		return dollars(r.Image)
	}
	return strings.Join([]string{dollars(r.Price.Input), dollars(r.Price.Cached), dollars(r.Price.Output)}, "/")
}

func (i importPrices) read() ([]byte, error) {
	if i.File == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(i.File)
}

// told turns an error that is a sentence for people into a plain no.
func told(err error) error {
	var e *app.Error
	if errors.As(err, &e) {
		return doesNotHold{e}
	}
	return err
}

type listPrices struct {
	JSON bool `help:"Answer in JSON." name:"json"`
}

// Run shows the price list.
func (l listPrices) Run(ctx context.Context, s surroundings) error {
	e, faults := parse(s.getenv)
	if len(faults) > 0 {
		return misconfigured(faults)
	}
	list, err := boot.PriceList(ctx, e.config(nil), s.log)
	if err != nil {
		return told(err)
	}
	shown := shownPrices(list, time.Now())
	if l.JSON {
		out := json.NewEncoder(s.out)
		out.SetIndent("", "  ")
		return out.Encode(map[string]any{"models": shown, "publications": preflight.Prices()})
	}
	return printPrices(s.out, shown)
}

// shownPrice is a row of the list as it is shown: dollars as decimals.
type shownPrice struct {
	Model     string `json:"model"`
	Size      string `json:"size,omitempty"`
	Input     string `json:"input,omitempty"`
	Cached    string `json:"cached_input,omitempty"`
	Output    string `json:"output,omitempty"`
	Image     string `json:"image,omitempty"`
	Effective string `json:"effective,omitempty"` // empty: from the beginning
	Imported  string `json:"imported,omitempty"`
	By        string `json:"by,omitempty"`
	Source    string `json:"source"`
	InForce   bool   `json:"in_force"`
}

// shownPrices sorts the list by what is priced, the newest first.
func shownPrices(list app.PriceList, now time.Time) []shownPrice {
	rows := slices.Clone(list)
	slices.Reverse(rows)
	slices.SortStableFunc(rows, func(a, b app.PriceRow) int {
		return cmp.Or(strings.Compare(b.Kind, a.Kind), strings.Compare(a.Model, b.Model), strings.Compare(a.Size, b.Size), b.EffectiveAt.Compare(a.EffectiveAt))
	})
	out := make([]shownPrice, len(rows))
	decided := map[[3]string]bool{}
	for i, r := range rows {
		what := [3]string{r.Kind, r.Model, r.Size}
		out[i] = shownPrice{Model: r.Model, Size: r.Size, Effective: instant(r.EffectiveAt), Imported: instant(r.ImportedAt), By: r.By, Source: r.Source,
			InForce: !decided[what] && !r.EffectiveAt.After(now)}
		decided[what] = decided[what] || out[i].InForce
		if r.Kind == app.PriceImage {
			out[i].Image = dollars(r.Image)
			continue
		}
		out[i].Input, out[i].Cached, out[i].Output = dollars(r.Price.Input), dollars(r.Price.Cached), dollars(r.Price.Output)
	}
	return out
}

func dollars(n app.Nano) string { return strings.TrimPrefix(n.String(), "$") }

// instant is a day, or an instant within it, empty for the beginning of time.
func instant(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.UTC().Format(time.DateOnly)
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

func printPrices(out io.Writer, rows []shownPrice) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tMODEL\tSIZE\tINPUT\tCACHED\tOUTPUT\tPICTURE\tFROM\tIMPORTED\tBY\tSOURCE")
	for _, r := range rows {
		mark := ""
		if r.InForce {
			mark = "*"
		}
		row := []string{mark, r.Model, r.Size, r.Input, r.Cached, r.Output, r.Image, r.Effective, r.Imported, r.By, r.Source}
		for n := range row {
			row[n] = printable(row[n])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	fmt.Fprintln(w, "\n\tPUBLICATION\tPRICE\tSOURCE")
	for _, p := range preflight.Prices() {
		fmt.Fprintf(w, "*\t%s\t%s\t%s\n", p.Kind, dollars(p.Price), p.Source)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\n* is in force now. Dollars: per million tokens, per picture, per publication.")
	return err
}
