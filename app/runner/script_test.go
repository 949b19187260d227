package runner_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"vivra/app/rehearsal/modelsim"
)

// move is what a model does in one turn.
type move func(modelsim.Request) modelsim.Answer

// script is a run of random moves that ends in an output, now and then in two
// bad ones, or in nothing but talk.
func script(rng *rand.Rand, posts bool) (moves []move) {
	for range rng.IntN(3) {
		moves = append(moves, calls(rng, 1+rng.IntN(3)))
	}
	if rng.IntN(6) == 0 {
		moves = append(moves, says("I wonder."))
	}
	output := func(modelsim.Request) map[string]any { return reading() }
	if posts {
		for n := range 1 + rng.IntN(2) {
			moves = append(moves, does("x_post", map[string]any{"text": fmt.Sprintf("Draft %d. Still here.", n), "assets": []string{}, "alt": []string{}}))
		}
		output = posted
	}
	bad := does("finish", map[string]any{"output": map[string]any{"summary": "done"}})
	switch rng.IntN(10) {
	case 0:
		return append(moves, bad, calls(rng, 1), bad)
	case 1:
		return append(moves, says("Hm."), says("Still hm."))
	case 2, 3:
		moves = append(moves, bad)
	case 4:
		moves = append(moves, twice(bad))
	}
	return append(moves, func(req modelsim.Request) modelsim.Answer { return finish(output(req)) })
}

func says(text string) move {
	return func(modelsim.Request) modelsim.Answer { return modelsim.Answer{Text: text} }
}

func does(tool string, args any) move {
	return func(modelsim.Request) modelsim.Answer { return modelsim.Do(tool, args) }
}

func twice(m move) move {
	return func(req modelsim.Request) modelsim.Answer {
		return modelsim.Answer{Calls: append(m(req).Calls, m(req).Calls...)}
	}
}

// calls are several at once, good ones and bad ones.
func calls(rng *rand.Rand, n int) move {
	var made []modelsim.ToolCall
	for range n {
		c := []modelsim.ToolCall{modelsim.NewCall("market_snapshot", struct{}{}), modelsim.NewCall("read_file", map[string]string{"section": "scan"}),
			modelsim.NewCall("write_file", map[string]string{"content": fmt.Sprintf(`{"mood":%d}`, rng.IntN(5))}), modelsim.NewCall("alert", map[string]string{"kind": "no_data", "message": "Nothing."}),
			modelsim.NewCall("wallet_send", map[string]any{"b": 1, "a": " x "}), modelsim.NewCall("read_file", `{"section":`)}[rng.IntN(6)]
		if rng.IntN(3) == 0 {
			c.ID = "call_0"
		}
		made = append(made, c)
	}
	return func(modelsim.Request) modelsim.Answer {
		return modelsim.Answer{Text: []string{"", "Now then."}[len(made)%2], Calls: slices.Clone(made)}
	}
}

// posted cites the newest proposal.
func posted(req modelsim.Request) map[string]any {
	out := map[string]any{"text": "Still here.", "media": []string{}, "validation_id": ""}
	for _, told := range answered(req) {
		if id, ok := told["validation_id"]; ok {
			out["validation_id"] = id
		}
	}
	return out
}
