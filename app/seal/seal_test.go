package seal_test

import (
	"bytes"
	"strings"
	"testing"

	"vivra/app/seal"
)

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	s, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	sealed := s.Seal("token", "x access dodo")
	if bytes.Contains(sealed, []byte("token")) {
		t.Error("the sealed text can be read")
	}
	if got, err := s.Open(sealed, "x access dodo"); err != nil || got != "token" {
		t.Errorf("opened %q, %v", got, err)
	}
	if _, err := s.Open(sealed, "x access other"); err == nil {
		t.Error("opened for another purpose")
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := s.Open(sealed, "x access dodo"); err == nil || strings.Contains(err.Error(), "token") {
		t.Errorf("a changed byte: %v", err)
	}
	if _, err := s.Open(nil, ""); err == nil {
		t.Error("opened nothing")
	}
	if _, err := seal.New(nil); err == nil {
		t.Error("took a key of no bytes")
	}
}
