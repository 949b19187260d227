package utilities

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Runner evaluates a JavaScript expression in a document without a network and
// returns what its promise resolves to.
type Runner interface {
	Run(ctx context.Context, html, script string) (json.RawMessage, error)
}

type result struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Why  string `json:"why"`
}

// Test runs the template's own tests against the very files of b. The log has
// one line for each test. An error means that the tests could not run at all.
func Test(ctx context.Context, r Runner, b Bundle) (passed, failed int, log string, err error) {
	if _, err := Find(b.Template); err != nil {
		return 0, 0, "", err
	}
	page, err := document(b)
	if err != nil {
		return 0, 0, "", err
	}
	script := strings.Replace(mustRead("harness.js"), "/*TESTS*/", mustRead(b.Template+"/tests.js"), 1)
	raw, err := r.Run(ctx, page, script)
	if err != nil {
		return 0, 0, "", fmt.Errorf("run the tests of %s: %w", b.Template, err)
	}
	var results []result
	if err := json.Unmarshal(raw, &results); err != nil || len(results) == 0 {
		return 0, 0, "", fmt.Errorf("run the tests of %s: no results came back: %.200s", b.Template, raw)
	}
	passed, failed, log = report(results)
	return passed, failed, log, nil
}

func report(results []result) (passed, failed int, log string) {
	var out strings.Builder
	for _, r := range results {
		if r.OK {
			passed++
			fmt.Fprintf(&out, "ok    %s\n", r.Name)
		} else {
			failed++
			fmt.Fprintf(&out, "FAIL  %s: %s\n", r.Name, r.Why)
		}
	}
	return passed, failed, out.String()
}

var scriptTag = regexp.MustCompile(`<script src="([^"/]+)" defer></script>`)

// document is the bundle's page with its scripts inside.
func document(b Bundle) (string, error) {
	var missing []string
	page := scriptTag.ReplaceAllStringFunc(string(b.Files["/index.html"]), func(tag string) string {
		name := "/" + scriptTag.FindStringSubmatch(tag)[1]
		source, ok := b.Files[name]
		if !ok {
			missing = append(missing, name)
		}
		return "<script>" + string(source) + "</script>"
	})
	if page == "" {
		missing = append(missing, "/index.html")
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("the bundle of %s lacks %s", b.Template, strings.Join(missing, ", "))
	}
	return page, nil
}
