package boot

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/postgres"
)

// Link is a one-time link as it is shown once.
type Link struct {
	Name    string
	Role    app.Role
	URL     string
	Expires time.Time
}

// AddUser adds a member and makes the link that gives the account its password.
func AddUser(ctx context.Context, cfg Config, name string, role app.Role, by string, log *slog.Logger) (link Link, err error) {
	err = people(ctx, cfg, log, func(cfg Config, store *postgres.Store) error {
		user, err := store.CreateUser(ctx, name, role, "", by, cfg.Clock.Now())
		if err != nil {
			return err
		}
		link, err = cfg.resetLink(ctx, store, user.ID, by)
		return err
	})
	return link, err
}

// ResetUser makes a link that gives an account another password.
func ResetUser(ctx context.Context, cfg Config, name, by string, log *slog.Logger) (link Link, err error) {
	err = people(ctx, cfg, log, func(cfg Config, store *postgres.Store) error {
		user, err := store.UserByName(ctx, name)
		if err != nil {
			return err
		}
		link, err = cfg.resetLink(ctx, store, user.ID, by)
		return err
	})
	return link, err
}

func (cfg Config) resetLink(ctx context.Context, store *postgres.Store, userID int64, by string) (Link, error) {
	token, now := rand.Text(), cfg.Clock.Now().UTC()
	expires := now.Add(app.InviteLifetime)
	user, err := store.CreateReset(ctx, token, userID, app.User{Name: by}, expires, now)
	return Link{user.Name, user.Role, cfg.PublicURL + paths.Setup(token), expires}, err
}

// people runs do on the database, which the application may be serving from
// meanwhile.
func people(ctx context.Context, cfg Config, log *slog.Logger, do func(Config, *postgres.Store) error) error {
	cfg = cfg.withDefaults()
	db, served, err := reach(ctx, cfg, log)
	if err != nil {
		return err
	}
	return onDatabase(ctx, db, db.dsn, func(store *postgres.Store) error {
		if !served { // a program that serves keeps its schema
			if err := store.Migrate(ctx); err != nil {
				return err
			}
		}
		return do(cfg, store)
	})
}

// Members lists the accounts of the database.
func Members(ctx context.Context, cfg Config, log *slog.Logger) (all []app.Member, err error) {
	cfg = cfg.withDefaults()
	db, err := reachExisting(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	err = onDatabase(ctx, db, db.dsn, func(store *postgres.Store) error {
		all, err = store.Sessions(cfg.Wall.Now).Members(ctx)
		return err
	})
	return all, err
}
