package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"vivra/app"
)

type verify struct {
	File string `arg:"" help:"A log as an operation's page gives it away (log.jsonl); - is standard input."`
	JSON bool   `help:"Answer in JSON." name:"json"`
}

// Run recomputes the chain of a log and says where it breaks.
func (v verify) Run(s surroundings) error {
	var in io.Reader = os.Stdin
	if v.File != "-" {
		f, err := os.Open(v.File)
		if err != nil {
			return misuse{err}
		}
		defer f.Close()
		in = f
	}
	proof, err := app.VerifyLog(in)
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
	}
	if err != nil {
		return doesNotHold{err}
	}
	return nil
}

// doesNotHold is a plain no: exit code 1 and a sentence.
type doesNotHold struct{ error }

// misuse is a command that was asked wrongly: exit code 2 and a sentence.
type misuse struct{ error }
