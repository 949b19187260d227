package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestMain runs the tests, or is the server that one of them measures.
func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestASmallCrowd loses nothing, also those who were cut off and those who are
// beside viewers that read nothing.
func TestASmallCrowd(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"--viewers", "200", "--stalled", "20", "--rate", "20", "--lasts", "3s", "--breaks", "0.5"}, strings.NewReader(""), &out, &errs)
	if code != 0 || !strings.Contains(out.String(), "200 live") || !strings.Contains(out.String(), "ratio") {
		t.Errorf("it ends with %d:\n%s%s", code, out.String(), errs.String())
	}
}

func TestAskedWrongly(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--viewers", "many"}, strings.NewReader(""), &out, &errs); code != misused || !strings.Contains(errs.String(), "viewers") {
		t.Errorf("it ends with %d: %s", code, errs.String())
	}
}
