package modelsim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// talk is what an agent knows in the middle of a run: what it was asked, and
// what its tools have answered. It follows from the request alone, so a run can
// be taken up again anywhere.
type talk struct {
	req     Request
	brief   value // the first user message
	results []result
	rng     *rand.Rand
	seed    int64
	// try counts the attempts of the present stage, from 0.
	try int
	// failed are the tools that failed in the attempt before.
	failed []string
}

// result is one answered tool call.
type result struct {
	tool string
	args value
	ok   bool
	out  value
}

// stage is one turn of a script.
type stage struct {
	// calls returns what the agent asks for; nothing skips the stage.
	calls func(t *talk) []ToolCall
	// tries is how often the stage is tried until no call fails; then the script
	// goes on, or gives up when must is set.
	tries int
	must  bool
}

// reads is a stage that gathers facts: what fails is done without.
func reads(calls func(t *talk) []ToolCall) stage { return stage{calls: calls, tries: 1} }

// does is a stage that the task can't do without.
func does(calls func(t *talk) []ToolCall) stage { return stage{calls: calls, tries: 3, must: true} }

// ends is the stage that finishes. It is tried as often as it is asked for.
func ends(output func(t *talk) map[string]any) stage {
	return stage{tries: 1 << 30, must: true, calls: func(t *talk) []ToolCall {
		return []ToolCall{NewCall("finish", map[string]any{"output": output(t)})}
	}}
}

func one(tool string, args any) []ToolCall { return []ToolCall{NewCall(tool, args)} }

// perform plays one turn.
func perform(req Request, seed int64, mode Mode) Answer {
	if mode.Obey {
		return obey(req, seed)
	}
	t := &talk{req: req, brief: req.brief, seed: seed}
	t.reseed("")
	turns := turnsOf(req)
	if said := spoken(turns); mode.Talk > said {
		return Answer{Text: "I will look at the figures first and then come back."}
	}
	if mode.UnknownTool && len(turns) == spoken(turns) {
		return Do("wallet_send", map[string]any{"to": t.token("address"), "amount": 1})
	}
	stages, ok := scripts()[t.brief.at("task").str()]
	if !ok {
		return Answer{Text: fmt.Sprintf("I know no task %q.", t.brief.at("task").str())}
	}
	return t.follow(stages, turns)
}

// follow replays the turns so far against the stages and plays the next one.
func (t *talk) follow(stages []stage, turns []turn) Answer {
	now := 0
	for _, turn := range turns {
		if len(turn) == 0 || turn[0].tool == "wallet_send" {
			continue
		}
		for now < len(stages)-1 && len(t.offered(stages[now].calls(t))) == 0 {
			now++ // it was skipped then, too
		}
		t.results = append(t.results, turn...)
		t.failed = failures(turn)
		t.try++
		if len(t.failed) > 0 && t.try < stages[now].tries {
			continue
		}
		if len(t.failed) > 0 && stages[now].must {
			return Answer{Text: "I can't go on: " + turn[0].out.at("error").or("a tool keeps failing") + "."}
		}
		if now < len(stages)-1 {
			now++
			t.try, t.failed = 0, nil
		}
	}
	for ; now < len(stages); now++ {
		if calls := t.offered(stages[now].calls(t)); len(calls) > 0 {
			return Answer{Calls: calls}
		}
	}
	return Answer{Text: "There is nothing left to do."}
}

// offered keeps the calls whose tool was offered, and in a further attempt only
// those that failed.
func (t *talk) offered(calls []ToolCall) []ToolCall {
	return slices.DeleteFunc(calls, func(c ToolCall) bool {
		name := c.Function.Name
		known := slices.ContainsFunc(t.req.Tools, func(tool Tool) bool { return tool.Function.Name == name })
		return !known || t.try > 0 && len(t.failed) > 0 && !slices.Contains(t.failed, name)
	})
}

func failures(turn turn) (tools []string) {
	for _, r := range turn {
		if !r.ok {
			tools = append(tools, r.tool)
		}
	}
	return tools
}

