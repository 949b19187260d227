package agents

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vivra/app"
)

const (
	preambleFile = "_preamble.md"
	taskHeading  = "## Task: "
)

// promptFile is an agent's prompt: what it is always told, and its tasks.
type promptFile struct {
	raw    string
	system string
	tasks  map[string]string // task name → instructions
}

func (l *loader) preamble() string {
	file := "prompts/" + preambleFile
	raw, err := fs.ReadFile(l.prompts, preambleFile)
	if err != nil {
		l.fault(file, 1, "the preamble is missing")
		return ""
	}
	for i, line := range strings.Split(string(raw), "\n") {
		for _, field := range placeholder.FindAllString(line, -1) {
			if !slices.Contains(preambleNames, strings.Trim(field, "{}")) {
				l.fault(file, i+1, "unknown field %s", field)
			}
		}
	}
	for _, name := range preambleNames {
		if !strings.Contains(string(raw), "{{"+name+"}}") {
			l.fault(file, 1, "the field {{%s}} is missing", name)
		}
	}
	return string(raw)
}

// prompt reads an agent's prompt and splits off its tasks.
func (l *loader) prompt(name string) (p promptFile, ok bool) {
	file := "prompts/" + name + ".md"
	raw, err := fs.ReadFile(l.prompts, name+".md")
	if err != nil {
		l.fault(file, 1, "the prompt of agent %s is missing", name)
		return p, false
	}
	parts := strings.Split("\n"+string(raw), "\n"+taskHeading)
	p = promptFile{raw: string(raw), system: strings.TrimSpace(parts[0]) + "\n", tasks: map[string]string{}}
	if strings.TrimSpace(parts[0]) == "" {
		l.fault(file, 1, "the prompt says nothing before its first task")
	}
	line := strings.Count(parts[0], "\n") + 1
	for _, part := range parts[1:] {
		l.task(p.tasks, name, file, line, part)
		line += strings.Count(part, "\n") + 1
	}
	return p, true
}

func (l *loader) task(tasks map[string]string, agentName, file string, line int, part string) {
	heading, body, _ := strings.Cut(part, "\n")
	heading = strings.TrimSpace(heading)
	known := slices.ContainsFunc(l.tasks, func(t Task) bool { return t.Name == heading && t.Agent == agentName })
	switch {
	case !known:
		l.fault(file, line, "%s has no task %q", agentName, heading)
	case tasks[heading] != "":
		l.fault(file, line, "task %s is explained twice", heading)
	case strings.TrimSpace(body) == "":
		l.fault(file, line, "task %s has no instructions", heading)
	default:
		tasks[heading] = strings.TrimSpace(body)
	}
}

// instruct gives the agent's tasks their instructions.
func (l *loader) instruct(name string, p promptFile) {
	for i, t := range l.tasks {
		if t.Agent != name {
			continue
		}
		if p.tasks[t.Name] == "" {
			l.fault("prompts/"+name+".md", 1, "the heading %q is missing", taskHeading+t.Name)
		}
		l.tasks[i].Instructions = p.tasks[t.Name]
	}
}

// Lock returns the text of prompts.lock: one line per prompt file, its SHA-256
// and its name. A run stores the hash it used, so a prompt never changes
// without somebody meaning it.
func Lock(prompts fs.FS) ([]byte, error) {
	files, err := fs.Glob(prompts, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list prompts: %w", err)
	}
	slices.Sort(files)
	var b strings.Builder
	for _, file := range files {
		raw, err := fs.ReadFile(prompts, file)
		if err != nil {
			return nil, fmt.Errorf("read prompt: %w", err)
		}
		fmt.Fprintf(&b, "%s  %s\n", app.SHA256Hex(raw), file)
	}
	return []byte(b.String()), nil
}
