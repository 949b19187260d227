package modelsim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/tools"
)

const official = "0x52908400098527886E0F7030069857D2E4169EE7"

var start = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)

// world is what the tools stand on, in memory.
type world struct {
	sections  map[string]map[string]json.RawMessage
	assets    map[string][]byte
	labels    map[string]string
	builds    map[string]app.Build
	files     map[string]map[string][]byte
	proposals []proposal
	alerts    []string
	failing   bool // no utility passes its tests
	pictures  int
	bio       string // what somebody wrote into a profile
}

type proposal struct {
	kind    app.ValidationKind
	payload json.RawMessage
}

func newWorld() *world {
	return &world{
		sections: map[string]map[string]json.RawMessage{}, assets: map[string][]byte{}, labels: map[string]string{},
		builds: map[string]app.Build{}, files: map[string]map[string][]byte{},
	}
}

func (w *world) tools() []agent.Tool {
	return tools.All(tools.Deps{
		Files: w, Proposals: w, Assets: w, Builds: w, Kits: w, Alerts: w, Charges: w, Social: w, Mentions: w, History: w, Polls: w, Activity: w,
		Chain: w, Trades: w, Market: w, Generate: w.generate, Renderer: w, Runner: w,
		Venue: func(app.TokenRef) tools.Venue {
			return tools.Venue{Chain: "Test chain", BuyURL: "https://swap.example/t", ExplorerURL: "https://explorer.example/t"}
		},
		EIP55:      func(app.Address) string { return official },
		ImagePrice: func(context.Context, string) (string, app.Nano, error) { return "painter", app.Dollar / 25, nil },
		PublicURL:  "http://127.0.0.1:8080",
	})
}

func (w *world) ReadFile(_ context.Context, _ int64, section string) (json.RawMessage, int, error) {
	raw, err := json.Marshal(w.sections[section])
	if w.sections[section] == nil {
		raw = json.RawMessage(`{}`)
	}
	return raw, len(w.sections[section]), err
}

// WriteFile adds to a section, and refuses the names that outputs land under.
func (w *world) WriteFile(_ context.Context, s agent.Scope, section string, content json.RawMessage) (int, error) {
	var add map[string]json.RawMessage
	if err := json.Unmarshal(content, &add); err != nil {
		return 0, err
	}
	for key := range add {
		if bytes.ContainsRune([]byte(key), '.') {
			return 0, app.Errorf(app.Invalid, "%q has a dot.", key)
		}
	}
	w.land(section, add)
	return len(w.sections[section]), nil
}

func (w *world) land(section string, add map[string]json.RawMessage) {
	if w.sections[section] == nil {
		w.sections[section] = map[string]json.RawMessage{}
	}
	maps.Copy(w.sections[section], add)
}

func (w *world) Propose(_ context.Context, _ agent.Scope, kind app.ValidationKind, payload any, _ app.Risk) (string, error) {
	raw, err := app.CanonicalJSON(payload)
	w.proposals = append(w.proposals, proposal{kind, raw})
	return fmt.Sprintf("validation-%d", len(w.proposals)), err
}

func (w *world) SaveAsset(ctx context.Context, _ agent.Scope, label string, raw []byte) (app.Asset, error) {
	sum := app.SHA256Hex(raw)
	w.assets[sum], w.labels[sum] = raw, label
	_, asset, err := w.LoadAsset(ctx, 1, sum)
	return asset, err
}

func (w *world) CallAssets(context.Context, agent.Scope) ([]app.Asset, error) { return nil, nil }

func (w *world) LoadAsset(_ context.Context, _ int64, sum string) ([]byte, app.Asset, error) {
	raw, ok := w.assets[sum]
	if !ok {
		return nil, app.Asset{}, app.Errorf(app.NotFound, "There is no such asset.")
	}
	config, err := png.DecodeConfig(bytes.NewReader(raw))
	return raw, app.Asset{SHA256: sum, MIME: "image/png", Width: config.Width, Height: config.Height, Bytes: len(raw), Label: w.labels[sum]}, err
}

func (w *world) SaveBuild(_ context.Context, _ agent.Scope, b app.Build, files map[string][]byte) (app.Build, error) {
	b.ID = fmt.Sprintf("build-%d", len(w.builds)+1)
	w.builds[b.ID], w.files[b.ID] = b, files
	return b, nil
}

func (w *world) LoadBuild(_ context.Context, _ int64, id string) (app.Build, map[string][]byte, error) {
	b, ok := w.builds[id]
	if !ok {
		return b, nil, app.Errorf(app.NotFound, "There is no such build.")
	}
	return b, w.files[id], nil
}

func (w *world) SaveReport(_ context.Context, _ agent.Scope, id string, _ any, passed bool) error {
	b := w.builds[id]
	b.Passed = passed
	w.builds[id] = b
	return nil
}

func (w *world) Kit(context.Context, int64) (tools.Kit, error) {
	return tools.Kit{}, app.Errorf(app.NotFound, "no kit")
}

