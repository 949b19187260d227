package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// Claim says which deliveries of a channel a process takes in hand.
type Claim struct {
	Channel string
	// Pace is the least time between two takings that were sent, across all
	// processes; 0 is none.
	Pace time.Duration
	Most int
	// Wall and Lease are by the wall clock: until when others keep off.
	Wall, Lease time.Time
}

// ClaimDeliveries takes the due deliveries of a channel in hand, the oldest
// first. What another process has in hand, it leaves there until the lease ends.
func (s *Store) ClaimDeliveries(ctx context.Context, c Claim, now time.Time) (taken []app.Delivery, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if due, err := s.paced(ctx, tx, c, now); err != nil || !due {
			return err
		}
		rows, err := s.q.ClaimDeliveries(ctx, tx, dbsqlc.ClaimDeliveriesParams{Channel: c.Channel, Most: int32(c.Most), Now: now, Wall: &c.Wall, LeaseUntil: &c.Lease})
		if err != nil {
			return fmt.Errorf("claim deliveries: %w", err)
		}
		for _, r := range rows {
			taken = append(taken, app.Delivery{Alert: alertOf(r.Alert, r.Slug), Attempt: r.Attempt})
		}
		return nil
	})
	slices.SortFunc(taken, func(a, b app.Delivery) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return taken, err
}

// paced tells whether the channel may be sent to. The lock is held until the
// claim is committed, so that two processes don't both find it free.
func (s *Store) paced(ctx context.Context, tx pgx.Tx, c Claim, now time.Time) (bool, error) {
	if c.Pace == 0 {
		return true, nil
	}
	if err := s.q.LockChannel(ctx, tx, c.Channel); err != nil {
		return false, fmt.Errorf("lock channel: %w", err)
	}
	pace, err := s.q.ChannelPace(ctx, tx, dbsqlc.ChannelPaceParams{Channel: c.Channel, Wall: &c.Wall})
	if err != nil {
		return false, fmt.Errorf("read channel's pace: %w", err)
	}
	return !pace.Busy && !pace.LastAt.Add(c.Pace).After(now), nil
}

// DeliveriesSent marks what a channel has taken.
func (s *Store) DeliveriesSent(ctx context.Context, channel string, all []app.Delivery, now time.Time) error {
	ids, attempts := claims(all)
	if err := s.q.DeliveriesSent(ctx, s.pool, dbsqlc.DeliveriesSentParams{Channel: channel, Ids: ids, Attempts: attempts, Now: &now}); err != nil {
		return fmt.Errorf("mark deliveries sent: %w", err)
	}
	return nil
}

// DeliveriesFailed puts deliveries off until again; those of alerts that were
// raised at giveUp or before are given up.
func (s *Store) DeliveriesFailed(ctx context.Context, channel string, all []app.Delivery, why string, again, giveUp time.Time) error {
	ids, attempts := claims(all)
	err := s.q.DeliveriesFailed(ctx, s.pool, dbsqlc.DeliveriesFailedParams{Channel: channel, Ids: ids, Attempts: attempts,
		NextAt: again, GiveUpBefore: giveUp, Error: plain(why)})
	if err != nil {
		return fmt.Errorf("put deliveries off: %w", err)
	}
	return nil
}

func claims(all []app.Delivery) (ids []int64, attempts []int) {
	for _, d := range all {
		ids, attempts = append(ids, d.ID), append(attempts, d.Attempt)
	}
	return ids, attempts
}

// telling is how often a delivery fails before the team is told: once is a hiccup.
const telling = 3

// DeliveryFaults says which channels open alerts do not reach.
func (s *Store) DeliveryFaults(ctx context.Context) ([]app.DeliveryFault, error) {
	rows, err := s.q.DeliveryFaults(ctx, s.pool, telling)
	if err != nil {
		return nil, fmt.Errorf("read faults of deliveries: %w", err)
	}
	out := make([]app.DeliveryFault, len(rows))
	for i, r := range rows {
		out[i] = app.DeliveryFault{Channel: r.Channel, GivenUp: r.GivenUp, Waiting: r.Waiting, Since: r.Since.UTC(), Why: r.Why}
	}
	return out, nil
}
