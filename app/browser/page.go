package browser

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app"
)

// scriptError is a fault of the script that was run, not of the browser.
type scriptError struct{ text string }

func (e *scriptError) Error() string { return e.text }

// settled waits for fonts and pictures and returns why the page refuses to be drawn.
const settled = `Promise.all([document.fonts.ready, ...[...document.images].map(i => i.decode())])
	.then(() => document.documentElement.dataset.refused || "")`

// flatPixels is up to which area the small encoding of a PNG is worth its time;
// the fast one takes half as long and twice the bytes.
const flatPixels = 1600 * 1200

func render(p *rod.Page, html string, width, height int) ([]byte, error) {
	if width < 1 || height < 1 || width > 4096 || height > 4096 {
		return nil, app.Errorf(app.Invalid, "A picture of %d×%d pixels can't be drawn: each side is 1 to 4096.", width, height)
	}
	size := proto.EmulationSetDeviceMetricsOverride{Width: width, Height: height, DeviceScaleFactor: 1}
	if err := size.Call(p); err != nil {
		return nil, err
	}
	if err := load(p, html); err != nil {
		return nil, err
	}
	refused, err := evaluate(p, settled)
	if err != nil {
		return nil, err
	}
	var reason string
	if err := json.Unmarshal(refused, &reason); err != nil {
		return nil, err
	}
	if reason != "" {
		return nil, app.Errorf(app.Invalid, "%s", reason)
	}
	shot, err := proto.PageCaptureScreenshot{
		Format:           proto.PageCaptureScreenshotFormatPng,
		Clip:             &proto.PageViewport{Width: float64(width), Height: float64(height), Scale: 1},
		OptimizeForSpeed: width*height > flatPixels,
	}.Call(p)
	if err != nil {
		return nil, err
	}
	return shot.Data, nil
}

func run(p *rod.Page, html, script string) (json.RawMessage, error) {
	if err := load(p, html); err != nil {
		return nil, err
	}
	return evaluate(p, script)
}

// load replaces the whole document, after a blank one so that no script,
// timer or variable of the last page is left.
func load(p *rod.Page, html string) error {
	if _, err := (proto.PageNavigate{URL: "about:blank"}).Call(p); err != nil {
		return err
	}
	tree, err := proto.PageGetFrameTree{}.Call(p)
	if err != nil {
		return err
	}
	return proto.PageSetDocumentContent{FrameID: tree.FrameTree.Frame.ID, HTML: html}.Call(p)
}

func evaluate(p *rod.Page, script string) (json.RawMessage, error) {
	res, err := proto.RuntimeEvaluate{Expression: script, AwaitPromise: true, ReturnByValue: true}.Call(p)
	if err != nil {
		return nil, err
	}
	if x := res.ExceptionDetails; x != nil {
		text := x.Text
		if x.Exception != nil && x.Exception.Description != "" {
			text = x.Exception.Description
		}
		return nil, &scriptError{text}
	}
	return res.Result.Value.MarshalJSON()
}

func wrap(doing string, err error) error {
	var own *app.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
