package x_test

import (
	"testing"

	"vivra/app/x"
)

// TestNamesBeforeAReply are X's, not its author's.
func TestNamesBeforeAReply(t *testing.T) {
	t.Parallel()
	for shown, want := range map[string]string{
		"@mara The operation pays.":          "The operation pays.",
		"@mara_holds @Old_Feathers\nWe do.":  "We do.",
		"The operation pays @mara.":          "The operation pays @mara.",
		"@mara":                              "@mara",
		"a@b.example is no name":             "a@b.example is no name",
		"@a_name_that_is_far_too_long for X": "@a_name_that_is_far_too_long for X",
		"":                                   "",
	} {
		if got := x.WithoutNames(shown); got != want {
			t.Errorf("%q became %q, want %q", shown, got, want)
		}
	}
}
