package app_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vivra/app"
)

// manyOf is a number with a noun or a verb for many behind it; a limit that
// stands before it is none.
var (
	manyOf = regexp.MustCompile(`(\w+ )?%d (?:of (?:the |its |about )?(?:%d )?)?(?:[a-z]+ )?([a-z]+[a-rt-z]s|have|are|were)\b`)
	limits = []string{"most ", "least ", "to ", "than ", "first ", "every ", "all "}
)

// certain are the sentences in which the number is never one, or stands alone.
var certain = []string{
	"of its parts are out, and", "connections, %d MB", "connections left", "%d days", "%d agents, %d tasks", "why_it_died has", "%d lines, at most", "The model asked for %d tool calls", "name: must have 1 to", "ticker: must have 1 to", "%d characters, the most", "%d characters: at most",
	"Takeover planned: %d steps", "%d alerts\n", "%d characters; 1 to", "Everything but images is %d bytes", "The site is %d bytes", "%d bytes: ", "the site serves %d bytes", "A chart of %d days", "fields filled", "log entries sum to", "%d is stored", "%d pixels", "not the %d that", "position %d has", "program knows schemas", "Post %d says", "%s %d waits, and", "Option %d has", "turn %d was", "=%d",
}

// A sentence with a count in it is written by app.Count, which knows the
// singular: "1 of the mentions have" was none.
func TestCountsKnowTheSingular(t *testing.T) {
	t.Parallel()
	found := 0
	for _, p := range packages(t) {
		if strings.HasPrefix(p.name, "app/rehearsal") || strings.HasPrefix(p.name, "app/internal") || strings.Contains(p.name, "dbsqlc") {
			continue
		}
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if ok && text.Kind == token.STRING && strings.Contains(text.Value, "%d") {
					found++
					if which := plural(unquoted(text)); which != "" {
						t.Errorf("%s: %q: write it with app.Count, or list it as certain", fileSet.Position(text.Pos()), which)
					}
				}
				return true
			})
		}
	}
	if found < 100 {
		t.Errorf("only %d sentences with numbers were found", found)
	}
	for _, wrong := range []string{"%d of the mentions on X have to be seen", "%d of %d posts have problems", "%d rows hold", "only %d calls", "%d prices added", "rejected %d times", "%d are free"} {
		if plural(wrong) == "" {
			t.Errorf("%q is not found", wrong)
		}
	}
	for n, want := range map[int]string{0: "0 posts", 1: "1 post", 2: "2 posts", 1312: "1,312 posts"} {
		if got := app.Count(n, "post", "posts"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// plural is the first number with many behind it in a format, "" for none.
func plural(format string) string {
	if slices.ContainsFunc(certain, func(part string) bool { return strings.Contains(format, part) }) {
		return ""
	}
	for _, at := range manyOf.FindAllStringSubmatch(format, -1) {
		if word := at[2]; !slices.Contains(limits, at[1]) && word != "is" && word != "was" && word != "has" && word != "ms" && word != "as" && word != "its" {
			return at[0]
		}
	}
	return ""
}

func unquoted(text *ast.BasicLit) string {
	return strings.NewReplacer(`\n`, "\n").Replace(strings.Trim(text.Value, "\"`"))
}
