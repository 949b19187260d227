package app

import "time"

// Alert is something a person should look at, raised once per subject.
type Alert struct {
	ID            int64
	OperationID   int64
	OperationSlug string
	Kind          string // ours, or "agent_" and what an agent calls it
	Subject       string
	Message       string // may quote text from outside
	CreatedAt     time.Time
	// AcknowledgedAt is nil while the alert is open.
	AcknowledgedAt *time.Time
	AcknowledgedBy string
}

// AlertFilter says which alerts to read; an empty field leaves none out.
type AlertFilter struct {
	Operation    string // slug
	Kind         string
	Acknowledged bool  // those that somebody acknowledged instead of the open ones
	Before       int64 // only those older than the alert with this number
	Limit        int
}

// AlertPage is a part of the alerts, the newest first.
type AlertPage struct {
	Items []Alert
	More  bool // there are older ones
}

// AlertGroup counts the open alerts of one kind in one operation.
type AlertGroup struct {
	Operation string // slug
	Kind      string
	Count     int
	Newest    int64 // number of the newest of them
	At        time.Time
}

// The channels that alerts are brought to, beside the pages.
const (
	AlertTelegram = "telegram"
	AlertWebhook  = "webhook"
)

// Delivery is one alert on its way to a channel. Attempt is the claim: who has
// lost it changes nothing more.
type Delivery struct {
	Alert
	Attempt int
}

// DeliveryFault says that open alerts do not reach a channel.
type DeliveryFault struct {
	Channel string
	GivenUp int // never to be tried again
	Waiting int // tried several times, and to be tried again
	Since   time.Time
	Why     string
}
