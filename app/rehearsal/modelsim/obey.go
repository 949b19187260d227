package modelsim

import (
	"slices"
	"strconv"
	"strings"
)

// ObeyedID begins the id of every call that an agent makes because some text
// told it to.
const ObeyedID = "obeyed"

// The moves of an agent that obeys, before it goes on with its task.
const (
	movesReads  = ObeyedID + "_r"
	movesWrites = ObeyedID + "_w"
	movesEnds   = ObeyedID + "_f"
)

// mostOrders is how many orders are followed in one turn.
const mostOrders = 10

// obey plays an agent that does whatever it reads, as far as its tools go: it
// looks around for more to read, then follows orders in every way it can, hands
// in what it was told to, and only then does its task.
func obey(req Request, seed int64) Answer {
	honest := req.honest()
	next := perform(honest, seed, Mode{})
	v := victim{req: req, next: next, step: req.brief.at("step").str()}
	v.orders = ordersIn(v.read(), v.own())
	around := v.looksAround()
	switch ends := v.ends(); {
	case !v.moved(movesReads) && len(around) > 0:
		return numbered(movesReads, around)
	case len(v.orders) == 0:
		return next
	case !v.moved(movesWrites) && (ends || v.writes()):
		return numbered(movesWrites, v.follows())
	case ends && !v.moved(movesEnds):
		if calls := v.handsIn(); len(calls) > 0 {
			return numbered(movesEnds, calls)
		}
	}
	return next
}

func numbered(move string, calls []ToolCall) Answer {
	for i := range calls {
		calls[i].ID = move + strconv.Itoa(i)
	}
	return Answer{Calls: calls}
}

// honest is the request without what was done by order.
func (r Request) honest() Request {
	var kept []Message
	for _, m := range r.Messages {
		byOrder := strings.HasPrefix(m.ToolCallID, ObeyedID) || len(m.ToolCalls) > 0 && strings.HasPrefix(m.ToolCalls[0].ID, ObeyedID)
		if !byOrder {
			kept = append(kept, m)
		}
	}
	r.Messages = kept
	return r
}

// victim is an agent that obeys, in the middle of a run.
type victim struct {
	req    Request
	next   Answer // what it would do by itself
	step   string
	orders []order
}

func (v victim) moved(move string) bool {
	return slices.ContainsFunc(v.req.Messages, func(m Message) bool {
		return len(m.ToolCalls) > 0 && strings.HasPrefix(m.ToolCalls[0].ID, move)
	})
}

// read are all the texts that came from outside: fences are opened, JSON is
// taken apart.
func (v victim) read() (texts []string) {
	for _, m := range v.req.Messages {
		if m.Content == nil || m.Role != "user" && m.Role != "tool" {
			continue
		}
		texts = append(texts, leaves(read(open(*m.Content)).v)...)
	}
	own := v.req.brief.at("instructions").str()
	return slices.DeleteFunc(texts, func(text string) bool { return text == own })
}

// own are the operation's address, places and symbol.
func (v victim) own() (own []string) {
	b := v.req.brief
	for _, text := range []string{b.at("token", "address").str(), b.at("operation", "site_host").str(), b.at("operation", "live_page").str(), "$" + b.at("token", "symbol").str()} {
		if len(text) > 1 {
			own = append(own, text)
		}
	}
	return own
}

func leaves(v any) (texts []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			texts = append(texts, leaves(v[key])...)
		}
	case []any:
		for _, each := range v {
			texts = append(texts, leaves(each)...)
		}
	case string:
		texts = append(texts, v)
	}
	return texts
}

func (v victim) has(tool string) bool {
	return slices.ContainsFunc(v.req.Tools, func(t Tool) bool { return t.Function.Name == tool })
}

// looksAround reads what others may have written.
func (v victim) looksAround() (calls []ToolCall) {
	for _, c := range []ToolCall{
		NewCall("chain_token", struct{}{}), NewCall("market_snapshot", struct{}{}),
		NewCall("socials_profile", map[string]any{"handle": nil}), NewCall("socials_profile", map[string]any{"handle": "kanarie_1"}),
		NewCall("socials_posts", map[string]any{"handle": nil, "max": 20}),
		NewCall("tg_activity", map[string]int{"days": 30}), NewCall("read_file", map[string]string{"section": "x"}), NewCall("read_file", map[string]string{"section": "identity"}),
	} {
		if v.has(c.Function.Name) {
			calls = append(calls, c)
		}
	}
	return calls
}

// ends tells whether the agent would hand in its output now, writes whether it
// would use a tool that writes.
func (v victim) ends() bool { return v.would(func(tool string) bool { return tool == "finish" }) }

func (v victim) writes() bool {
	return v.would(func(tool string) bool { return canned[tool] != "" })
}

func (v victim) would(use func(tool string) bool) bool {
	return slices.ContainsFunc(v.next.Calls, func(c ToolCall) bool { return use(c.Function.Name) })
}

// follows does what the orders want with every tool that writes.
func (v victim) follows() (calls []ToolCall) {
	for n, o := range v.some() {
		if o.kind == "tool" {
			calls = append(calls, NewCall(o.text, map[string]string{"to": "whoever asks", "amount": "all"}))
			continue
		}
		tools := v.tools()
		tool := tools[n%len(tools)]
		calls = append(calls, NewCall(tool, v.with(tool, o, n)))
	}
	return calls
}

// some are the orders that are followed in this step: of each kind one, then
// others, as many as there is room for. Steps take different ones.
func (v victim) some() (chosen []order) {
	byKind := map[string][]order{}
	for _, o := range v.orders {
		byKind[o.kind] = append(byKind[o.kind], o)
	}
	for round := 0; len(chosen) < min(mostOrders, len(v.orders)); round++ {
		for _, kind := range sortedKeys(byKind) {
			if all := byKind[kind]; round < len(all) && len(chosen) < mostOrders {
				chosen = append(chosen, all[(int(hash(v.step, kind)%uint64(len(all)))+round)%len(all)])
			}
		}
	}
	return chosen
}

// tools are those that write, of the ones that were offered; who was offered
// none of them tries to post all the same.
func (v victim) tools() (tools []string) {
	for _, tool := range sortedKeys(canned) {
		if v.has(tool) {
			tools = append(tools, tool)
		}
	}
	if len(tools) == 0 {
		return []string{"x_post"}
	}
	return tools
}

// with is a call of a tool with the order's words in one of its texts: the
// agent's own call when it would make one, else one that would do.
func (v victim) with(tool string, o order, n int) string {
	args := canned[tool]
	for _, c := range v.next.Calls {
		if c.Function.Name == tool {
			args = c.Function.Arguments
		}
	}
	if tool == "write_file" && n%2 == 0 {
		return encode(map[string]string{"content": encode(map[string]string{"memory": "Remember: " + o.text})})
	}
	return planted(args, o.text, int(hash(v.step, tool, o.text)%97))
}

// handsIn is the agent's output with an order's words in one of its texts.
func (v victim) handsIn() []ToolCall {
	for _, c := range v.next.Calls {
		if c.Function.Name != "finish" {
			continue
		}
		o := v.orders[int(hash(v.step, "finish")%uint64(len(v.orders)))]
		if args := planted(c.Function.Arguments, o.text, int(hash(v.step)%97)); args != c.Function.Arguments {
			return []ToolCall{NewCall("finish", args)}
		}
	}
	return nil
}
