package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/pages"
	"vivra/app/telegram"
	"vivra/app/x"
)

// notYet says that nothing was sent and that the effect is to be tried later.
type notYet struct {
	cause error
	wait  time.Duration
	// endless: it waits for a person, however often it is tried.
	endless bool
	// told: the team hears of it at once.
	told bool
	// byHand: a person has to do it elsewhere, and hears of it after a while.
	byHand bool
}

func (e *notYet) Error() string { return e.cause.Error() }

// changed says how what would have been sent differs from what was approved:
// nothing was sent.
type changed struct{ what []string }

func (e *changed) Error() string { return strings.Join(e.what, " ") }

// beforeSending marks a fault that came before anything could be public: it is
// tried again, unless the platform refused for good.
func beforeSending(err error) error {
	var (
		later   *notYet
		other   *changed
		refused *x.APIError
	)
	switch {
	case err == nil, errors.As(err, &later), errors.As(err, &other):
		return err
	case errors.As(err, &refused) && !refused.Unauthorized() && refused.Status < 500:
		return err // for good, or with a time to wait
	}
	return &notYet{cause: err, wait: tryAgain}
}

// refusedAs tells whether X refused in one way.
func refusedAs(err error, way func(*x.APIError) bool) bool {
	var refused *x.APIError
	return errors.As(err, &refused) && way(refused)
}

// stale tells whether X no longer took the token: another process has renewed
// it since, so the next attempt has a fresh one.
func stale(err error) bool { return refusedAs(err, (*x.APIError).Unauthorized) }

// unanswerable tells whether X does not take a reply to that post, now or later.
func unanswerable(err error) bool {
	var refused *x.APIError
	return errors.As(err, &refused) && refusedForGood(err) && !refused.PaymentRequired()
}

// whyRefused says why a reply ended, whatever X said of it.
func whyRefused(err error) error {
	var refused *x.APIError
	why := "X does not take it: its author may be gone, or have blocked the account"
	if errors.As(err, &refused) {
		switch {
		case refused.NotSummoned():
			why = "X does not take it: its author did not name the account"
		case refused.Duplicate():
			why = "X does not take it: the same text stands on the account already"
		}
	}
	return fmt.Errorf("%s. Nothing was posted; the step can be skipped", why)
}

// disconnected tells whether an account has to be connected by a person.
func disconnected(err error) bool {
	return app.KindOf(err) == app.Unavailable || app.KindOf(err) == app.NotFound
}

// duplicate tells whether X refused a post because it is there already.
func duplicate(err error) bool { return refusedAs(err, (*x.APIError).Duplicate) }

// unpaid tells whether X refused for want of credits.
func unpaid(err error) bool { return refusedAs(err, (*x.APIError).PaymentRequired) }

// refusedForGood tells whether a platform would say the same if it was asked again.
func refusedForGood(err error) bool {
	var (
		onX        *x.APIError
		onTelegram *telegram.APIError
		onPages    *pages.APIError
	)
	switch {
	case errors.As(err, &onX):
		return onX.Status < 500 && !onX.RateLimited() && !onX.Unauthorized()
	case errors.As(err, &onTelegram):
		return onTelegram.Code < 500 && !onTelegram.RateLimited()
	case errors.As(err, &onPages):
		return onPages.Status < 500 && onPages.Status != http.StatusTooManyRequests
	}
	return false
}

// inDoubt tells whether a call may have gone through although it failed here.
func inDoubt(err error) bool {
	return errors.Is(err, errCannotTell) || x.Unknown(err) || telegram.Unknown(err) || pages.Unknown(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// passing tells how long to wait when a service asked for patience, or was not
// reached at all.
func passing(err error, now time.Time) (time.Duration, bool) {
	var (
		onX        *x.APIError
		onTelegram *telegram.APIError
		onPages    *pages.APIError
		network    *net.OpError
	)
	switch {
	case errors.As(err, &onX) && onX.RateLimited():
		return min(max(onX.RetryAfter, onX.ResetAt.Sub(now), tryAgain), asksAgain), true
	case errors.As(err, &onTelegram) && onTelegram.RateLimited():
		return max(onTelegram.RetryAfter, time.Second), true
	case errors.As(err, &onPages) && onPages.Status == http.StatusTooManyRequests:
		return pagesWindow, true
	case errors.As(err, &network) && network.Op == "dial":
		return tryAgain, true
	}
	return 0, false
}

// advised adds to the refusal of an effect what a person can do about it.
func advised(e app.Effect, err error) error {
	advice := advice(e, err)
	if advice == "" {
		return err
	}
	return errors.New(strings.TrimSuffix(err.Error(), ".") + ". " + advice)
}

func advice(e app.Effect, err error) string {
	var (
		onX        *x.APIError
		onTelegram *telegram.APIError
		onPages    *pages.APIError
	)
	switch {
	case errors.As(err, &onX):
		if e.Position > 0 {
			return adviceInThread(onX)
		}
		return adviceOnX(onX)
	case errors.As(err, &onTelegram):
		return "See to it that the bot is in the group, as an administrator who may change its info and pin messages; then try it again."
	case errors.As(err, &onPages) && (onPages.Status == http.StatusUnauthorized || onPages.Status == http.StatusForbidden):
		return "Give CLOUDFLARE_API_TOKEN the rights Pages:Edit and DNS:Edit, then try it again."
	}
	return ""
}

// adviceInThread is for a post behind others that are out: they stay, and none of
// it is written anew.
func adviceInThread(refused *x.APIError) string {
	switch {
	case refused.Duplicate():
		return "The same text stands on the account already, and it is not from here. Have the rest approved again with other words, or finish with what is out."
	case refused.NotSummoned():
		return "X does not take this post as an answer to the one before it, and will say the same again. Finish with what is out, or try again once X allows it."
	case refused.Status == http.StatusForbidden:
		return "This attempt posted nothing. Look at the account, and at what the application may do, in X's developer console; then go on from this post, or finish with what is out."
	}
	return adviceOnX(refused)
}

func adviceOnX(refused *x.APIError) string {
	switch {
	case refused.UsageCapped():
		return "Nothing was posted. The application has used up what its plan at X allows: see X's developer console, then try it again."
	case refused.PaymentRequired():
		return "Nothing was posted. Buy credits in X's developer console, then try it again."
	case refused.Duplicate():
		return "The same text stands on the account already, and it is not from here. Skip the step, or have it written anew."
	case refused.NotSummoned():
		return "X takes an answer only to who named the account. Skip the step, or have it written as a post of its own."
	case refused.Unauthorized():
		return "Connect the account again, then try it again."
	case refused.Status == http.StatusForbidden:
		return "Nothing was posted. Look at the account, and at what the application may do, in X's developer console; then try it again or skip the step."
	}
	return ""
}
