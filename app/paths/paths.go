// Package paths spells the URLs and DOM ids of the site once, for routes and views alike.
package paths

import (
	"net/url"
	"strconv"
	"strings"
)

// The public pages.

func Home() string                         { return "/" }
func Operation(slug string) string         { return "/operations/" + url.PathEscape(slug) }
func OperationLogJSONL(slug string) string { return Operation(slug) + "/log.jsonl" }
func OperationLogAtom(slug string) string  { return Operation(slug) + "/log.atom" }
func OperationCard(slug string) string     { return Operation(slug) + "/card.png" }
func OperationMedia(slug, sha string) string {
	return Operation(slug) + "/media/" + url.PathEscape(sha)
}

// Candidates lists those of a state, empty for any; page counts from 1.
func Candidates(state string, page int) string {
	q := url.Values{}
	if state != "" {
		q.Set("state", state)
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	return withQuery("/candidates", q)
}

// Candidate is the pre-report of a token; address is EIP-55.
func Candidate(chainID int64, address string) string {
	return "/candidates/" + number(chainID) + "/" + address
}

func Sitemap() string { return "/sitemap.xml" }

// Static is a file of the stylesheet, script or icon kind; version changes
// with its content.
func Static(name, version string) string { return "/static/" + name + "?v=" + version }

// Log is the part of the log that a page shows.
type Log struct {
	Agent, Kind string // empty: all
	// Before shows the rows before this sequence number, 0 the newest.
	Before int64
}

func (l Log) query() url.Values {
	q := url.Values{}
	if l.Agent != "" {
		q.Set("agent", l.Agent)
	}
	if l.Kind != "" {
		q.Set("kind", l.Kind)
	}
	if l.Before > 0 {
		q.Set("before", strconv.FormatInt(l.Before, 10))
	}
	return q
}

// OperationLog is the live page showing that part of the log.
func OperationLog(slug string, log Log) string {
	return withQuery(Operation(slug), log.query()) + "#log"
}

// OperationLive is the stream that goes on after the line with that sequence
// number, and after the state of the parts with that name. A page of older rows
// gets no new ones: there would be a gap between.
func OperationLive(slug string, after int64, have string, log Log) string {
	q := log.query()
	q.Set("after", strconv.FormatInt(after, 10))
	if have != "" {
		q.Set("have", have)
	}
	return withQuery(Operation(slug)+"/live", q)
}

// EventAnchor is the permalink of one line within the live page.
func EventAnchor(seq int64) string { return "#" + EventID(seq) }

// EventPage is the permalink of one line from anywhere.
func EventPage(slug string, seq int64) string {
	return withQuery(Operation(slug), url.Values{"line": {strconv.FormatInt(seq, 10)}}) + EventAnchor(seq)
}

// OperationData says to programs where a takeover stands; OperationDataLive goes on
// telling them.
func OperationData(slug string) string     { return "/api/v1/operations/" + url.PathEscape(slug) }
func OperationDataLive(slug string) string { return OperationData(slug) + "/live" }

// OperationDataLog are the rows of its log behind one, for programs.
func OperationDataLog(slug string, after int64, limit int) string {
	return OperationData(slug) + "/log?after=" + number(after) + "&limit=" + strconv.Itoa(limit)
}

// TokenMarket is the market for the widgets of relaunched sites, TokenHolders who
// holds the token.
func TokenMarket(chainID int64, address string) string {
	return tokenData(chainID, address) + "/market"
}
func TokenHolders(chainID int64, address string) string {
	return tokenData(chainID, address) + "/holders"
}

func tokenData(chainID int64, address string) string {
	return "/api/v1/tokens/" + number(chainID) + "/" + address
}

// The DOM ids.

// EventID names the row of one log line.
func EventID(seq int64) string { return "e" + strconv.FormatInt(seq, 10) }

// StepID names the row of one step.
func StepID(key string) string { return "step-" + strings.ReplaceAll(key, ".", "-") }

// SettingID names one setting on its page.
func SettingID(key string) string { return "setting-" + strings.ReplaceAll(key, ".", "-") }

// ItemID names one entry of a run's transcript.
func ItemID(seq int) string { return "item-" + strconv.Itoa(seq) }

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// TelegramWebhook is where Telegram brings updates.
func TelegramWebhook() string { return "/telegram/webhook" }
