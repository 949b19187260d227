package dossier

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
)

const operation = "the operation's record"

// unread is said of what the chain did not tell. A dossier that is rejected is
// assembled anew, and the chain read again.
const unread = "The chain could not be read. You: from the explorer, or reject this dossier to have it read again."

// token is what the token is and where it trades.
func (k Known) token() []app.DossierField {
	ref := k.Op.Token.Ref
	name := fmt.Sprintf("%s, chain id %d", k.Chain, ref.ChainID)
	if k.Chain == "" {
		name = fmt.Sprintf("Chain id %d", ref.ChainID)
	}
	pool := app.DossierField{Key: "pool", Label: "Pool", Missing: unread, Fixed: true, Account: true}
	if k.Liquidity != nil {
		pool.Value, pool.Missing = k.Liquidity.Pool, "No pool was found. You: from the exchange where it trades."
		pool.Source, pool.At = block(k.Liquidity.Block), instant(k.ReadAt)
	}
	return []app.DossierField{
		{Key: "address", Label: "Token address", Value: k.Address, Source: operation, Link: k.Explorer, Fixed: true},
		{Key: "chain", Label: "Chain", Value: name, Source: operation, Fixed: true},
		{Key: "name", Label: "Token name", Value: k.Op.Token.Name, Source: "the chain, as read when the operation was made", Missing: "The token has no name.", Fixed: true},
		{Key: "ticker", Label: "Ticker", Value: k.Op.Token.Symbol, Source: "the chain, as read when the operation was made", Missing: "The token has no ticker.", Fixed: true},
		{Key: "explorer", Label: "Page on the explorer", Value: k.Explorer, Source: "the explorer of this installation", Missing: "This installation has no explorer. You: the token's page there.", Fixed: true},
		pool, k.launchpad(),
	}
}

func (k Known) launchpad() app.DossierField {
	f := app.DossierField{Key: "launchpad", Label: "Launched by", Missing: unread, Fixed: true, Account: true}
	if k.Launch != nil {
		f.Value, f.Source, f.At = k.Launch.Launchpad, "the launchpad's own record, "+block(k.Launch.Block), instant(k.ReadAt)
		f.Missing = "No pons v1 factory has it. You: the v2 factory, or do not submit this form if pons did not launch it."
	}
	return f
}

// channels are where the community is, and the proof that they are its own.
func (k Known) channels() []app.DossierField {
	handle, link := "", ""
	if k.Op.XHandle != "" {
		handle, link = "@"+k.Op.XHandle, "https://x.com/"+k.Op.XHandle
	}
	const noAccount = "No account on X is named for this operation. You: name it, then reject this dossier."
	proof := app.DossierField{Key: "proof", Label: "Verification post", Missing: "Not published yet: comes with cm.verification_post.", Fixed: true}
	code := app.DossierField{Key: "code", Label: "One-time code", Missing: "Comes with cm.verification_post.", Fixed: true}
	if p := k.published("cm.verification_post"); p != nil && len(p.Links) > 0 {
		proof.Value, proof.Source, proof.At, proof.Link = p.Links[0], "publication of cm.verification_post", instant(p.PublishedAt), p.Links[0]
		code.Value, code.Source, code.At, code.Link = k.Code, "stands in the verification post", instant(p.PublishedAt), p.Links[0]
	}
	site := app.DossierField{Key: "website", Label: "Website", Value: k.Site, Missing: "Not published yet: comes with webdev.publish."}
	if p := k.published("webdev.publish"); p != nil {
		site.Source, site.At, site.Link, site.Fixed = "publication of webdev.publish", instant(p.PublishedAt), first(p.Links), true
	}
	telegram := "No Telegram group is named for this operation. You: its link, if there is one."
	if k.Op.TelegramChat != 0 {
		telegram = fmt.Sprintf("Only the group's number is known (%d). You: its public link, or an invite link.", k.Op.TelegramChat)
	}
	return []app.DossierField{
		{Key: "x_handle", Label: "Account on X", Value: handle, Source: operation, Missing: noAccount, Fixed: true},
		{Key: "x_link", Label: "Link to the account on X", Value: link, Source: operation, Missing: noAccount, Fixed: true},
		{Key: "telegram", Label: "Telegram link", Missing: telegram},
		site, proof, code,
		{Key: "live_page", Label: "Public record", Value: k.LivePage, Source: operation, Fixed: true},
	}
}

// face is how the token shows itself, in words and pictures that people approved.
func (k Known) face() []app.DossierField {
	about := app.DossierField{Key: "description", Label: "Description", Long: true, Missing: "No approved description yet: comes with cm.account_setup or tg.setup. Or you."}
	logo := app.DossierField{Key: "logo", Label: "Logo", Missing: "No approved logo yet: comes with designer.kit."}
	banner := app.DossierField{Key: "banner", Label: "Header picture", Missing: "No approved header yet: comes with designer.kit."}
	from := func(f *app.DossierField, p *app.Publication, value string) {
		if f.Value == "" && value != "" {
			f.Value, f.Source, f.At, f.Link = value, "publication of "+p.StepKey, instant(p.PublishedAt), first(p.Links)
		}
	}
	var group app.TelegramSetupPayload
	if p := k.published("tg.setup"); p != nil && json.Unmarshal(p.Payload, &group) == nil {
		from(&about, p, group.Description)
	}
	if p := k.published("designer.kit"); p != nil {
		logoFile, bannerFile := kitFiles(p.Payload)
		from(&logo, p, k.media(logoFile))
		from(&banner, p, k.media(bannerFile))
	}
	for _, step := range []string{"cm.rebrand", "cm.account_setup"} {
		var profile app.ProfilePayload
		if p := k.published(step); p != nil && json.Unmarshal(p.Payload, &profile) == nil {
			from(&about, p, profile.Bio)
			from(&logo, p, k.media(profile.Picture.SHA256))
			from(&banner, p, k.media(profile.Banner.SHA256))
		}
	}
	logo.Fixed, banner.Fixed = true, true
	return []app.DossierField{about, logo, banner}
}

// kitFiles are the logo and the header of an approved kit.
func kitFiles(payload json.RawMessage) (logo, banner string) {
	var kit struct {
		Output struct {
			Logo   map[string]string `json:"logo"`
			Banner string            `json:"x_banner_1500x500"`
		} `json:"output"`
	}
	if json.Unmarshal(payload, &kit) != nil {
		return "", ""
	}
	return cmp.Or(kit.Output.Logo["1024"], kit.Output.Logo["512"]), kit.Output.Banner
}

func (k Known) media(sha256 string) string {
	if sha256 == "" || k.Media == nil {
		return ""
	}
	return k.Media(sha256)
}

func block(n uint64) string { return fmt.Sprintf("the chain, block %d", n) }

// day writes an instant for a form, with how long before the other it was.
func day(at, other time.Time) string {
	said := at.UTC().Format("2 January 2006, 15:04 UTC")
	if days := int(other.Sub(at).Hours() / 24); days > 0 {
		return said + ", " + app.Count(days, "day", "days") + " earlier"
	}
	return said
}