// turn is one answer of the model with what became of its calls; empty when it
// only spoke.
type turn []result

func turnsOf(req Request) (turns []turn) {
	answers := map[string]string{}
	for _, m := range req.Messages {
		if m.Role == "tool" {
			answers[m.ToolCallID] = *m.Content
		}
	}
	for _, m := range req.Messages {
		if m.Role != "assistant" {
			continue
		}
		made := turn{}
		for _, call := range m.ToolCalls {
			out := read(open(answers[call.ID]))
			made = append(made, result{call.Function.Name, read(call.Function.Arguments), good(call.Function.Name, out), out})
		}
		turns = append(turns, made)
	}
	return turns
}

// good tells whether a tool did what it was asked for.
func good(tool string, out value) bool {
	switch tool {
	case "site_fill_and_build":
		return out.at("build_id").str() != ""
	case "site_check":
		return out.at("passed").yes()
	case "utility_build_and_test":
		return out.at("failed").int() == 0 && out.at("passed").int() > 0
	}
	return !out.at("error").has()
}

func spoken(turns []turn) (n int) {
	for _, turn := range turns {
		if len(turn) == 0 {
			n++
		}
	}
	return n
}

// briefOf reads the first user message.
func briefOf(messages []Message) value {
	for _, m := range messages {
		if m.Role == "user" {
			return read(open(*m.Content))
		}
	}
	return value{}
}

// spoil makes the output of a finish wrong, and tells whether there was one.
func spoil(a *Answer) bool {
	for i, call := range a.Calls {
		if call.Function.Name == "finish" {
			a.Calls[i] = NewCall("finish", map[string]any{"output": map[string]any{"summary": "test"}})
			return true
		}
	}
	return false
}

// last is the newest good result of a tool.
func (t *talk) last(tool string) value {
	all := t.all(tool)
	if len(all) == 0 {
		return value{}
	}
	return all[len(all)-1].out
}

// said are the arguments of the newest good call of a tool.
func (t *talk) said(tool string) value {
	all := t.all(tool)
	if len(all) == 0 {
		return value{}
	}
	return all[len(all)-1].args
}

// newest is the last result of a tool, good or not.
func (t *talk) newest(tool string) (found result) {
	for _, r := range t.results {
		if r.tool == tool {
			found = r
		}
	}
	return found
}

// all are the good results of a tool, in order.
func (t *talk) all(tool string) (found []result) {
	for _, r := range t.results {
		if r.tool == tool && r.ok {
			found = append(found, r)
		}
	}
	return found
}

func (t *talk) input(path ...any) value { return t.brief.at("input").at(path...) }

// file is a place in the token file, in the newest version the agent has seen.
func (t *talk) file(section string, path ...any) value {
	for _, r := range slices.Backward(t.all("read_file")) {
		if r.out.at("section").str() == section {
			return r.out.at("content").at(path...)
		}
	}
	return t.brief.at("token_file", section).at(path...)
}

func (t *talk) token(field string) string { return t.brief.at("token", field).str() }

func (t *talk) operation(field string) value { return t.brief.at("operation", field) }

func (t *talk) day() int { return t.brief.at("day").int() }

// writes is a stage that adds to the agent's own section.
func writes(content func(t *talk) map[string]any) stage {
	return reads(func(t *talk) []ToolCall {
		return one("write_file", map[string]string{"content": encode(content(t))})
	})
}

// needs reads a section when the user message did not bring it.
func needs(sections ...string) stage {
	return reads(func(t *talk) (calls []ToolCall) {
		for _, section := range sections {
			if len(t.brief.at("token_file", section).object()) == 0 {
				calls = append(calls, NewCall("read_file", map[string]string{"section": section}))
			}
		}
		return calls
	})
}

func encode(v any) string { return strings.TrimSpace(NewCall("", v).Function.Arguments) }

func newRand(h uint64, seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), h)) }
