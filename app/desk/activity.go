package desk

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/preflight"
	"vivra/app/telegram"
)

// SaveUpdate stores a raw update of our bot. What can't be read is stored all
// the same, without a chat: a strange update must never be lost or sent again.
func (d *Desk) SaveUpdate(ctx context.Context, raw []byte, now time.Time) error {
	u, err := telegram.DecodeUpdate(raw)
	if err != nil {
		return app.Errorf(app.Invalid, "This is no update: %v.", err)
	}
	if _, err := d.Store.SaveUpdate(ctx, 0, u.ID, u.ChatID, raw, now); err != nil {
		return err
	}
	if u.Poll != nil && u.Poll.Closed {
		return d.Store.SaveClosedPoll(ctx, u.Poll.ID, app.PollResult{Closed: true, Votes: u.Poll.Votes})
	}
	return nil
}

// Members counts what each member did in a group between two instants.
func (d *Desk) Members(ctx context.Context, chat int64, since, until time.Time) ([]app.MemberActivity, int, error) {
	raws, err := d.Store.Updates(ctx, chat, since, until)
	if err != nil {
		return nil, 0, err
	}
	tally := newTally(d.official(ctx, chat))
	for _, raw := range raws {
		if u, err := telegram.DecodeUpdate(raw); err == nil && u.Kind == "message" && !u.FromBot && u.FromID != 0 {
			tally.add(u)
		}
	}
	return tally.members(), tally.messages, nil
}

// official is the address that messages in a group may name.
func (d *Desk) official(ctx context.Context, chat int64) string {
	ops, err := d.Store.Operations(ctx)
	if err != nil {
		return ""
	}
	for _, op := range ops {
		if op.TelegramChat == chat {
			return op.Token.Ref.Address.Hex()
		}
	}
	return ""
}

type tally struct {
	official string
	messages int
	byID     map[int64]*app.MemberActivity
	days     map[int64]map[string]bool
	asked    map[int64]int64 // message id → who asked
}

func newTally(official string) *tally {
	return &tally{official: official, byID: map[int64]*app.MemberActivity{}, days: map[int64]map[string]bool{}, asked: map[int64]int64{}}
}

func (t *tally) add(u telegram.Update) {
	t.messages++
	m := t.byID[u.FromID]
	if m == nil {
		m = &app.MemberActivity{}
		t.byID[u.FromID], t.days[u.FromID] = m, map[string]bool{}
	}
	m.Member = memberName(u)
	m.Messages++
	t.days[u.FromID][u.Date.Format(time.DateOnly)] = true
	m.DaysActive = len(t.days[u.FromID])
	if strings.HasSuffix(strings.TrimSpace(u.Text), "?") {
		t.asked[u.MessageID] = u.FromID
	}
	if asker, ok := t.asked[u.ReplyTo]; ok && u.ReplyTo != 0 && asker != u.FromID {
		m.Answers++
	}
	for _, a := range preflight.Addresses(u.Text) { // also in disguise
		if !strings.EqualFold(a, t.official) {
			m.Violations++
		}
	}
}

var username = regexp.MustCompile(`^@[A-Za-z0-9_]{1,32}$`)

// memberName is what a member is called in a list: the username, else the
// display name when it is a name and no more, else a number.
func memberName(u telegram.Update) string {
	// With a _ it would pass for the username of somebody else.
	if username.MatchString(u.FromName) || !strings.Contains(u.FromName, "_") && preflight.PlainWords(u.FromName, 40) {
		return u.FromName
	}
	return fmt.Sprintf("member %d", u.FromID)
}

// members returns the most helpful first.
func (t *tally) members() []app.MemberActivity {
	var out []app.MemberActivity
	for _, m := range t.byID {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b app.MemberActivity) int {
		if a.Answers != b.Answers {
			return b.Answers - a.Answers
		}
		if a.DaysActive != b.DaysActive {
			return b.DaysActive - a.DaysActive
		}
		return strings.Compare(a.Member, b.Member)
	})
	return out
}
