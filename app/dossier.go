package app

import (
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Launch is what a launchpad on the chain keeps of a token. Addresses are
// EIP-55, empty when there is none.
type Launch struct {
	Launchpad    string // its factory
	Deployer     string
	FeeRecipient string // whom the deployer's fees are redirected to
	Block        uint64
}

// DossierPayload is what the takeover forms of all venues ask for: each value
// once, and the venues that want it.
type DossierPayload struct {
	// Venue is the one form of a draft that was written before there were Venues.
	Venue  string         `json:"venue,omitempty"`
	Fields []DossierField `json:"fields"`
	Venues []DossierVenue `json:"venues,omitempty"`
	// Compiled is when what is said of the venues was compiled, for people.
	Compiled string `json:"compiled,omitempty"`
	// LeftOut are the forms that do not fit this token.
	LeftOut []DossierOmission `json:"left_out,omitempty"`
}

// DossierField is one value that forms ask for.
type DossierField struct {
	Key   string `json:"key,omitempty"` // by which venues name it
	Label string `json:"label"`
	Value string `json:"value"` // empty: a gap
	// Source is where the value comes from, At since when it holds, Link where
	// that can be seen.
	Source string     `json:"source"`
	At     *time.Time `json:"at,omitempty"`
	Link   string     `json:"link,omitempty"`
	// Missing says what a gap waits for and who can fill it.
	Missing string `json:"missing,omitempty"`
	// Fixed values were read by code and are typed by nobody.
	Fixed bool `json:"fixed,omitempty"`
	// Account values are an address other than the token's.
	Account bool `json:"account,omitempty"`
	// Long values may take several lines.
	Long bool `json:"long,omitempty"`
}

// DossierVenue is one form, with the keys of its fields in its order.
type DossierVenue struct {
	Key        string   `json:"key"`
	Name       string   `json:"name"`
	URL        string   `json:"url"` // where a person submits it
	Price      string   `json:"price"`
	Conditions []string `json:"conditions"`
	Fields     []string `json:"fields"`
}

// DossierOmission is a form that was left out, and why in one line.
type DossierOmission struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Forms are the venues, also of a draft that was written for one.
func (p DossierPayload) Forms() []DossierVenue {
	if len(p.Venues) > 0 {
		return p.Venues
	}
	return []DossierVenue{{Key: "form", Name: p.Venue}}
}

// Of returns the fields of a venue's form; one without a list has all.
func (p DossierPayload) Of(v DossierVenue) []DossierField {
	if len(v.Fields) == 0 {
		return p.Fields
	}
	byKey := make(map[string]DossierField, len(p.Fields))
	for _, f := range p.Fields {
		byKey[f.Key] = f
	}
	fields := make([]DossierField, 0, len(v.Fields))
	for _, key := range v.Fields {
		if f, ok := byKey[key]; ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// Receipt is what became of one venue's form: it was sent, and Link shows that,
// or it was not, for a reason.
type Receipt struct {
	Venue  string    `json:"venue"` // its key
	Name   string    `json:"name"`
	Link   string    `json:"link,omitempty"`
	Reason string    `json:"reason,omitempty"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// Sent are the receipts of forms that were submitted.
func Sent(all []Receipt) (sent []Receipt) {
	for _, r := range all {
		if r.Link != "" {
			sent = append(sent, r)
		}
	}
	return sent
}

// The most that is kept of a receipt.
const (
	MaxReceiptLink   = 2000
	MaxReceiptReason = 300
)

// Settle returns the receipts of all venues in their order, by whom and when.
// Each form was submitted, or not for a reason, and one was at least.
func (p DossierPayload) Settle(entered []Receipt, by string, at time.Time) (settled []Receipt, err error) {
	byVenue := make(map[string]Receipt, len(entered))
	for _, r := range entered {
		byVenue[r.Venue] = r
	}
	var faults []string
	for _, v := range p.Forms() {
		r := byVenue[v.Key]
		r.Venue, r.Name, r.By, r.At = v.Key, v.Name, by, at
		var fault string
		if r.Link, r.Reason, fault = outcome(r); fault != "" {
			faults = append(faults, v.Name+": "+fault)
		}
		settled = append(settled, r)
	}
	if len(faults) > 0 {
		return nil, Errorf(Invalid, "%s Nothing was decided.", strings.Join(faults, " "))
	}
	if len(Sent(settled)) == 0 {
		return nil, Errorf(Invalid, "Submit one form at least, then enter its receipt. If none can be submitted, reject the dossier with the reason. Nothing was decided.")
	}
	return settled, nil
}

// outcome is what a person entered for one form, or what is wrong with it.
func outcome(r Receipt) (link, reason, fault string) {
	link, reason = strings.TrimSpace(r.Link), strings.TrimSpace(r.Reason)
	switch {
	case link == "" && reason == "":
		return "", "", "enter the receipt's address, or why the form was not submitted."
	case link != "" && reason != "":
		return "", "", "enter the receipt's address or the reason why it was not submitted, not both."
	case utf8.RuneCountInString(reason) > MaxReceiptReason:
		return "", "", "say the reason in 300 characters at most."
	case link == "":
		return "", reason, ""
	}
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(link) > MaxReceiptLink {
		return "", "", "give the address of the receipt, beginning with https://."
	}
	return u.String(), "", ""
}
