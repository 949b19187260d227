package app

// SectionOf returns the section of the token file where a task's output lands.
func SectionOf(agent, task string) string {
	if task == "scanner.verdict" {
		return "verdict"
	}
	return map[string]string{
		"scanner": "scan", "designer": "identity", "webdev": "site", "cm": "x", "tg_bot": "telegram", "builder": "utility",
	}[agent]
}

// Sections are the parts of a token file.
var Sections = []string{"scan", "verdict", "identity", "site", "x", "telegram", "utility"}

// KindOfTask returns the kind of the validation that a task's output becomes when
// no tool has proposed one, empty when a tool must.
func KindOfTask(task string) ValidationKind {
	return map[string]ValidationKind{
		"scanner.go_nogo": KindGoNoGo, "scanner.verdict": KindVerdict, "designer.directions": KindDirection,
		"designer.kit": KindKit, "tg.weekly_mods": KindMods,
	}[task]
}
