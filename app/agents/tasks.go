package agents

import (
	"encoding/json"
	"fmt"
	"reflect"

	"vivra/app"
	"vivra/app/agent"
)

// Task is one thing an agent is asked to do, whatever the day.
type Task struct {
	// Name is the step's key without its number: "cm.daily_post".
	Name  string
	Agent string
	// Instructions are the text of the task for the user message: the section
	// "## Task: <Name>" of the agent's prompt file.
	Instructions string
	// Tools are those of its agent's that the task may use, beside finish; nil:
	// all of them.
	Tools []string
	// Outside are the places in its input that hold text from outside, such as
	// mentions[].text.
	Outside []string
	// Output is what finish must bring.
	Output agent.Output
	// Sections of the token file that go into the user message.
	Sections []string
	// Writes is the section that write_file fills.
	Writes string
	// Echo names the fields of the output that code computed: they stand in the
	// input under the same names and must come back unchanged.
	Echo []string
	// Cites are the keys of the done steps whose pictures and builds the output
	// may name beside those of its own step.
	Cites []string
	// Covers says what is wrong with an output beside the input that it answers,
	// in words of our own; nil: nothing can be.
	Covers func(input, output json.RawMessage) error
	// Reports is the tool whose newest result the output repeats, field by field.
	Reports string
}

// AgentNames lists the six agents.
var AgentNames = []string{"scanner", "designer", "webdev", "cm", "tg_bot", "builder"}

// taskTable lists the tasks without their instructions.
func taskTable() []Task {
	tasks := taskRows()
	for i, t := range tasks {
		tasks[i].Writes = app.SectionOf(t.Agent, t.Name)
	}
	return tasks
}

func taskRows() []Task {
	reads := func(sections ...string) []string { return sections }
	// What the community chose from, and what came of it, may be shown.
	drawn := []string{"designer.directions", "designer.kit"}
	return []Task{
		{Name: "scanner.full_report", Agent: "scanner", Output: fullReportOutput(), Sections: reads("scan"), Echo: reads("checks", "score")},
		{Name: "scanner.go_nogo", Agent: "scanner", Output: goNoGoOutput(), Sections: reads("scan"), Echo: reads("blocking")},
		{Name: "scanner.daily_metrics", Agent: "scanner", Output: dailyMetricsOutput(), Sections: reads("scan")},
		{Name: "scanner.verdict", Agent: "scanner", Output: verdictOutput(), Sections: reads("scan"), Echo: reads("verdict", "criteria")},

		{Name: "designer.directions", Agent: "designer", Output: directionsOutput(), Sections: reads("scan", "identity")},
		{Name: "designer.poll", Agent: "designer", Output: pollOutput(), Sections: reads("identity")},
		{Name: "designer.poll_results", Agent: "designer", Output: pollResultsOutput(), Sections: reads("identity"), Reports: "poll_results"},
		{Name: "designer.kit", Agent: "designer", Output: kitOutput(), Sections: reads("identity", "scan"), Cites: drawn[:1]},

		{Name: "webdev.build", Agent: "webdev", Output: siteBuildOutput(), Sections: reads("scan", "identity", "x", "telegram", "site")},
		{Name: "webdev.publish", Agent: "webdev", Output: sitePublishOutput(), Sections: reads("site"), Cites: []string{"webdev.build"}},

		{Name: "cm.account_setup", Agent: "cm", Output: accountSetupOutput(), Sections: reads("scan", "x"), Cites: drawn},
		{Name: "cm.verification_post", Agent: "cm", Output: postOutput(), Sections: reads("x"), Cites: drawn},
		{Name: "cm.rebrand", Agent: "cm", Output: rebrandOutput(), Sections: reads("identity", "site", "x"), Cites: drawn},
		{Name: "cm.comeback_thread", Agent: "cm", Output: threadOutput(), Sections: reads("scan", "identity", "site", "x"), Cites: drawn},
		{Name: "cm.utility_post", Agent: "cm", Output: postOutput(), Sections: reads("utility", "identity", "site", "x"), Cites: drawn},
		{Name: "cm.daily_post", Agent: "cm", Output: postOutput(), Sections: reads("scan", "identity", "site", "utility", "x"), Cites: drawn},
		{Name: "cm.verdict_post", Agent: "cm", Output: postOutput(), Sections: reads("verdict", "scan", "site", "x"), Cites: drawn},

		{Name: "tg.setup", Agent: "tg_bot", Output: telegramSetupOutput(), Sections: reads("scan", "x", "telegram")},
		{Name: "tg.weekly_mods", Agent: "tg_bot", Output: weeklyModsOutput(), Sections: reads("telegram")},

		{Name: "builder.utility", Agent: "builder", Output: utilityOutput(), Sections: reads("scan", "identity", "site", "utility")},

		// Who reads what strangers wrote can do nothing, and who writes to them has not read it.
		{Name: app.MentionsTask, Agent: "cm", Output: mentionsOutput(), Tools: []string{}, Outside: []string{"mentions[].text"}, Covers: coversMentions},
		{Name: app.ReplyTask, Agent: "cm", Output: replyOutput(), Tools: []string{"x_reply", "read_file", "market_snapshot"}, Sections: app.Sections},
		{Name: "tg.questions", Agent: "tg_bot", Output: telegramAnswerOutput(), Sections: app.Sections},
	}
}

// Altered compares the fields that code computed with what the agent made of
// them, and says in sentences for the model which ones it changed.
func (t Task) Altered(input, output json.RawMessage) []string {
	var in, out map[string]any
	if err := json.Unmarshal(input, &in); err != nil && len(t.Echo) > 0 {
		return []string{"the input of the step is not a JSON object"}
	}
	if err := json.Unmarshal(output, &out); err != nil && len(t.Echo) > 0 {
		return []string{"the output is not a JSON object"}
	}
	var problems []string
	for _, field := range t.Echo {
		if !reflect.DeepEqual(in[field], out[field]) {
			problems = append(problems, fmt.Sprintf("%s was computed by code and must be copied from input.%s unchanged", field, field))
		}
	}
	if t.Covers == nil {
		return problems
	}
	if err := t.Covers(input, output); err != nil {
		problems = append(problems, err.Error())
	}
	return problems
}
