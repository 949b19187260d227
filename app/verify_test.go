package app_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vivra/app"
)

func export(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	prev := make([]byte, 32)
	for i := 1; i <= n; i++ {
		line, err := app.CanonicalJSON(app.EventLine{Seq: int64(i), Kind: "step", Summary: "Started", Cost: 5})
		if err != nil {
			t.Fatal(err)
		}
		hash := app.ChainHash(prev, line)
		if err := json.NewEncoder(&out).Encode(app.ChainRow{Line: line, PrevHash: hex.EncodeToString(prev), Hash: hex.EncodeToString(hash)}); err != nil {
			t.Fatal(err)
		}
		prev = hash
	}
	return out.Bytes()
}

func TestVerifyLog(t *testing.T) {
	t.Parallel()
	log := export(t, 6)
	proof, err := app.VerifyLog(bytes.NewReader(log))
	if err != nil || proof.Rows != 6 || proof.Cost != 30 || len(proof.Head) != 64 {
		t.Fatalf("%+v, %v", proof, err)
	}

	// Every single changed byte is found, and the row that it stands in named.
	for i := range len(log) - 1 { // the last byte only ends the file
		for _, flip := range []byte{1, 0x20} {
			changed := bytes.Clone(log)
			changed[i] ^= flip
			row := fmt.Sprintf("Row %d:", 1+bytes.Count(log[:i], []byte("\n")))
			if _, err := app.VerifyLog(bytes.NewReader(changed)); err == nil || !strings.HasPrefix(err.Error(), row) {
				t.Fatalf("byte %d of %s was changed, it says %v: %q", i, row, err, changed[max(0, i-20):i+20])
			}
		}
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "a row missing": log[bytes.IndexByte(log, '\n')+1:], "cut": log[:len(log)-10], "no JSON": []byte("hello"),
	} {
		if _, err := app.VerifyLog(bytes.NewReader(bad)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	rows := strings.SplitAfter(string(log), "\n")
	rows[4], rows[5] = rows[5], rows[4]
	if _, err := app.VerifyLog(strings.NewReader(strings.Join(rows, ""))); err == nil || !strings.HasPrefix(err.Error(), "Row 5:") {
		t.Errorf("two rows swapped: %v", err)
	}
}

// TestWhatWasSeenBefore: a log that was written anew holds by itself, and not
// against a hash that somebody has kept.
func TestWhatWasSeenBefore(t *testing.T) {
	t.Parallel()
	log := export(t, 6)
	half, err := app.VerifyLog(bytes.NewReader(log[:bytes.LastIndex(log[:len(log)/2], []byte("\n"))+1]))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := app.VerifyLog(bytes.NewReader(log), half.Head)
	if err != nil || whole.Known[half.Head] != half.Rows {
		t.Errorf("%+v, %v", whole, err)
	}
	if _, err := app.VerifyLog(bytes.NewReader(log), half.Head, strings.Repeat("ab", 32)); err == nil || !strings.Contains(err.Error(), "none has the hash abab") {
		t.Errorf("with a hash that no row has: %v", err)
	}
	if _, err := app.VerifyLog(bytes.NewReader(log[:bytes.LastIndexByte(log[:len(log)-1], '\n')+1]), whole.Head); err == nil {
		t.Error("a log without its last row holds against that row's hash")
	}
}

// TestARowThatSaysWhereTheLogStands tells the truth, or does not fit.
func TestARowThatSaysWhereTheLogStands(t *testing.T) {
	t.Parallel()
	for says, holds := range map[string]bool{"": true, "The log stands at row 3, its hash is " + strings.Repeat("00", 32): false} {
		var log bytes.Buffer
		log.Write(export(t, 3))
		proof, err := app.VerifyLog(bytes.NewReader(log.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		prev, _ := hex.DecodeString(proof.Head)
		if says == "" {
			says = app.HeadSummary(3, prev)
		}
		line, err := app.CanonicalJSON(app.EventLine{Seq: 4, Kind: app.HeadKind, Summary: says})
		if err != nil {
			t.Fatal(err)
		}
		row := app.ChainRow{Line: line, PrevHash: proof.Head, Hash: hex.EncodeToString(app.ChainHash(prev, line))}
		if err := json.NewEncoder(&log).Encode(row); err != nil {
			t.Fatal(err)
		}
		if _, err := app.VerifyLog(&log); (err == nil) != holds {
			t.Errorf("%q: %v", says, err)
		}
	}
}
