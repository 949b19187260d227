package app_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
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
			if _, err := app.VerifyLog(bytes.NewReader(changed)); err == nil {
				t.Fatalf("byte %d was changed unnoticed: %q", i, changed[max(0, i-20):i+20])
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
