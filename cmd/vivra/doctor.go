package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"vivra/app/boot"
	"vivra/app/doctor"
)

type examine struct {
	JSON    bool          `help:"Answer in JSON." name:"json"`
	Timeout time.Duration `help:"How long each service may take." default:"10s"`
	NoModel bool          `help:"Ask no model: nothing is paid then." name:"no-model"`
}

// Validate refuses a time that can't be meant.
func (x examine) Validate() error {
	if x.Timeout < time.Second || x.Timeout > 5*time.Minute {
		return fmt.Errorf("--timeout must be from 1s to 5m, not %s", x.Timeout)
	}
	return nil
}

// Run looks at every outside service and says in one screen what is wrong.
func (x examine) Run(ctx context.Context, s surroundings) error {
	e, faults := parse(s.getenv)
	if faults = append(faults, e.unready()...); len(faults) > 0 {
		return misconfigured(faults)
	}
	key := e.sealing()
	how := boot.Examination{Timeout: x.Timeout, NoModel: x.NoModel, Key: key, Secrets: e.secrets()}
	how.Collector, how.Header = e.collector()
	report := boot.Examine(ctx, e.config(key.Bytes), how)
	if err := x.print(s, report); err != nil {
		return err
	}
	return verdict(report)
}

func (x examine) print(s surroundings, r doctor.Report) error {
	if x.JSON {
		return json.NewEncoder(s.out).Encode(r)
	}
	_, err := fmt.Fprint(s.out, r.Screen())
	return err
}

func verdict(r doctor.Report) error {
	var ill []string
	for _, f := range r.Findings {
		if f.State == doctor.Broken {
			ill = append(ill, f.Service)
		}
	}
	if len(ill) == 0 {
		return nil
	}
	return doesNotHold{errors.New("broken: " + strings.Join(ill, ", "))}
}

// sealing is the secret key as it stands: none is made.
func (e *environment) sealing() doctor.SecretKey {
	if e.SecretKey != "" {
		key, _ := decodeKey(e.SecretKey) // parse checked it
		return doctor.SecretKey{Bytes: key}
	}
	k := doctor.SecretKey{File: filepath.Join(e.DataDir, "secret.key")}
	if k.Bytes, k.Problem = readKey(k.File); errors.Is(k.Problem, fs.ErrNotExist) {
		k.Problem = nil
	}
	return k
}

// secrets are what of the environment must never be shown.
func (e *environment) secrets() []string {
	var all []string
	for _, v := range e.variables() {
		switch {
		case strings.HasSuffix(v.name, "_HEADERS"): // their values stand below
		case strings.Contains(*v.into, "://"):
			all = append(all, doctor.InURL(*v.into)...)
		case v.secret:
			all = append(all, *v.into)
		}
	}
	_, header := e.collector()
	for _, values := range header {
		all = append(all, values...)
	}
	return all
}

// collector is where traces are sent as the library does it, empty when none are.
func (e *environment) collector() (string, http.Header) {
	if !e.telemetry().Traces {
		return "", nil
	}
	address, headers := e.OTLPTracesEndpoint, cmp.Or(e.OTLPTracesHeaders, e.OTLPHeaders)
	if address == "" {
		address = strings.TrimRight(e.OTLPEndpoint, "/") + "/v1/traces"
	}
	header := http.Header{}
	for _, one := range strings.Split(headers, ",") {
		if name, value, ok := strings.Cut(one, "="); ok {
			plain, _ := url.PathUnescape(value) // parse checked it
			header.Set(strings.TrimSpace(name), strings.TrimSpace(plain))
		}
	}
	return address, header
}
