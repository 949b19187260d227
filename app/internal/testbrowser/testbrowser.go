// Package testbrowser gives tests pages of a real Chromium.
package testbrowser

import (
	"fmt"
	"os"
	"sync"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"
)

// Stop ends the browser if a test started it; pass it to testdb.Main.
func Stop() error {
	if launched.browser == nil {
		return nil
	}
	err := launched.browser.Close()
	launched.launcher.Cleanup() // waits for the end, then removes the profile
	return err
}

// launched is the browser of this test binary; its tests share it.
var launched struct {
	browser  *rod.Browser
	launcher *launcher.Launcher
}

var shared = sync.OnceValues(func() (*rod.Browser, error) {
	bin, found := launcher.LookPath()
	if !found {
		return nil, fmt.Errorf("Chromium was not found on this machine. Run: apt-get install -y --no-install-recommends chromium fonts-noto-core fonts-noto-color-emoji fonts-noto-cjk")
	}
	l := launcher.New().Bin(bin).Headless(true).Leakless(true).NoSandbox(os.Geteuid() == 0)
	for _, flag := range []flags.Flag{
		"disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "disable-dev-shm-usage", "hide-scrollbars",
	} {
		l.Set(flag)
	}
	control, err := l.Set("force-color-profile", "srgb").Launch()
	if err != nil {
		return nil, fmt.Errorf("launch Chromium: %w", err)
	}
	browser := rod.New().ControlURL(control).NoDefaultDevice()
	if err := browser.Connect(); err != nil {
		l.Kill()
		return nil, fmt.Errorf("connect to Chromium: %w", err)
	}
	launched.browser, launched.launcher = browser, l
	return browser, nil
})
