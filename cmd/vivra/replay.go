package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/postgres"
	"vivra/app/replay"
)

type replayCommand struct {
	ID        string `arg:"" optional:"" name:"run" help:"The run's id, as its page shows it."`
	Operation string `help:"Play every run of this operation." placeholder:"SLUG"`
	All       bool   `help:"Play every run of the database."`
	Export    string `help:"Write the run's requests and answers to this file, as a cassette for tests." placeholder:"FILE"`
	Force     bool   `help:"Let --export replace a file that is there."`
	JSON      bool   `help:"Answer in JSON." name:"json"`
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// Validate refuses what can't be meant.
func (c *replayCommand) Validate() error {
	named := 0
	for _, given := range []bool{c.ID != "", c.Operation != "", c.All} {
		if given {
			named++
		}
	}
	switch {
	case named != 1:
		return errors.New("name a run, or --operation, or --all")
	case c.ID != "" && !uuid.MatchString(c.ID):
		return fmt.Errorf("%q is no run: its id looks like 01234567-89ab-cdef-0123-456789abcdef", c.ID)
	case c.Export != "" && c.ID == "":
		return errors.New("--export takes one run")
	case c.Force && c.Export == "":
		return errors.New("--force goes with --export")
	}
	return nil
}

// Run plays stored runs again and says what differs.
func (c *replayCommand) Run(ctx context.Context, s surroundings) error {
	e, faults := parse(s.getenv)
	if len(faults) > 0 {
		return misconfigured(faults)
	}
	return misasked(boot.Replay(ctx, e.config(nil), s.log, func(r *replay.Replayer, store *postgres.Store) error {
		if c.ID == "" {
			return c.many(ctx, r, store, s.out)
		}
		return c.one(ctx, r, s)
	}))
}

func (c *replayCommand) one(ctx context.Context, r *replay.Replayer, s surroundings) error {
	report, wrote, err := c.play(ctx, r)
	if err != nil {
		return err
	}
	if c.JSON {
		if wrote != "" {
			s.log.Info(strings.TrimSpace(wrote))
		}
		if err := indented(s.out, report); err != nil {
			return err
		}
	} else {
		report.Write(s.out)
		fmt.Fprint(s.out, wrote)
	}
	if !report.Identical {
		return doesNotHold{errors.New("The run does not replay as it was stored.")}
	}
	return nil
}

// play plays the run and says what of it was written.
func (c *replayCommand) play(ctx context.Context, r *replay.Replayer) (report replay.Report, wrote string, err error) {
	if c.Export == "" {
		report, err = r.Play(ctx, c.ID)
		return report, "", err
	}
	var tape bytes.Buffer // a run that can't be played leaves no file
	if report, err = r.Export(ctx, c.ID, &tape); err != nil {
		return report, "", err
	}
	if err := c.write(tape.Bytes()); err != nil {
		return report, "", misuse{err}
	}
	return report, fmt.Sprintf("Wrote %s to %s: the run's requests and answers, with all that stands in them.\n", app.Count(bytes.Count(tape.Bytes(), []byte("\n")), "exchange", "exchanges"), c.Export), nil
}

func (c *replayCommand) write(tape []byte) (err error) {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.Force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(c.Export, how, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: name another file, or replace it with --force", c.Export)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(tape)
	return err
}

// many plays all runs, shows those that differ and sums up.
func (c *replayCommand) many(ctx context.Context, r *replay.Replayer, store *postgres.Store, out io.Writer) error {
	ids, err := c.runs(ctx, store)
	if err != nil {
		return err
	}
	var sum struct {
		Total replay.Total    `json:"total"`
		Runs  []replay.Report `json:"runs"`
	}
	sum.Runs = []replay.Report{}
	for _, id := range ids {
		report, err := r.Play(ctx, id)
		if err != nil {
			return err
		}
		sum.Total.Add(report)
		sum.Runs = append(sum.Runs, report)
		if !c.JSON {
			c.show(out, report)
		}
	}
	if c.JSON {
		err = indented(out, sum)
	} else {
		_, err = fmt.Fprintln(out, sum.Total)
	}
	if err == nil && sum.Total.Identical < sum.Total.Runs {
		err = doesNotHold{fmt.Errorf("In %d of %s something is not as it was stored.", sum.Total.Runs-sum.Total.Identical, app.Count(sum.Total.Runs, "run", "runs"))}
	}
	return err
}

func (c *replayCommand) runs(ctx context.Context, store *postgres.Store) ([]string, error) {
	if c.All {
		return store.RunIDs(ctx, 0)
	}
	op, err := store.OperationBySlug(ctx, c.Operation)
	if err != nil {
		return nil, err
	}
	return store.RunIDs(ctx, op.ID)
}

func (c *replayCommand) show(out io.Writer, report replay.Report) {
	fmt.Fprintln(out, report.Line())
	if !report.Identical {
		report.Write(out)
	}
}

// misasked makes a bad use out of what is not there, and of a database that is
// not ours.
func misasked(err error) error {
	if kind := app.KindOf(err); err != nil && (kind == app.NotFound || kind == app.Invalid) {
		return misuse{err}
	}
	return err
}

func indented(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
