package main

import "vivra/app/boot"

// config is what the application is built from. SecretKey is nil for commands
// that seal nothing.
func (e environment) config(secretKey []byte) boot.Config {
	return boot.Config{
		DatabaseURL:    e.DatabaseURL,
		PostgresBinDir: e.PostgresBinDir,
		Addr:           e.Addr,
		PublicURL:      e.PublicURL,
		DataDir:        e.DataDir,
		SecretKey:      secretKey,
		ClientJS:       e.ClientJS,
		BlobURL:        e.BlobURL,
		Chain:          e.chain(),
		Services:       e.services(),
		Telemetry:      e.telemetry(),
	}
}

func (e environment) services() boot.Services {
	return boot.Services{
		SiteDomain:     e.SiteDomain,
		SurplusBaseURL: e.SurplusBaseURL,
		SurplusAPIKey:  e.SurplusAPIKey,
		ImageBaseURL:   e.ImageBaseURL,
		ImageAPIKey:    e.ImageAPIKey,

		RPCURL:               e.RPCURL,
		ExplorerBaseURL:      e.ExplorerBaseURL,
		DexscreenerBaseURL:   e.DexscreenerBaseURL,
		GeckoterminalBaseURL: e.GeckoterminalBaseURL,

		XAPIBaseURL:       e.XAPIBaseURL,
		XAuthBaseURL:      e.XAuthBaseURL,
		XAuthorizeBaseURL: e.XAuthorizeBaseURL,
		XClientID:         e.XClientID,
		XClientSecret:     e.XClientSecret,

		TelegramAPIBaseURL:    e.TelegramAPIBaseURL,
		TelegramBotToken:      e.TelegramBotToken,
		TelegramWebhookSecret: e.TelegramWebhookSecret,

		CloudflareAPIBaseURL: e.CloudflareAPIBaseURL,
		CloudflareAPIToken:   e.CloudflareAPIToken,
		CloudflareAccountID:  e.CloudflareAccountID,
		CloudflareZoneID:     e.CloudflareZoneID,

		AlertTelegramChat:  e.AlertTelegramChat,
		AlertWebhookURL:    e.AlertWebhookURL,
		AlertWebhookSecret: e.AlertWebhookSecret,
	}
}

// chain is what VIVRA_CHAIN says; parse has checked it.
func (e environment) chain() boot.ChainConfig {
	if e.Chain == "" {
		return boot.ChainConfig{}
	}
	c, err := boot.ParseChain(e.Chain)
	if err != nil {
		panic(err) // isChain let it through
	}
	return c
}

func isChain(value string) string {
	if _, err := boot.ParseChain(value); err != nil {
		return "is " + err.Error()
	}
	return ""
}
