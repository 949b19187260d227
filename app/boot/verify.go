package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/postgres"
)

// VerifyOperation holds the log in the database against its own hashes, against
// where the operation says that its log stands, and its costs against what the
// operation has spent.
func VerifyOperation(ctx context.Context, cfg Config, log *slog.Logger, slug string, known ...string) (proof app.LogProof, err error) {
	db, err := reachExisting(ctx, cfg.withDefaults(), log)
	if err != nil {
		return proof, err
	}
	err = onDatabase(ctx, db, readOnly(db.dsn), func(store *postgres.Store) error {
		op, err := store.OperationBySlug(ctx, slug)
		if err != nil {
			return err
		}
		read, write := io.Pipe()
		go func() {
			after := func(row int64, most int) ([]app.Event, error) { return store.EventsAfter(ctx, op.ID, row, most) }
			write.CloseWithError(app.ExportLog(op, write, after, func() {}))
		}()
		proof, err = app.VerifyLog(read, known...)
		_ = read.Close() // ends what still writes
		if err != nil {
			return err
		}
		return matches(proof, op)
	})
	return proof, err
}

func matches(proof app.LogProof, op app.Operation) error {
	switch {
	case int64(proof.Rows) != op.Seq || proof.Head != op.HeadHash:
		return app.Errorf(app.Invalid, "The log ends in row %d with the hash %s, and the operation says row %d with %s.", proof.Rows, proof.Head, op.Seq, op.HeadHash)
	case proof.Cost != op.Spent:
		return app.Errorf(app.Invalid, "The rows add up to %s, and the operation has spent %s.", proof.Cost, op.Spent)
	}
	return nil
}

// fetchFor is how long a whole log may take to come.
const fetchFor = 15 * time.Minute

// VerifyAddress holds the log of a takeover that somebody serves, named by the
// address of its page or of its log, against its own hashes, and against what the
// same site says of where it stands.
func VerifyAddress(ctx context.Context, address string, known ...string) (app.LogProof, error) {
	at, err := url.Parse(address)
	slug := ""
	if err == nil {
		_, slug, _ = strings.Cut(at.Path, paths.Operation(""))
		slug, _, _ = strings.Cut(slug, "/")
	}
	if slug == "" || at.Host == "" {
		return app.LogProof{}, app.Errorf(app.Invalid, "%q is not the address of a takeover's page, such as https://vivra.example%s.", address, paths.Operation("name"))
	}
	site := &url.URL{Scheme: at.Scheme, Host: at.Host}
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	var says struct {
		Log struct {
			Rows int    `json:"rows"`
			Head string `json:"head_hash"`
		} `json:"log"`
	}
	err = fetch(ctx, site.JoinPath(paths.OperationData(slug)).String(), func(body io.Reader) error {
		return json.NewDecoder(io.LimitReader(body, 10<<20)).Decode(&says)
	})
	if err != nil {
		return app.LogProof{}, err
	}
	var proof app.LogProof
	err = fetch(ctx, site.JoinPath(paths.OperationLogJSONL(slug)).String(), func(body io.Reader) error {
		if says.Log.Rows > 0 {
			known = append(known, says.Log.Head)
		}
		proof, err = app.VerifyLog(body, known...)
		return err
	})
	return proof, err
}

// fetch hands over what an address answers.
func fetch(ctx context.Context, address string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return app.Errorf(app.Invalid, "%s can't be asked: %v.", address, err)
	}
	client := http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if len(via) > 5 || to.URL.Scheme != via[0].URL.Scheme {
			return fmt.Errorf("it leads on to %s", to.URL.Redacted())
		}
		return nil
	}}
	res, err := client.Do(req)
	if err != nil {
		return app.Errorf(app.Unavailable, "%s does not answer: %v.", address, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return app.Errorf(app.Unavailable, "%s answers %s: is it the page of a takeover?", address, res.Status)
	}
	return read(res.Body)
}
