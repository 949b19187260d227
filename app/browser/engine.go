package browser

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"
	"github.com/go-rod/rod/lib/proto"
)

// engine is one Chromium process and the connection to it.
type engine struct {
	launcher *launcher.Launcher
	browser  *rod.Browser
}

func start(bin string) (*engine, error) {
	path, err := Find(bin)
	if err != nil {
		return nil, err
	}
	l := configure(launcher.New().Bin(path).Leakless(true).Headless(true))
	control, err := l.Launch()
	if err != nil {
		l.Kill()
		return nil, fmt.Errorf("start Chromium: %w", err)
	}
	browser := rod.New().ControlURL(control).NoDefaultDevice()
	if err := browser.Connect(); err != nil {
		l.Kill()
		return nil, fmt.Errorf("connect to Chromium: %w", err)
	}
	return &engine{launcher: l, browser: browser}, nil
}

// configure cuts Chromium off: the proxy is a port where nobody answers, and
// it holds for loopback too.
func configure(l *launcher.Launcher) *launcher.Launcher {
	for _, name := range []flags.Flag{"disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "disable-dev-shm-usage", "hide-scrollbars", "disable-extensions"} {
		l = l.Set(name)
	}
	l = l.Set("force-color-profile", "srgb").
		Set("proxy-server", "127.0.0.1:9").Set("proxy-bypass-list", "<-loopback>").
		Set("webrtc-ip-handling-policy", "disable_non_proxied_udp").
		Set("host-resolver-rules", "MAP * ~NOTFOUND")
	if os.Geteuid() == 0 {
		l = l.NoSandbox(true) // Chromium refuses its sandbox to root
	}
	return l
}

// alive asks the browser itself; a dead one has a closed connection.
func (e *engine) alive() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := proto.BrowserGetVersion{}.Call(e.browser.Context(ctx))
	return err == nil
}

// open returns a page of its own context, offline and without a background.
func (e *engine) open() (*rod.Page, error) {
	private, err := e.browser.Incognito()
	if err != nil {
		return nil, fmt.Errorf("open browser context: %w", err)
	}
	page, err := private.Page(proto.TargetCreateTarget{URL: "about:blank"})
	if err != nil {
		return nil, fmt.Errorf("open page: %w", err)
	}
	zero := 0.0
	for _, set := range []interface{ Call(proto.Client) error }{
		proto.NetworkEnable{},
		proto.NetworkEmulateNetworkConditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1},
		proto.EmulationSetDefaultBackgroundColorOverride{Color: &proto.DOMRGBA{A: &zero}},
	} {
		if err := set.Call(page); err != nil {
			return nil, fmt.Errorf("set up page: %w", err)
		}
	}
	return page, nil
}

// stop kills Chromium and removes its profile.
func (e *engine) stop() {
	e.launcher.Kill()
	e.launcher.Cleanup()
}
