package app

import (
	"encoding/json"
	"time"
)

// ValidationState is where one public output stands.
type ValidationState string

// The states of a validation.
const (
	ValidationPending  ValidationState = "pending"
	ValidationApproved ValidationState = "approved"
	ValidationRejected ValidationState = "rejected"
	ValidationVoid     ValidationState = "void"
)

// ValidationKind names what is to be decided; Payload's type follows from it.
type ValidationKind string

// The kinds of validations and the types of their payloads.
const (
	KindPost      ValidationKind = "post"       // PostPayload
	KindThread    ValidationKind = "thread"     // ThreadPayload
	KindPoll      ValidationKind = "poll"       // PollPayload
	KindProfile   ValidationKind = "profile"    // ProfilePayload, applied by hand, read back
	KindTelegram  ValidationKind = "telegram"   // TelegramSetupPayload
	KindSite      ValidationKind = "site"       // SitePayload
	KindUtility   ValidationKind = "utility"    // UtilityPayload
	KindGoNoGo    ValidationKind = "go_nogo"    // OutputPayload
	KindDirection ValidationKind = "directions" // OutputPayload
	KindKit       ValidationKind = "kit"        // OutputPayload
	KindMods      ValidationKind = "mods"       // OutputPayload
	KindVerdict   ValidationKind = "verdict"    // OutputPayload
	KindDossier   ValidationKind = "dossier"    // DossierPayload, submitted by hand
	KindHandover  ValidationKind = "handover"   // HandoverPayload, signed off by hand
)

// Answers is the post of another account that v replies to, nil for none.
func (v Validation) Answers() *Answered {
	var p PostPayload
	if v.Kind != KindPost || json.Unmarshal(v.Payload, &p) != nil {
		return nil
	}
	return p.Answers
}

// ValidationKinds are all kinds.
func ValidationKinds() []ValidationKind {
	return []ValidationKind{KindPost, KindThread, KindPoll, KindProfile, KindTelegram, KindSite, KindUtility, KindGoNoGo,
		KindDirection, KindKit, KindMods, KindVerdict, KindDossier, KindHandover}
}

// AlwaysByPerson tells whether a person decides k whatever the settings.
func (k ValidationKind) AlwaysByPerson() bool {
	return k == KindGoNoGo || k == KindDossier || k == KindHandover
}

// Validation is one public output that waits for a person.
type Validation struct {
	ID            string // uuid
	OperationID   int64
	OperationSlug string
	TokenSymbol   string // outside text
	StepID        int64
	StepKey       string
	Agent         string
	RunID         string // empty for system steps
	Kind          ValidationKind
	Payload       json.RawMessage // canonical JSON, the bytes that were hashed
	PayloadSHA256 string          // hex
	// Frozen is canonical JSON of a Frozen: all that an approval binds to, empty
	// for drafts of a program that did not freeze yet. FrozenSHA256 is its hash in
	// hex, which a decision must name.
	Frozen       json.RawMessage
	FrozenSHA256 string
	// Nonce changes whenever the draft waits anew: a decision must name it too.
	Nonce     string
	DraftNo   int
	Risk      Risk
	State     ValidationState
	DecidedBy string // a user's name, or ByPolicy
	DecidedAt *time.Time
	Reason    string // of a rejection
	// Receipts are what became of the forms that a person sent by hand.
	Receipts []Receipt
	// AppliesAt is until when the decision can be undone; AppliedAt is when what
	// follows from it was set going.
	AppliesAt, AppliedAt *time.Time
	// FirstApprovedBy is who approved first where two people must.
	FirstApprovedBy string
	FirstApprovedAt *time.Time
	// EditedBy is who wrote this draft over Replaces, empty for an agent's own.
	EditedBy string
	Replaces string
	// AccountID is the account's number on X that the first attempt was made with,
	// where Frozen has none: later ones are bound to it.
	AccountID string
	// VoidReason says why a draft was withdrawn or replaced.
	VoidReason string
	CreatedAt  time.Time
	// PreviousReason is why the draft before this one was rejected, empty when there was none.
	PreviousReason string
	// RunCost is what the run that made it has cost.
	RunCost Nano
}

// ByTwo tells whether k is decided by two people when the team wants that.
func (k ValidationKind) ByTwo() bool { return k == KindGoNoGo || k == KindHandover }

// Undoable tells whether the decision can still be taken back at now.
func (v Validation) Undoable(now time.Time) bool {
	return (v.State == ValidationApproved || v.State == ValidationRejected) && v.AppliedAt == nil && v.AppliesAt != nil && now.Before(*v.AppliesAt)
}

