package boot

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/doctor"
	"vivra/app/postgres"
)

func (e *examination) accounts(ctx context.Context) ([]postgres.XAccount, error) {
	store, err := e.db.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.XAccounts(ctx)
	if err != nil && strings.Contains(err.Error(), "(SQLSTATE 42P01)") { // no such table yet: nobody is connected
		return nil, nil
	}
	return all, err
}

// known is what the agents are set to: as the database says, or as it is built
// in when the database does not answer.
func (e *examination) known(ctx context.Context) doctor.Catalogue {
	built := doctor.Catalogue{Settings: app.DefaultSettings(), Prices: app.DefaultPrices(), Now: e.Clock.Now()}
	if e.catalogue != nil {
		built.Agents = e.catalogue.Agents()
	}
	store, err := e.db.Store(ctx)
	if err != nil {
		return built
	}
	stored, err := known(ctx, store, built.Agents, built.Now)
	if err != nil {
		return built
	}
	return stored
}

// known is what the agents are set to now.
func known(ctx context.Context, store *postgres.Store, agents []agent.Agent, now time.Time) (c doctor.Catalogue, err error) {
	c = doctor.Catalogue{Agents: agents, Now: now, Stored: true}
	if c.Settings, err = store.Settings(ctx); err != nil {
		return c, err
	}
	c.Prices, err = store.PriceList(ctx)
	return c, err
}

// secrets are the values of which nothing may be shown.
func (c Config) secrets() []string {
	all := []string{c.SurplusAPIKey, c.ImageAPIKey, c.XClientID, c.XClientSecret, c.TelegramBotToken, c.TelegramWebhookSecret, c.CloudflareAPIToken, c.AlertWebhookSecret,
		string(c.SecretKey), hex.EncodeToString(c.SecretKey), strings.ToUpper(hex.EncodeToString(c.SecretKey)), base64.StdEncoding.EncodeToString(c.SecretKey)}
	for _, address := range []string{c.DatabaseURL, c.BlobURL, c.PublicURL, c.SurplusBaseURL, c.ImageBaseURL, c.RPCURL, c.ExplorerBaseURL, c.DexscreenerBaseURL,
		c.GeckoterminalBaseURL, c.XAPIBaseURL, c.XAuthBaseURL, c.XAuthorizeBaseURL, c.TelegramAPIBaseURL, c.CloudflareAPIBaseURL, c.AlertWebhookURL} {
		all = append(all, doctor.InURL(address)...)
	}
	return append(all, c.XClientID+":"+c.XClientSecret)
}
