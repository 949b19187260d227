package doctor

import (
	"context"
	"io/fs"
	"strings"

	"vivra/app/agents"
)

// Program looks at what is built in: the prompts must be those that are pinned,
// and the specs must fit the tools. catalogue is what Load said.
func Program(prompts, specs fs.FS, catalogue *agents.Catalogue, fault error) Check {
	const name = "prompts, specs"
	return one(name, func(context.Context) Finding {
		if fault != nil {
			first, more, _ := strings.Cut(fault.Error(), "\n")
			if more != "" {
				first += " (and more)"
			}
			return broken(name, "", "%s: mend it, and build anew.", sentence(errorText(first)))
		}
		pinned, err := fs.ReadFile(specs, "prompts.lock")
		if err != nil {
			return broken(name, "", "specs/prompts.lock is missing: make pin, and build anew.")
		}
		now, err := agents.Lock(prompts)
		if err != nil {
			return broken(name, "", "%s: build anew.", capital(sentence(err)))
		}
		if changed := differing(string(pinned), string(now)); len(changed) > 0 {
			return broken(name, "", "%s is not what specs/prompts.lock pins: if that is meant, make pin and build anew.", enumerate(changed))
		}
		return ok(name, "%d agents, %d tasks, prompts as pinned", len(catalogue.Agents()), len(catalogue.Tasks()))
	})
}

type errorText string

func (e errorText) Error() string { return string(e) }

// differing names the files whose lines are not in both.
func differing(pinned, now string) []string {
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(now), "\n") {
		if _, file, _ := strings.Cut(line, "  "); !strings.Contains(pinned, line+"\n") {
			names = append(names, file)
		}
	}
	return names
}
