package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/mentions"
	"vivra/app/postgres"
	"vivra/app/preflight"
	"vivra/app/x"
)

const (
	// knownFor is how long what an author shows of themselves is believed.
	knownFor = 7 * 24 * time.Hour
	// pagesAtOnce bounds one look; the next one goes on where it stopped.
	pagesAtOnce = 20
	// firstPage is how many mentions are asked for first: mostly there are few.
	firstPage = 20
	// judgedAtOnce is how many mentions rules look at between two renewals.
	judgedAtOnce = 500
	// lookShare is the part of the share of who reads them that looks may take, as a
	// percentage: strangers must not spend what its own posts are written from.
	lookShare = 50
	// shownByX is how many mentions X shows, the newest; deleted ones count.
	shownByX = 800
)

// The points of a look that Reached is told.
const (
	MentionsStored = "mentions_stored" // a page of them is committed
	CursorStored   = "cursor_stored"   // all up to the newest of them are
	MentionsJudged = "mentions_judged" // what follows from them is not committed
)

// wakeLooks has the mentions read of each operation for which it is time.
func (o *Orchestrator) wakeLooks(ctx context.Context, now, wall time.Time) error {
	jobs, err := o.Store.ClaimLooks(ctx, now, wall, wall.Add(o.Lease))
	if err != nil || len(jobs) == 0 {
		return err
	}
	return o.enqueue(ctx, jobs)
}

// look is one look at an operation's mentions.
type look struct {
	*Orchestrator
	postgres.Look
	op       app.Operation
	userID   string
	settings app.Settings
	bound    string // why nothing more is read today, empty: it is
	used     bool   // looks have taken all that they ever may
}

// lookAtMentions reads who named the operation's account since the last time,
// and lets follow from it what code decides.
func (o *Orchestrator) lookAtMentions(ctx context.Context, job app.Job) error {
	claim, err := o.Store.ClaimedLook(ctx, job.ID, job.Fence)
	if err != nil {
		return err
	}
	l := &look{Orchestrator: o, Look: claim}
	if l.op, err = o.Store.Operation(ctx, job.ID); err != nil {
		return err
	}
	if l.settings, err = o.Store.Settings(ctx); err != nil {
		return err
	}
	next := o.Clock.Now().UTC().Add(l.settings.MentionsEvery)
	if l.op.State != app.OperationRunning {
		return o.Store.PutLookOff(ctx, claim, next, o.Clock.Now())
	}
	fault := l.read(ctx)
	if errors.Is(fault, postgres.ErrLost) {
		return fault
	}
	wait, known, err := l.told(ctx, fault)
	if err != nil {
		return errors.Join(fault, err)
	}
	if wait > 0 {
		next = o.Clock.Now().UTC().Add(wait)
	}
	if known {
		fault = nil
	}
	return errors.Join(fault, l.end(ctx, next))
}

// read stores every mention since the cursor, then moves that. Where it was cut
// short the time before, it goes on from there first.
func (l *look) read(ctx context.Context) error {
	account, err := l.Desk.Account(ctx, l.op.XHandle)
	if err != nil {
		return err
	}
	l.userID = account.UserID
	if err := l.meetAuthors(ctx); err != nil { // of what an earlier look has left
		return err
	}
	if l.Until != "" {
		if whole, err := l.walk(ctx); err != nil || !whole {
			return err
		}
		if err := l.advance(ctx, time.Time{}); err != nil {
			return err
		}
	}
	began := l.Clock.Now().UTC()
	if whole, err := l.walk(ctx); err != nil || !whole {
		return err
	}
	return l.advance(ctx, began)
}

