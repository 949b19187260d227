package doctor

import (
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
)

// Use is a model that is in use, and the settings that name it.
type Use struct {
	Model    string
	Settings []string // llm.model.scanner, llm.fallback.cm, …
}

// Uses lists each model that the agents use as they are set now, once.
func Uses(agents []agent.Agent, s app.Settings) []Use {
	var uses []Use
	add := func(model, setting string) {
		if model == "" {
			return
		}
		i := slices.IndexFunc(uses, func(u Use) bool { return u.Model == model })
		if i < 0 {
			i, uses = len(uses), append(uses, Use{Model: model})
		}
		uses[i].Settings = append(uses[i].Settings, setting)
	}
	for _, a := range agents {
		add(a.Configured(s).Model, "llm.model."+a.Name)
	}
	for _, a := range agents {
		add(a.Configured(s).Fallback, "llm.fallback."+a.Name)
	}
	return uses
}

// agents names who can't work without the model, or has nothing to fall back to.
func (u Use) agents() string {
	var names []string
	for _, setting := range u.Settings {
		if name := setting[strings.LastIndex(setting, ".")+1:]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return enumerate(names)
}

// change says which settings name another model. Many are told by their form.
func (u Use) change() string {
	if len(u.Settings) <= 2 {
		return "set " + enumerate(u.Settings) + " to another model"
	}
	form := "llm.model.<agent>"
	if strings.HasPrefix(u.Settings[0], "llm.fallback.") {
		form = "llm.fallback.<agent>"
	}
	return "set their " + form + " to another model"
}

func enumerate(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Catalogue is what is known of the agents, their settings and prices, and
// whether that is what the database says or only what is built in.
type Catalogue struct {
	Agents   []agent.Agent
	Settings app.Settings
	Prices   app.PriceList
	Now      time.Time // by the product's clock
	Stored   bool
}
