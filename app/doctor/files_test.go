package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jonboulle/clockwork"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]Finding{
		"file://" + dir:                {State: OK, Seen: "written, read and deleted in " + dir},
		"file://" + dir + "/not/there": {State: OK, Seen: "vivra serve makes " + dir + "/not/there"},
		"file://" + file:               {State: Broken, Advice: "They can't be kept in " + file},
		"mem://":                       {State: Warning, Advice: "are forgotten when the program ends"},
		"file:///proc/vivra/blobs":     {State: Broken, Advice: "is not there"},
	} {
		if address == "file:///proc/vivra/blobs" && os.Geteuid() == 0 {
			continue // root may write everywhere, as far as it is told
		}
		f := Files(clockwork.NewRealClock(), address).Look(t.Context())[0]
		if f.State != want.State || !strings.Contains(f.Seen, want.Seen) || !strings.Contains(f.Advice, want.Advice) {
			t.Errorf("%s: got %+v", address, f)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d files are left, %v", len(left)-1, err)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                 "ok " + dir + ", ",
		file:                "broken " + file + " is not a folder: change VIVRA_DATA_DIR.",
		dir + "/new/folder": "ok vivra serve makes " + dir + "/new/folder",
	} {
		f := Folder(path).Look(t.Context())[0]
		if got := string(f.State) + " " + f.Seen + f.Advice; !strings.HasPrefix(got, want) && f.State != Warning {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("a folder was made: %v, %v", left, err)
	}
	for free, want := range map[int64]State{100 << 20: Broken, 1 << 30: Warning, 5 << 30: OK} {
		if f := room("x", dir, free); f.State != want {
			t.Errorf("%d bytes: %+v", free, f)
		}
	}
}