// walk reads from the newest, or from where an earlier walk ended, to the
// cursor. What it has stored before an error or the bound, it does not read again.
func (l *look) walk(ctx context.Context) (whole bool, err error) {
	w := x.Window{SinceID: l.Cursor, UntilID: l.Until, Most: firstPage}
	if l.Cursor == "" {
		w.Since = l.op.J0
	}
	for range pagesAtOnce {
		if w.Most, err = l.affordable(ctx, preflight.ReadPrice(app.ReadPost), w.Most); err != nil {
			return false, err
		}
		if w.Most < x.FewestPosts {
			l.spent()
		}
		if l.bound != "" {
			return false, nil
		}
		if err := l.renew(ctx); err != nil {
			return false, err
		}
		page, err := l.Desk.MentionPage(ctx, l.op, w)
		if err != nil {
			return false, err
		}
		l.beyond(len(page.Posts), w.Most)
		if err := l.store(ctx, page.Posts); err != nil {
			return false, err
		}
		if page.Next == "" {
			return true, nil
		}
		w.Next, w.Most = page.Next, x.MostPosts
	}
	return false, nil
}

// store keeps a page with its authors.
func (l *look) store(ctx context.Context, posts []app.Post) error {
	if len(posts) == 0 {
		return nil
	}
	l.Until = posts[len(posts)-1].ID
	if err := l.Store.AddMentions(ctx, l.Look, l.userID, posts, l.Clock.Now()); err != nil {
		return err
	}
	l.pass(MentionsStored)
	return l.meetAuthors(ctx)
}

// advance moves the cursor over what is stored, for good: a later walk leaves a
// gap above it only. A mention that X shows late is still found by the next look.
func (l *look) advance(ctx context.Context, began time.Time) error {
	cursor, err := l.Store.MentionCursor(ctx, l.OperationID, began)
	if err != nil {
		return err
	}
	if err := l.missed(ctx); err != nil {
		return err
	}
	if app.CompareIDs(cursor, l.Cursor) > 0 {
		l.Cursor = cursor
	}
	l.Until = ""
	if err := l.Store.AdvanceLook(ctx, l.Look); err != nil {
		return err
	}
	l.pass(CursorStored)
	return nil
}

// missed tells the team that X may not have shown all: it shows so many and no
// more, so where that many came since the cursor, older ones may be gone.
func (l *look) missed(ctx context.Context) error {
	n, err := l.Store.MentionsSince(ctx, l.OperationID, l.Cursor)
	if err != nil || n < shownByX {
		return err
	}
	message := fmt.Sprintf("%s of @%s came at once. X shows the newest %d only: older ones may never be read. Look for them on X.", app.Count(n, "mention", "mentions"), l.op.XHandle, shownByX)
	return l.Store.RaiseAlert(ctx, l.OperationID, "mentions_missed", l.Cursor, message, l.Clock.Now())
}

// affordable is how many pieces of at most most the day's money pays for, and
// what strangers may have of the reader's share.
func (l *look) affordable(ctx context.Context, price app.Nano, most int) (int, error) {
	today, err := l.Store.MentionCosts(ctx, l.OperationID, l.Clock.Now())
	if err != nil {
		return 0, err
	}
	ever, err := l.Store.MentionCosts(ctx, l.OperationID, time.Time{})
	if err != nil {
		return 0, err
	}
	theirs := l.settings.Share("cm", l.op.Cap).Percent(lookShare)
	l.used = ever+price*x.FewestPosts > theirs
	return min(most, int(max(min(l.settings.MentionsDaily-today, theirs-ever), 0)/price)), nil
}

// spent ends the reading for today: its money is used up.
func (l *look) spent() {
	if l.used {
		l.bound = fmt.Sprintf("Reading mentions has used up its part, %d %% of cm's share of the cap: the rest is for what cm writes. Raise budget.share_percent.cm to have more of them read.", lookShare)
		return
	}
	l.bound = fmt.Sprintf("Reading mentions has cost %s today, which is all that it may. It goes on after midnight (UTC) where it stopped, as far back as X shows them.", l.settings.MentionsDaily)
}

// beyond ends the reading for today where X sent more than was asked for: it
// charges for each, so nothing says what the next read would cost.
func (l *look) beyond(came, asked int) {
	if came > asked {
		l.bound = fmt.Sprintf("X sent %d in answer to a request for %d, and charges for each. Reading mentions goes on after midnight (UTC) where it stopped, as far back as X shows them.", came, asked)
	}
}

