package effects

import (
	"bytes"
	"encoding/json"
	"fmt"

	"vivra/app"
)

// Binding is what an approval binds to besides the payload: the operation as
// the database has it.
type Binding struct {
	OfficialAddress string // 0x and 40 lower-case hex digits
	Account         string // handle on X, without @
	AccountID       string // the connected account's number, empty for none; bound only where a call is made with it
	Chat            int64
	Host            string
	Out             []app.OutCall // what of the payload is out already
}

// Freeze returns everything that an approval of payload binds to. What it holds
// as the request of a call is what a preview shows and what is sent.
func Freeze(kind app.ValidationKind, payload json.RawMessage, b Binding) (app.Frozen, error) {
	canonical, err := app.CanonicalJSON(payload)
	if err != nil {
		return app.Frozen{}, fmt.Errorf("freeze payload: %w", err)
	}
	if canonical[0] != '{' {
		return app.Frozen{}, fmt.Errorf("freeze payload: %q is not an object", excerpt(string(canonical), 0))
	}
	planned, err := remaining(kind, canonical, b.Out)
	if err != nil {
		return app.Frozen{}, err
	}
	f := app.Frozen{Kind: kind, OfficialAddress: b.OfficialAddress, Account: b.Account, Chat: b.Chat,
		Host: b.Host, Payload: canonical, Calls: make([]app.FrozenCall, len(planned)), Files: []string{}, Out: b.Out}
	for i, e := range planned {
		f.Calls[i] = app.FrozenCall{Kind: e.Kind, Request: e.Request}
		if OnX(e.Kind) {
			f.AccountID = b.AccountID
		}
		files, err := filesOf(f.Calls[i])
		if err != nil {
			return app.Frozen{}, err
		}
		f.Files = append(f.Files, files...)
	}
	return f, nil
}

// filesOf are the SHA-256 of the files that go out with a call, in order: of
// pictures, or of a build's list of files.
func filesOf(c app.FrozenCall) (files []string, err error) {
	var r struct {
		Media           []app.Media `json:"media"`
		Picture, Banner app.Media
		Manifest        string `json:"manifest_sha256"`
	}
	if err := json.Unmarshal(c.Request, &r); err != nil {
		return nil, fmt.Errorf("read files of %s: %w", c.Kind, err)
	}
	for _, m := range append(r.Media, r.Picture, r.Banner, app.Media{SHA256: r.Manifest}) {
		if m.SHA256 != "" {
			files = append(files, m.SHA256)
		}
	}
	return files, nil
}

// Allowed tells whether an effect is the call that f holds at its place, to the
// byte.
func Allowed(f app.Frozen, e app.Effect) bool {
	at := e.Position - len(f.Out)
	if at < 0 || at >= len(f.Calls) {
		return false
	}
	c := f.Calls[at]
	return c.Kind == e.Kind && bytes.Equal(c.Request, e.Request) && app.SHA256Hex(e.Request) == e.RequestSHA256
}
