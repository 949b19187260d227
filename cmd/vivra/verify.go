package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"vivra/app"
	"vivra/app/boot"
)

type verify struct {
	Log       string   `arg:"" optional:"" help:"A log as an operation's page gives it away (log.jsonl, also packed by gzip), - for standard input, or the page's address."`
	Operation string   `help:"Verify the log of this operation in the database, and hold it against what the operation has spent." placeholder:"SLUG"`
	Known     []string `help:"A hash that was seen before, as the page or the feed showed it: a row must have it, or the log was rewritten or cut since." placeholder:"HASH"`
	JSON      bool     `help:"Answer in JSON." name:"json"`
}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Validate refuses what can't be meant.
func (v *verify) Validate() error {
	if (v.Log == "") == (v.Operation == "") {
		return errors.New("name a file, an address, or --operation")
	}
	for i, known := range v.Known {
		if v.Known[i] = strings.ToLower(known); !hash.MatchString(v.Known[i]) {
			return fmt.Errorf("%q is no hash of a row: it has 64 digits from 0 to f", known)
		}
	}
	return nil
}

// Run recomputes the chain of a log and says where it breaks.
func (v *verify) Run(ctx context.Context, s surroundings) error {
	proof, err := v.proof(ctx, s)
	var wrong misuse
	var faults misconfigured
	if errors.As(err, &wrong) || errors.As(err, &faults) {
		return err
	}
	if v.JSON {
		answer := struct {
			app.LogProof
			Holds bool   `json:"holds"`
			Fault string `json:"fault"`
		}{LogProof: proof, Holds: err == nil}
		if err != nil {
			answer.Fault = err.Error()
		}
		if err := json.NewEncoder(s.out).Encode(answer); err != nil {
			return err
		}
	} else if err == nil {
		fmt.Fprintf(s.out, "%s. Cost: %s. Head %s\n", app.Count(proof.Rows, "row holds", "rows hold"), proof.Cost, proof.Head)
		for _, known := range v.Known {
			fmt.Fprintf(s.out, "Row %d has the hash %s\n", proof.Known[known], known)
		}
		if v.Operation == "" && !address(v.Log) && len(v.Known) == 0 {
			fmt.Fprintln(s.out, "Whether rows are missing at the end shows only against a hash that was seen elsewhere: --known.")
		}
	}
	if err != nil {
		return doesNotHold{err}
	}
	return nil
}

func (v *verify) proof(ctx context.Context, s surroundings) (app.LogProof, error) {
	switch {
	case v.Operation != "":
		e, faults := parse(s.getenv)
		if len(faults) > 0 {
			return app.LogProof{}, misconfigured(faults)
		}
		return boot.VerifyOperation(ctx, e.config(nil), s.log, v.Operation, v.Known...)
	case address(v.Log):
		return boot.VerifyAddress(ctx, v.Log, v.Known...)
	case v.Log == "-":
		return v.read(os.Stdin)
	}
	f, err := os.Open(v.Log)
	if err != nil {
		return app.LogProof{}, misuse{err}
	}
	defer f.Close()
	return v.read(f)
}

func address(log string) bool {
	return strings.HasPrefix(log, "https://") || strings.HasPrefix(log, "http://")
}

// read verifies a file, unpacked.
func (v *verify) read(in io.Reader) (app.LogProof, error) {
	file := bufio.NewReader(in)
	if start, _ := file.Peek(2); string(start) != "\x1f\x8b" {
		return app.VerifyLog(file, v.Known...)
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return app.LogProof{}, app.Errorf(app.Invalid, "It can't be unpacked: %v.", err)
	}
	return app.VerifyLog(unpacked, v.Known...)
}

// doesNotHold is a plain no: exit code 1 and a sentence.
type doesNotHold struct{ error }

// misuse is a command that was asked wrongly: exit code 2 and a sentence.
type misuse struct{ error }
