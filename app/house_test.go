package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// pkg is a folder with Go files in it, named by its path in the repository.
type pkg struct {
	name  string
	files []file // without tests
	tests []file
}

type file struct {
	path string
	ast  *ast.File
}

var fileSet = token.NewFileSet()

// packages reads the whole repository, other modules in it excepted.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := readRepository()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 5 {
		t.Fatalf("only %d packages were found: is this the repository?", len(all))
	}
	return all
}

var readRepository = sync.OnceValues(func() ([]pkg, error) {
	byName := make(map[string]*pkg)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipFolder(path, d.Name())
		case filepath.Ext(path) != ".go":
			return nil
		}
		parsed, err := parser.ParseFile(fileSet, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		add(byName, file{path: filepath.ToSlash(strings.TrimPrefix(path, "../")), ast: parsed})
		return nil
	})
	var all []pkg
	for _, p := range byName {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.name, b.name) })
	return all, err
})

func skipFolder(path, name string) error {
	if path == ".." {
		return nil
	}
	_, otherModule := os.Stat(filepath.Join(path, "go.mod"))
	if strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || otherModule == nil {
		return filepath.SkipDir
	}
	return nil
}

func add(byName map[string]*pkg, f file) {
	name := filepath.ToSlash(filepath.Dir(f.path))
	p := byName[name]
	if p == nil {
		p = &pkg{name: name}
		byName[name] = p
	}
	if strings.HasSuffix(f.path, "_test.go") {
		p.tests = append(p.tests, f)
	} else {
		p.files = append(p.files, f)
	}
}

func (p pkg) imports() []string { return imports(p.files) }

func imports(files []file) []string {
	var all []string
	for _, f := range files {
		for _, spec := range f.ast.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				all = append(all, imported)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// forbidden are the names that only cmd may use: everything else is told.
var forbidden = map[string][]string{
	"os":      {"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
	"syscall": {"Getenv", "Environ"},
	"time":    {"Now", "Since", "Until"},
}

func TestOnlyCmdReadsEnvironmentAndClock(t *testing.T) {
	for _, p := range packages(t) {
		if p.helper() || strings.HasPrefix(p.name, "cmd/") {
			continue
		}
		for _, f := range p.files {
			for _, use := range uses(f.ast) {
				t.Errorf("%s: %s: take it as a parameter", position(f, use.Pos()), use.Sel.Name)
			}
		}
	}
}

// uses finds the forbidden names in a file, whatever the import is called there.
func uses(f *ast.File) []*ast.SelectorExpr {
	called := make(map[string]string)
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := filepath.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		called[name] = imported
	}
	var found []*ast.SelectorExpr
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(forbidden[called[x.Name]], sel.Sel.Name) {
				found = append(found, sel)
			}
		}
		return true
	})
	return found
}

func TestUsesAreFound(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "planted.go", `package planted
		import ("os"; clock "time")
		var now = clock.Now
		func f() string { _ = clock.Since(now()); _ = os.Args; return os.Getenv("HOME") }`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := uses(f); len(got) != 3 {
		t.Errorf("3 uses are planted, %d found", len(got))
	}
}

func TestNoInit(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			for _, decl := range f.ast.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%s: no init functions: what is built is built by boot", position(f, fn.Pos()))
				}
			}
		}
	}
}

func position(f file, at token.Pos) string {
	return f.path + ":" + strconv.Itoa(fileSet.Position(at).Line)
}

// TestDatabaseTestsCleanUp: without testdb.Main the server of a test binary
// ends with it, but its folder stays until the next run.
func TestDatabaseTestsCleanUp(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains(imports(p.tests), module+"app/internal/testdb") && !slices.ContainsFunc(p.tests, callsMain) {
			t.Errorf("%s: tests use testdb, so one of them needs: func TestMain(m *testing.M) { testdb.Main(m) }", p.name)
		}
	}
}

func callsMain(f file) bool {
	found := false
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Main" {
			x, ok := sel.X.(*ast.Ident)
			found = found || ok && x.Name == "testdb"
		}
		return true
	})
	return found
}

var (
	databaseClock = regexp.MustCompile(`(?i)\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(|\b(current_timestamp|current_date|current_time|localtime|localtimestamp)\b|'(now|today|tomorrow|yesterday)'`)
	sqlComment    = regexp.MustCompile(`--[^\n]*`)
)

func TestQueriesTakeTheInstantAsParameter(t *testing.T) {
	files, err := filepath.Glob("../queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries were found: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if used := databaseClock.FindString(sqlComment.ReplaceAllString(line, "")); used != "" {
				t.Errorf("%s:%d: %s: the instant is a parameter, so that time can be simulated", strings.TrimPrefix(path, "../"), i+1, used)
			}
		}
	}
}
