package private

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vivra/app"
)

// findBinaries returns a folder with postgres and initdb; for a cluster that
// exists already, of the major version that made it.
func findBinaries(ctx context.Context, named string, h *home) (string, error) {
	var found []string
	for _, dir := range candidates(named) {
		if executable(filepath.Join(dir, "postgres")) && executable(filepath.Join(dir, "initdb")) {
			found = append(found, dir)
		}
	}
	if len(found) == 0 && named != "" {
		return "", app.Errorf(app.Unavailable, "There is no PostgreSQL in %s: it must hold postgres and initdb.", named)
	}
	if len(found) == 0 {
		return "", app.Errorf(app.Unavailable, "PostgreSQL was not found on this machine. Run: apt-get install -y --no-install-recommends postgresql. Or name its bin folder in PG_BIN_DIR, or a server of yours in DATABASE_URL.")
	}
	want := h.version()
	if want == "" {
		return found[0], nil
	}
	var versions []string
	for _, dir := range found {
		version := majorVersion(ctx, dir)
		if version == want {
			return dir, nil
		}
		versions = append(versions, version)
	}
	return "", app.Errorf(app.Conflict, "The database in %s was made by PostgreSQL %s, but this machine has %s. Run: apt-get install -y postgresql-%s.", h.dir, want, strings.Join(versions, ", "), want)
}

func candidates(named string) []string {
	if named != "" {
		return []string{named}
	}
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	slices.SortFunc(installed, func(a, b string) int { return cmp.Compare(folderVersion(b), folderVersion(a)) })
	return append(dirs, installed...)
}

func folderVersion(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

var versionText = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

func majorVersion(ctx context.Context, bin string) string {
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
	if m := versionText.FindSubmatch(out); err == nil && m != nil {
		return string(m[1])
	}
	return "an unknown version"
}