// Frozen is everything that an approval binds to. Its canonical JSON is hashed
// when the draft is written, when it is decided and before each call: what goes
// out is what was approved, or nothing goes out.
type Frozen struct {
	Kind ValidationKind `json:"kind"`
	// OfficialAddress is the token's, 0x and 40 lower-case hex digits.
	OfficialAddress string `json:"official_address"`
	// Account is the operation's on X. Its number is empty where no call is made
	// with it, and until it is connected: then the first attempt binds it.
	Account   string `json:"account"`
	AccountID string `json:"account_id"`
	// Chat is the operation's Telegram group, Host its site.
	Chat int64  `json:"chat"`
	Host string `json:"host"`
	// Payload is what people saw, Calls what approval sets off, in order.
	Payload json.RawMessage `json:"payload"`
	Calls   []FrozenCall    `json:"calls"`
	// Files are the SHA-256 of every file that goes out, in order.
	Files []string `json:"files"`
	// Out are the calls before these that were made under an earlier approval:
	// what is approved here is the rest.
	Out []OutCall `json:"out,omitempty"`
}

// OutCall is a call that is out already, with what its platform knows it by.
type OutCall struct {
	Kind       string          `json:"kind"`
	Request    json.RawMessage `json:"request"`
	ProviderID string          `json:"provider_id"`
	Link       string          `json:"link"`
}

// FrozenCall is one call to the outside, as it will be made.
type FrozenCall struct {
	Kind    string          `json:"kind"`
	Request json.RawMessage `json:"request"`
}

// QueueItem is one waiting output as a list shows it, without its payload.
type QueueItem struct {
	ID            string
	OperationSlug string
	TokenSymbol   string // outside text
	StepKey       string
	To            string // whom it replies to, by the name on X: outside text, mostly empty
	Agent         string
	Kind          ValidationKind
	PublishPrice  Nano
	Marks         int // Risk.Marks
	DraftNo       int
	// FirstApprovedBy is set when a second person is waited for.
	FirstApprovedBy string
	CreatedAt       time.Time
}

// Behind tells whether the item's place in the queue is behind v's.
func (i QueueItem) Behind(v Validation) bool {
	at := i.CreatedAt.Compare(v.CreatedAt)
	return at > 0 || at == 0 && i.ID > v.ID
}

// QueueWindow is a part of the queue, oldest first.
type QueueWindow struct {
	Items  []QueueItem
	Before int // older ones that are left out
	After  int // newer ones that are left out
}

// Total is how many outputs wait.
func (w QueueWindow) Total() int { return w.Before + len(w.Items) + w.After }

// Choice is what a person decides about: the draft, its bytes and its turn.
type Choice struct{ ID, FrozenSHA256, Nonce string }

// Choice is v as it stands, to be decided.
func (v Validation) Choice() Choice { return Choice{v.ID, v.FrozenSHA256, v.Nonce} }

// Decision is what became of one of several choices.
type Decision struct {
	Choice     Choice
	Validation Validation // as it stands now
	Err        error      // nil: decided as wished
}

// Marks counts what a person must look at before approving.
func (r Risk) Marks() int {
	n := len(r.Problems)
	for _, a := range r.Addresses {
		if !a.Matches {
			n++
		}
	}
	for _, l := range r.Links {
		if !l.Allowed {
			n++
		}
	}
	return n
}

// Risk is what a person should see before deciding.
type Risk struct {
	Addresses []FoundAddress `json:"addresses"`
	Links     []FoundLink    `json:"links"`
	// Sources are the outside places that the run read.
	Sources []string `json:"sources"`
	// Tainted: the run read outside text, so a person decides whatever the settings.
	Tainted bool `json:"tainted"`
	// Problems were found by code; an output with any can be approved only on purpose.
	Problems []string `json:"problems"`
	// PublishPrice is what the platform charges for sending it.
	PublishPrice Nano `json:"publish_price_nusd"`
	// Effect says in one sentence what approval will do.
	Effect string `json:"effect"`
}

// FoundAddress is an address that stands in an output.
type FoundAddress struct {
	Address string `json:"address"`
	Matches bool   `json:"matches"` // it is the token's own
}

// FoundLink is a link that stands in an output.
type FoundLink struct {
	URL     string `json:"url"`
	Allowed bool   `json:"allowed"`
}

// Media names a file of a publication by its content.
type Media struct {
	SHA256 string `json:"sha256"`
	MIME   string `json:"mime"`
	Alt    string `json:"alt"`
}

