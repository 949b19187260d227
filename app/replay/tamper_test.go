package replay_test

import (
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/replay"
)

// tampered is one change of what is stored, and what a replay makes of it.
type tampered struct {
	sql  string
	what []string // kinds of differences that must be found, and no others
	says string   // in one of them
}

// resealed changes an answer and the hash that was kept with it.
func resealed(where, old, fresh string) string {
	return `UPDATE llm_calls SET answer = replace(answer, '` + old + `', '` + fresh + `'), answer_sha256 = encode(sha256(convert_to(replace(answer, '` + old + `', '` + fresh + `'), 'UTF8')), 'hex')
WHERE ` + where + ` AND answer LIKE '%` + old + `%'`
}

// TestChangesAreReported: whatever is changed of a stored run, by one byte or
// more, is found.
func TestChangesAreReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]tampered{
		"answer: text": {sql: `UPDATE llm_calls SET answer = replace(answer, 'Let me look', 'Let me lock') WHERE turn = 1`,
			what: []string{"answer", "transcript", "request"}, says: "Let me lock"},
		"answer: argument": {sql: `UPDATE llm_calls SET answer = replace(answer, '"section":"scan"', '"section":"scam"') WHERE turn = 1`,
			what: []string{"answer", "transcript", "request"}},
		"answer: finish": {sql: `UPDATE llm_calls SET answer = replace(answer, 'Quiet', 'Quite') WHERE turn = 3`,
			what: []string{"answer", "transcript", "output"}, says: "Quite"},
		"answer: usage": {sql: `UPDATE llm_calls SET answer = replace(answer, '"prompt_tokens":1000', '"prompt_tokens":1001') WHERE turn = 2`,
			what: []string{"answer", "cost", "usage"}, says: "1001"},
		"answer: text, hash too":     {sql: resealed("turn = 1", "Let me look", "Let me lock"), what: []string{"transcript", "request"}, says: "Let me lock"},
		"answer: argument, hash too": {sql: resealed("turn = 1", `{"section":"scan"`, `{"section":"scam"`), what: []string{"transcript", "request"}},
		"answer: finish, hash too":   {sql: resealed("turn = 3", "Quiet", "Quite"), what: []string{"transcript", "output"}, says: "Quite"},
		"answer: usage, hash too":    {sql: resealed("turn = 2", `"prompt_tokens":1000`, `"prompt_tokens":1001`), what: []string{"cost", "usage"}},
		"answer: not kept":           {sql: `UPDATE llm_calls SET answer = NULL, answer_sha256 = NULL WHERE turn = 2`, what: []string{"answer"}, says: "was not kept"},
		"answer: no JSON":            {sql: resealed("turn = 2", `"usage"`, `usage`), what: []string{"answer"}, says: "can''t be played"},
		"hash of an answer":          {sql: `UPDATE llm_calls SET answer_sha256 = repeat('0', 64) WHERE turn = 2`, what: []string{"answer"}},
		"tool result": {sql: `UPDATE run_items SET item = jsonb_set(item, '{text}', to_jsonb(replace(item ->> 'text', '420', '421'))) WHERE item ->> 'role' = 'tool' AND item ->> 'text' LIKE '%mcap_usd%' AND turn = 2`,
			what: []string{"request", "seal"}, says: "entry 6 of the transcript,"},
		"refusal": {sql: `UPDATE run_items SET item = jsonb_set(item, '{text}', '"{\"error\":\"no\"}"') WHERE item ->> 'role' = 'tool' AND item ->> 'text' LIKE '%launch_rocket%'`,
			what: []string{"transcript", "seal"}, says: "launch_rocket"},
		"first message":    {sql: `UPDATE run_items SET item = jsonb_set(item, '{text}', to_jsonb(replace(item ->> 'text', 'dodo_back', 'dodo_bank'))) WHERE seq = 1`, what: []string{"request", "seal"}, says: "the first message"},
		"assistant's item": {sql: `UPDATE run_items SET item = jsonb_set(item, '{text}', '"Let me lock"') WHERE seq = 2`, what: []string{"transcript", "seal"}, says: "Let me lock"},
		"entry gone":       {sql: `DELETE FROM run_items WHERE seq = 6`, what: []string{"transcript", "seal"}},
		"last entry gone":  {sql: `DELETE FROM run_items WHERE seq = 7`, what: []string{"end", "seal"}},
		"entry too many":   {sql: `INSERT INTO run_items (run_id, seq, turn, item, created_at) SELECT run_id, 8, 3, '{"role":"user","text":"?"}', created_at FROM run_items WHERE seq = 7`, what: []string{"transcript", "seal"}, says: "1 further entry"},
		"system prompt":    {sql: `UPDATE agent_runs SET system = replace(system, 'dead', 'deaf')`, what: []string{"request"}, says: "-  \"A token counts as deaf"},
		"hash of a request": {sql: `UPDATE llm_calls SET request_sha256 = repeat('0', 64) WHERE turn = 2`,
			what: []string{"request"}, says: "it is its hash that was changed"},
		"cost":          {sql: `UPDATE llm_calls SET cost_nusd = cost_nusd + 1 WHERE turn = 2`, what: []string{"cost", "sum"}},
		"cost's source": {sql: `UPDATE llm_calls SET cost_source = 'gateway' WHERE turn = 2`, what: []string{"cost"}, says: "(gateway) is booked"},
		"price":         {sql: `UPDATE llm_calls SET price = jsonb_set(price, '{input}', '1250000001') WHERE turn = 2`, what: []string{"cost", "reservation"}},
		"usage":         {sql: `UPDATE llm_calls SET usage = jsonb_set(usage, '{prompt_tokens}', '1001') WHERE turn = 2`, what: []string{"usage"}},
		"reservation":   {sql: `UPDATE llm_calls SET reserved_nusd = reserved_nusd - 1 WHERE turn = 2`, what: []string{"reservation"}},
		"output limit":  {sql: `UPDATE llm_calls SET output_limit = 16001 WHERE turn = 2`, what: []string{"output limit"}},
		"state":         {sql: `UPDATE llm_calls SET state = 'failed' WHERE turn = 2`, what: []string{"state"}},
		"call's model":  {sql: `UPDATE llm_calls SET model = 'gpt-5-nano' WHERE turn = 2`, what: []string{"call"}},
		"call's turn":   {sql: `UPDATE llm_calls SET turn = 4 WHERE turn = 2`, what: []string{"call"}},
		"call gone":     {sql: `DELETE FROM llm_calls WHERE turn = 3`, what: []string{"end", "sum"}},
		"call too many": {sql: `INSERT INTO llm_calls (operation_id, run_id, turn, kind, model, request_sha256, state, reserved_nusd, cost_nusd, created_at) SELECT operation_id, run_id, 4, kind, model, 'x', 'failed', 0, 0, created_at FROM llm_calls WHERE turn = 3`,
			what: []string{"answer", "call"}, says: "1 further call"},
		"what was spent":     {sql: `UPDATE agent_runs SET spent_nusd = spent_nusd + 1`, what: []string{"sum", "log"}},
		"turns":              {sql: `UPDATE agent_runs SET turns = 4`, what: []string{"turns"}},
		"taint":              {sql: `UPDATE agent_runs SET tainted = false`, what: []string{"taint"}},
		"sources":            {sql: `UPDATE agent_runs SET sources = '{}'`, what: []string{"taint"}},
		"output":             {sql: `UPDATE agent_runs SET output = jsonb_set(output, '{holders}', '413')`, what: []string{"output", "seal", "step"}, says: "413"},
		"end":                {sql: `UPDATE agent_runs SET state = 'failed', error = 'the output does not fit, twice: x'`, what: []string{"end", "seal"}},
		"output of the step": {sql: `UPDATE operation_steps SET output = jsonb_set(output, '{holders}', '413')`, what: []string{"step"}, says: "413"},
		"end: stopped":       {sql: `UPDATE agent_runs SET state = 'failed', error = 'operation stopped', output = NULL`, what: []string{"seal"}},
		"end: time":          {sql: `UPDATE agent_runs SET state = 'failed', error = 'the run took longer than 10m0s', output = NULL`, what: []string{"seal"}},
		"end: stopped, not sealed": {sql: `UPDATE agent_runs SET state = 'failed', error = 'operation stopped', output = NULL, seal = NULL`,
			what: []string{"end"}, says: "hands in an output"},
		"end: none":         {sql: `UPDATE agent_runs SET state = 'running', output = NULL`, what: []string{"seal"}},
		"seal":              {sql: `UPDATE agent_runs SET seal = repeat('0', 64)`, what: []string{"seal"}},
		"time of an entry":  {sql: `UPDATE run_items SET created_at = created_at + interval '1 microsecond' WHERE seq = 7`, what: []string{"seal"}},
		"overrun":           {sql: `UPDATE agent_runs SET overrun_nusd = 5`, what: []string{"books"}},
		"what is held back": {sql: `UPDATE agent_runs SET overrun_nusd = 3, reserved_nusd = 3`, what: []string{"books"}, says: "is held back for it"},
		"line of the log":   {sql: `UPDATE events SET cost_nusd = cost_nusd + 1 WHERE seq = (SELECT min(seq) FROM events WHERE kind = 'model_call')`, what: []string{"log"}},
		"agent of a call":   {sql: `UPDATE llm_calls SET agent = 'cm' WHERE turn = 2`, what: []string{"call"}, says: "the share of scanner"},
		"lost": {sql: `UPDATE llm_calls SET lost = true, state = 'unknown', cost_nusd = reserved_nusd, cost_source = 'bound', answer = NULL, answer_sha256 = NULL WHERE turn = 3`,
			what: []string{"end", "sum"}},
		"input of the step": {sql: `UPDATE operation_steps SET input = '{"metrics":{}}'`, what: nil}, // it is not what the run was given
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			first := modelsim.Answer{Text: "Let me look", Calls: []modelsim.ToolCall{modelsim.NewCall("read_file", map[string]string{"section": "scan"}), modelsim.NewCall("launch_rocket", struct{}{})}}
			second := look()
			second.Usage = []byte(`{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010}`)
			answers(first, second, finish(reading()))(st)
			st.identical()
			st.exec(strings.ReplaceAll(c.sql, "''t be", "t be"))
			c.found(t, st.replay(st.runs()[0]))
		})
	}
}

func (c tampered) found(t *testing.T, r replay.Report) {
	t.Helper()
	var kinds []string
	for _, d := range r.Differences {
		kinds = append(kinds, d.What)
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	slices.Sort(c.what)
	if r.Identical != (len(c.what) == 0) || !slices.Equal(kinds, c.what) {
		t.Errorf("it finds %v, want %v", kinds, c.what)
	}
	if shown := text(r); !strings.Contains(shown, strings.ReplaceAll(c.says, "''", "'")) {
		t.Errorf("it says\n%s", shown)
	}
}
