package tools

import (
	"context"
	"encoding/json"
	"time"

	"vivra/app"
	"vivra/app/agent"
)

// Files is the token file. A section that was never written is version 0 and {}.
type Files interface {
	ReadFile(ctx context.Context, tokenID int64, section string) (content json.RawMessage, version int, err error)
	WriteFile(ctx context.Context, scope agent.Scope, section string, content json.RawMessage) (version int, err error)
}

// Proposals writes one pending validation, idempotent by (RunID, CallID). It
// adds to risk what only the run knows: Sources and Tainted.
type Proposals interface {
	Propose(ctx context.Context, scope agent.Scope, kind app.ValidationKind, payload any, risk app.Risk) (validationID string, err error)
}

// Assets keeps images. An asset of another operation is app.NotFound.
type Assets interface {
	SaveAsset(ctx context.Context, scope agent.Scope, label string, png []byte) (app.Asset, error)
	// CallAssets returns what an earlier try of this very call saved.
	CallAssets(ctx context.Context, scope agent.Scope) ([]app.Asset, error)
	LoadAsset(ctx context.Context, operationID int64, sha256 string) ([]byte, app.Asset, error)
}

// Builds keeps sites and utilities. SaveBuild assigns ID, Files and
// ManifestSHA256, and is idempotent by (RunID, CallID).
type Builds interface {
	SaveBuild(ctx context.Context, scope agent.Scope, b app.Build, files map[string][]byte) (app.Build, error)
	LoadBuild(ctx context.Context, operationID int64, id string) (app.Build, map[string][]byte, error)
	SaveReport(ctx context.Context, scope agent.Scope, id string, report any, passed bool) error
}

// Kit is the approved face of the token: four colours as #rrggbb, and assets by
// their sha256, empty when there is none.
type Kit struct {
	Palette []string
	Logo    string // 256 pixels or more
	OG      string // 1200x630
	Favicon string // 64 pixels
}

// Kits reads an operation's kit from its approved outputs, never from what a
// model wrote since; app.NotFound when there is none.
type Kits interface {
	Kit(ctx context.Context, operationID int64) (Kit, error)
}

// Alerts tells the team.
type Alerts interface {
	RaiseAlert(ctx context.Context, scope agent.Scope, kind, message string) error
}

// Purchase is what a tool pays for: so many pictures of a size, at most Each.
type Purchase struct {
	Tool, Model, Size string
	Count             int
	Each              app.Nano
}

// Bound is the most that it can cost.
func (p Purchase) Bound() app.Nano { return p.Each * app.Nano(p.Count) }

// Charges reserves the bound of a purchase, runs fn, and settles at what fn says
// it cost; a negative cost is unknown and keeps the bound. It returns what was
// settled.
type Charges interface {
	Charge(ctx context.Context, scope agent.Scope, p Purchase, fn func() (app.Nano, error)) (app.Nano, error)
}

// History is what the operation's account has said lately and what waits to be
// said, the newest first, without what the step of scope says itself.
type History interface {
	Said(ctx context.Context, scope agent.Scope) ([]app.Said, error)
}

// Social reads X, and has the operation pay for it. Profile is app.NotFound when
// there is no such account.
type Social interface {
	Profile(ctx context.Context, scope agent.Scope, handle string) (app.Profile, error)
	Posts(ctx context.Context, scope agent.Scope, handle string, max int) ([]app.Post, error)
}

// Mentions says which post of another account a step replies to, app.NotFound
// for none: by its number, never in its words.
type Mentions interface {
	Answered(ctx context.Context, stepID int64) (app.Answered, error)
}

// Polls reads an operation's poll on both channels; nil is a channel that has
// none or could not be read.
type Polls interface {
	PollTallies(ctx context.Context, scope agent.Scope) (record app.PollRecord, x, telegram *app.PollResult, err error)
}

// Activity counts what members did in a group.
type Activity interface {
	Members(ctx context.Context, chat int64, since, until time.Time) (members []app.MemberActivity, messages int, err error)
}

// Chain reads a token's state. app/chain implements it.
type Chain interface {
	Token(ctx context.Context, ref app.TokenRef) (app.TokenFacts, error)
	Holders(ctx context.Context, ref app.TokenRef) (app.Holders, error)
	Liquidity(ctx context.Context, ref app.TokenRef) (app.Liquidity, error)
}

// Trades reads and tries a token's trades. app/chain implements it.
type Trades interface {
	Transactions(ctx context.Context, ref app.TokenRef, days int) (app.Transactions, error)
	SimulateTrade(ctx context.Context, ref app.TokenRef) (app.TradeSimulation, error)
}

// Venue is where people see and trade a token. Links may be empty.
type Venue struct {
	Chain       string // its name for people
	BuyURL      string
	ChartURL    string
	ExplorerURL string
}

// Market reads prices. app/market implements it.
type Market interface {
	Snapshot(ctx context.Context, ref app.TokenRef) (app.Market, error)
	Chart(ctx context.Context, ref app.TokenRef, pool string, days int) ([]app.Candle, error)
}

// Generate asks an image model for count pictures as PNG. Size is WIDTHxHEIGHT;
// seed tells apart pictures of the same prompt. app/images does it.
type Generate func(ctx context.Context, prompt, size, seed string, count int) (png [][]byte, model string, err error)

// Renderer turns one HTML document into a PNG. app/browser implements it.
type Renderer interface {
	Render(ctx context.Context, html string, width, height int) ([]byte, error)
}

// Runner runs a script in a document and returns its JSON value. app/browser
// implements it.
type Runner interface {
	Run(ctx context.Context, html, script string) (json.RawMessage, error)
}
