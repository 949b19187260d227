package doctor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestScreen(t *testing.T) {
	t.Parallel()
	r := Report{Took: 1830, Cost: 162_250, Findings: []Finding{
		ok("database", "PostgreSQL 15.18, schema 1130-6"),
		{Service: "chain", State: OK, Seen: "Robinhood Chain (4663), block 12 (2 s ago)", Latency: 45},
		off("explorer", "pages link to none: set EXPLORER_BASE_URL"),
		warning("Telegram", "@bot", "Its updates go to another address than VIVRA_PUBLIC_URL, at other.example: start vivra serve here to take them over, or use another bot."),
		broken("model", "gpt-9", "gpt-9 can't call tools, so scanner can't work: set llm.model.scanner to another model."),
	}}
	const want = `broken   model           gpt-9 can't call tools, so scanner can't work: set llm.model.scanner to
                         another model.
warning  Telegram        Its updates go to another address than VIVRA_PUBLIC_URL, at other.example:
                         start vivra serve here to take them over, or use another bot.
ok       database        PostgreSQL 15.18, schema 1130-6
ok       chain           Robinhood Chain (4663), block 12 (2 s ago), 45 ms
off      explorer        pages link to none: set EXPLORER_BASE_URL

1 broken, 1 warning, 2 ok, 1 off; looked for 1.8 s, which cost $0.00016225.
`
	if got := r.Screen(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWhateverIsFoundFitsOneScreen: 40 lines of 100 columns, and what is broken
// is on it as long as there is room.
func TestWhateverIsFoundFitsOneScreen(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	states := []State{OK, Off, Warning, Broken}
	for range 500 {
		var r Report
		ill := map[string]bool{}
		for i := range random.IntN(60) {
			f := Finding{Service: fmt.Sprintf("service %d", i), State: states[random.IntN(4)], Seen: babble(random), Latency: random.Int64N(99999)}
			if f.State == Broken || f.State == Warning {
				f.Advice = babble(random)
			}
			if f.State == Broken && len(ill) < 30 {
				ill[f.Service] = true
			}
			r.Findings = append(r.Findings, f)
		}
		screen := r.Screen()
		lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
		if len(lines) > screenLines {
			t.Fatalf("%d lines:\n%s", len(lines), screen)
		}
		for _, line := range lines {
			if columns(line) > screenWidth {
				t.Fatalf("%d columns: %s", columns(line), line)
			}
		}
		for name := range ill {
			if !strings.Contains(screen, name) {
				t.Fatalf("%s is broken and not on the screen:\n%s", name, screen)
			}
		}
	}
}

// babble is what a service may say: words of any length and script.
func babble(random *rand.Rand) string {
	var words []string
	for range random.IntN(60) {
		letter := []string{"a", "é", "ж", "猫", "🦋", ".", "한"}[random.IntN(7)]
		words = append(words, strings.Repeat(letter, 1+random.IntN(1<<random.IntN(9))))
	}
	return most(strings.Join(words, " "), maxWords)
}