func (w *world) RaiseAlert(_ context.Context, _ agent.Scope, kind, message string) error {
	w.alerts = append(w.alerts, kind+": "+message)
	return nil
}

func (w *world) Charge(_ context.Context, _ agent.Scope, p tools.Purchase, fn func() (app.Nano, error)) (app.Nano, error) {
	_, err := fn()
	return p.Bound(), err
}

func (w *world) Profile(context.Context, agent.Scope, string) (app.Profile, error) {
	if w.bio != "" {
		return app.Profile{Username: "dodo", Bio: w.bio}, nil
	}
	return app.Profile{}, app.Errorf(app.NotFound, "no such account")
}

func (w *world) Posts(context.Context, agent.Scope, string, int) ([]app.Post, error) {
	return []app.Post{{ID: "1", Text: "gm"}}, nil
}

func (w *world) Said(context.Context, agent.Scope) ([]app.Said, error) { return nil, nil }

func (w *world) Answered(context.Context, int64) (app.Answered, error) {
	return app.Answered{PostID: "91", AuthorID: "800000001"}, nil
}

func (w *world) PollTallies(context.Context, agent.Scope) (app.PollRecord, *app.PollResult, *app.PollResult, error) {
	return app.PollRecord{XPostID: "77", TelegramPollID: "9"}, &app.PollResult{Closed: true, Votes: []int{2, 9, 1}}, &app.PollResult{Closed: true, Votes: []int{4, 4, 0}}, nil
}

func (w *world) Members(context.Context, int64, time.Time, time.Time) ([]app.MemberActivity, int, error) {
	return []app.MemberActivity{
		{Member: "@loud", DaysActive: 7, Messages: 400}, {Member: "@helper", DaysActive: 6, Messages: 50, Answers: 20},
		{Member: "@rude", DaysActive: 7, Messages: 90, Answers: 30, Violations: 1}, {Member: "@new", DaysActive: 1, Messages: 3, Answers: 3},
	}, 546, nil
}

func (w *world) Token(context.Context, app.TokenRef) (app.TokenFacts, error) {
	return app.TokenFacts{ChainID: 8453, Address: official, Name: "Dodo", Symbol: "DODO", Supply: 1e9, Burned: 2.5e6, Block: 90}, nil
}

func (w *world) Holders(context.Context, app.TokenRef) (app.Holders, error) {
	return app.Holders{Count: 412, NeverSold: 300, Top: []app.Holder{{Address: official, Share: 0.1, Kind: "holder"}}, Top10Share: 0.21, DeployerShare: 0.01, Block: 90}, nil
}

func (w *world) Liquidity(context.Context, app.TokenRef) (app.Liquidity, error) {
	return app.Liquidity{Pool: official, USD: 12340.5, LockedShare: 1, Block: 90}, nil
}

func (w *world) Transactions(_ context.Context, _ app.TokenRef, days int) (app.Transactions, error) {
	first, last := start.AddDate(0, 0, -80), start.AddDate(0, 0, -20)
	return app.Transactions{Days: days, Trades: 321, VolumeUSD: 45678, Buyers: 120, FirstTradeAt: &first, LastTradeAt: &last, Block: 90}, nil
}

func (w *world) SimulateTrade(context.Context, app.TokenRef) (app.TradeSimulation, error) {
	return app.TradeSimulation{CanBuy: true, CanSell: true, Block: 90}, nil
}

func (w *world) Snapshot(context.Context, app.TokenRef) (app.Market, error) {
	return app.Market{PriceUSD: 4.2e-7, MarketCapUSD: 420, LiquidityUSD: 12340.5, Volume24hUSD: 99.5, Buyers24h: 4, Pool: official, Source: "dexscreener", At: start}, nil
}

func (w *world) Chart(context.Context, app.TokenRef, string, int) ([]app.Candle, error) {
	return nil, nil
}

func (w *world) generate(_ context.Context, _, _, _ string, count int) (made [][]byte, model string, err error) {
	for range count {
		picture, err := w.Render(nil, "", 32, 32)
		if err != nil {
			return nil, "", err
		}
		made = append(made, picture)
	}
	return made, "image-model", nil
}

// Render makes a picture of that size, each another one.
func (w *world) Render(_ context.Context, _ string, width, height int) ([]byte, error) {
	w.pictures++
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	for bit := range 16 {
		img.Pix[bit] = uint8(w.pictures >> bit & 1)
	}
	var out bytes.Buffer
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	err := fast.Encode(&out, img)
	return out.Bytes(), err
}

func (w *world) Run(context.Context, string, string) (json.RawMessage, error) {
	if w.failing {
		return json.RawMessage(`[{"name":"starts","ok":false,"why":"it did not"}]`), nil
	}
	return json.RawMessage(`[{"name":"starts","ok":true,"why":""},{"name":"ends","ok":true,"why":""}]`), nil
}