// PostPayload is one post on X.
type PostPayload struct {
	Account string  `json:"account"` // handle
	Text    string  `json:"text"`
	Media   []Media `json:"media"`
	// Answers is the post of another account that it replies to, nil for a post
	// of our own.
	Answers *Answered `json:"answers,omitempty"`
}

// Answered is a post of another account, and who wrote it.
type Answered struct {
	PostID   string `json:"post_id"`
	AuthorID string `json:"author_id"`
}

// ThreadPayload is a thread on X, each post replying to the one before.
type ThreadPayload struct {
	Account string        `json:"account"`
	Posts   []PostPayload `json:"posts"`
}

// PollPayload is one question asked on both channels: the boards go in the
// post before the poll on X, which may carry no media.
type PollPayload struct {
	Account         string      `json:"account"`
	Intro           PostPayload `json:"intro"`
	Question        string      `json:"question"`
	Options         []string    `json:"options"`
	DurationMinutes int         `json:"duration_minutes"`
	Channels        []string    `json:"channels"` // x, telegram
	TelegramChat    int64       `json:"telegram_chat"`
}

// ProfilePayload is the checklist that a person applies on X, read back after.
type ProfilePayload struct {
	Account   string   `json:"account"`
	Name      string   `json:"name"`
	Bio       string   `json:"bio"`
	URL       string   `json:"url"`
	Picture   Media    `json:"picture"`
	Banner    Media    `json:"banner"`
	Checklist []string `json:"checklist"`
}

// TelegramSetupPayload is everything that makes the group the token's own.
type TelegramSetupPayload struct {
	Chat        int64  `json:"chat"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Rules       string `json:"rules"`
	Pinned      string `json:"pinned"`
	// OfficialAddress is EIP-55; Pinned must hold it and no other.
	OfficialAddress string `json:"official_address"`
}

// SitePayload is a built site, frozen by the hashes of its files.
type SitePayload struct {
	Host            string `json:"host"`
	BuildID         string `json:"build_id"`
	Template        string `json:"template"`
	ManifestSHA256  string `json:"manifest_sha256"`
	OfficialAddress string `json:"official_address"`
}

// UtilityPayload is a built utility, frozen by the hashes of its files.
type UtilityPayload struct {
	Host           string          `json:"host"`
	Path           string          `json:"path"` // sub-page of the site
	BuildID        string          `json:"build_id"`
	Template       string          `json:"template"`
	Config         json.RawMessage `json:"config"`
	ManifestSHA256 string          `json:"manifest_sha256"`
}

// OutputPayload is a step's output that a person accepts as it is.
type OutputPayload struct {
	Step   string          `json:"step"`
	Output json.RawMessage `json:"output"`
}

// HandoverPayload is the checklist that ends an operation.
type HandoverPayload struct {
	Items []string `json:"items"`
}

// EffectState is where the deferred effect of an approval stands.
type EffectState string

// The states of an effect.
const (
	EffectIntent     EffectState = "intent"
	EffectAttempting EffectState = "attempting"
	EffectDone       EffectState = "done"
	EffectUnknown    EffectState = "unknown"
	EffectFailed     EffectState = "failed"
	EffectVoid       EffectState = "void"
)

// Effect is one call to the outside that an approval allowed. The effects of a
// validation are carried out in order of Position, each once.
type Effect struct {
	ID            int64
	Key           string // unique
	ValidationID  string
	OperationID   int64
	OperationSlug string
	StepID        int64
	StepKey       string
	Position      int
	Kind          string          // x.post, tg.message, …
	Request       json.RawMessage // canonical JSON of this call
	RequestSHA256 string
	State         EffectState
	NotBefore     time.Time
	Attempt       int
	Fence         int64
	ProviderID    string
	Receipt       json.RawMessage
	Price         Nano // the most it may cost
	Cost          Nano
	Error         string
	DoneAt        *time.Time
	AttemptedAt   *time.Time
	// Media are the pictures that X has taken, Charged what it has charged for them,
	// or may have, in the attempt that runs or is in doubt.
	Media   []Upload
	Charged Nano
}

// Upload is a picture as X has it, for a day.
type Upload struct {
	ID        string    `json:"id"` // empty: it has none
	At        time.Time `json:"at"`
	Described bool      `json:"described"` // with its alt text, or it has none
}

// Settlement is a person's word for what became of an effect in doubt: of the
// attempt that they looked for, and of no later one.
type Settlement struct {
	EffectID, Fence int64
	Sent            bool
	Link            string // to what was found
}