// meetAuthors looks up who wrote what is new, as many as the day's money pays
// for: before that no rule looks at it. Whom X does not know any more is
// remembered as such.
func (l *look) meetAuthors(ctx context.Context) error {
	if l.bound != "" {
		return nil
	}
	ids, err := l.Store.UnknownAuthors(ctx, l.OperationID, l.Clock.Now().Add(-knownFor), x.MostUsers)
	if err != nil || len(ids) == 0 {
		return err
	}
	most, err := l.affordable(ctx, preflight.ReadPrice(app.ReadUser), len(ids))
	if err != nil {
		return err
	}
	if most < len(ids) {
		l.spent()
	}
	if most == 0 {
		return nil
	}
	if err := l.renew(ctx); err != nil {
		return err
	}
	found, asked, err := l.Desk.Authors(ctx, l.OperationID, ids[:most])
	if err != nil {
		return err
	}
	l.beyond(len(found), len(asked))
	for _, id := range asked {
		if !slices.ContainsFunc(found, func(a app.XUser) bool { return a.ID == id }) {
			found = append(found, app.XUser{ID: id})
		}
	}
	return l.Store.SaveAuthors(ctx, found, l.Clock.Now())
}

// judge lets follow what code makes of the new mentions, so many at a time that
// the operation and the claim are never held for long.
func (l *look) judge(ctx context.Context) error {
	official := l.op.Token.Ref.Address.Hex()
	for {
		if err := l.renew(ctx); err != nil {
			return err
		}
		posts, err := l.Store.NewMentions(ctx, l.OperationID, judgedAtOnce)
		if err != nil || len(posts) == 0 {
			return err
		}
		verdicts := make(map[string]mentions.Verdict, len(posts))
		for _, p := range posts {
			verdicts[p.ID] = mentions.Judge(p, official)
		}
		l.pass(MentionsJudged)
		if applied, err := l.Store.JudgeMentions(ctx, l.Look, verdicts, l.Clock.Now()); err != nil || !applied {
			return err
		}
	}
}

// renew keeps the claim alive before what may take a while.
func (l *look) renew(ctx context.Context) error {
	return l.Store.RenewLook(ctx, l.Look, l.Wall.Now().Add(l.Lease))
}

// end judges what is new and gives the claim back.
func (l *look) end(ctx context.Context, next time.Time) error {
	if err := l.judge(ctx); err != nil {
		return err
	}
	end := postgres.LookEnd{Cursor: l.Cursor, Until: l.Until, Next: next, Bound: l.bound}
	if l.bound != "" {
		end.Next = l.Clock.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	return l.Store.EndLook(ctx, l.Look, end, l.Clock.Now())
}

// told tells the team of a fault that only they can mend, and says when to look
// again, 0 for as usual. A fault that is known is no other's business.
func (l *look) told(ctx context.Context, fault error) (wait time.Duration, known bool, err error) {
	var (
		budget  *app.BudgetError
		refused *x.APIError
	)
	now := l.Clock.Now().UTC()
	wait, passes := passing(fault, now)
	switch {
	case fault == nil, errors.As(fault, &budget): // the ledger has told them
		return 0, true, nil
	case disconnected(fault):
		return 0, true, l.Desk.AlertAccount(ctx, l.OperationID, l.op.XHandle, "Mentions of @"+l.op.XHandle+" can't be read: "+fault.Error())
	case stale(fault):
		return tryAgain, true, nil
	case passes:
		return max(wait, l.settings.MentionsEvery), true, nil
	case errors.As(fault, &refused) && refused.Status < 500:
		message := fmt.Sprintf("X does not let mentions of @%s be read: %s", l.op.XHandle, refused.Error())
		return max(payWithin, l.settings.MentionsEvery), true, l.Store.RaiseAlert(ctx, l.OperationID, "mentions_unread", now.Format(time.DateOnly), message, now)
	}
	return 0, false, nil
}
