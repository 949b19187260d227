package admin

import (
	"github.com/a-h/templ"
)

func runTone(state string) string {
	switch state {
	case "running":
		return "run"
	case "done", "finished", "succeeded":
		return "live"
	case "failed":
		return "bad"
	}
	return ""
}

func here(current bool) templ.Attributes {
	if !current {
		return nil
	}
	return templ.Attributes{"aria-current": "true"}
}

func openAttr(open bool) templ.Attributes {
	if !open {
		return nil
	}
	return templ.Attributes{"open": true}
}
