// Package layout is the frame around every page.
package layout

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"vivra/app"
	"vivra/app/paths"
	"vivra/static"
	"vivra/views/ui"
)

// Page says what the frame of one page shows.
type Page struct {
	Title       string
	Description string // for search engines and link previews
	// Canonical is the page's own address, whole; empty: it is none to be found by.
	Canonical string
	// Image is the address of the picture of link previews, whole.
	Image string
	// Atom is the address of the page's feed, empty when it has none.
	Atom string
	// Now is the server's clock, for pages with relative times.
	Now time.Time
	// Pace is how many of its seconds pass in one of the reader's, for countdowns.
	Pace float64
	// Here is the address of the current entry of the navigation.
	Here string
}

// Team is the frame of a page for the signed-in team.
type Team struct {
	Page
	User    app.User
	CSRF    string
	Waiting int // outputs that wait for a person
	Wide    bool
}

// CanDecide tells whether the user may approve and reject.
func (t Team) CanDecide() bool { return t.User.Role == "approver" || t.User.Role == "admin" }

// CanOperate tells whether the user may start, pause and stop operations.
func (t Team) CanOperate() bool { return t.User.Role == "admin" }

func file(name string) string { return paths.Static(name, static.Version()) }

// Card is the picture of link previews of pages that have none of their own.
func Card() string { return file("card.png") }

func current(here, link string) string {
	if here == link {
		return "page"
	}
	return "false"
}

// Link is a way on from a page.
type Link struct{ Text, URL string }

// clock tells a page's scripts what time it is here.
func (p Page) clock() templ.Attributes {
	if p.Now.IsZero() {
		return nil
	}
	clock := ui.Now(p.Now)
	if p.Pace != 0 {
		clock["data-pace"] = strconv.FormatFloat(p.Pace, 'g', -1, 64)
	}
	return clock
}
