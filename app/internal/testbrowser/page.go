package testbrowser

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// patience bounds each wait of a page, so that what never appears fails the
// test and does not hang it.
const patience = 30 * time.Second

// Page opens an empty page with cookies of its own, 1440 px wide. The test
// fails when a script on it throws or its content security policy is broken.
func Page(tb testing.TB) *rod.Page {
	tb.Helper()
	browser, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	visitor, err := browser.Incognito()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = visitor.Close() }) // closes this visitor's pages only
	page, err := visitor.Page(proto.TargetCreateTarget{URL: "about:blank"})
	if err != nil {
		tb.Fatal(err)
	}
	watch(tb, page)
	page = page.Timeout(patience)
	Width(tb, page, 1440)
	return page
}

// watch collects what went wrong in the page and reports it when the test ends.
func watch(tb testing.TB, page *rod.Page) {
	var mu sync.Mutex
	var faults []string
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, text)
	}
	go page.EachEvent(
		func(e *proto.RuntimeExceptionThrown) { note(e.ExceptionDetails.Text + " " + describe(e)) },
		func(e *proto.LogEntryAdded) {
			if e.Entry.Source == proto.LogLogEntrySourceSecurity {
				note(e.Entry.Text)
			}
		},
	)()
	tb.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, f := range faults {
			tb.Errorf("in the page: %s", f)
		}
	})
}

func describe(e *proto.RuntimeExceptionThrown) string {
	if e.ExceptionDetails.Exception == nil {
		return ""
	}
	return e.ExceptionDetails.Exception.Description
}

// Width makes the page as wide as a phone (360) or a desk (1440).
func Width(tb testing.TB, page *rod.Page, px int) {
	tb.Helper()
	view := &proto.EmulationSetDeviceMetricsOverride{Width: px, Height: 900, DeviceScaleFactor: 1, Mobile: px < 600}
	if err := page.SetViewport(view); err != nil {
		tb.Fatal(err)
	}
}

// Shot keeps a picture of the whole page as name.png in the folder that
// VIVRA_SHOTS names; without one it does nothing.
func Shot(tb testing.TB, page *rod.Page, name string) {
	tb.Helper()
	folder := os.Getenv("VIVRA_SHOTS")
	if folder == "" {
		return
	}
	png, err := page.Screenshot(true, nil)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
