package main

import (
	"net/url"
	"regexp"
	"runtime/debug"
	"strings"

	"vivra/app/boot"
)

// telemetry decides whether anything is told to anyone. What the variables say
// beyond that, the library reads.
func (e environment) telemetry() boot.Telemetry {
	t := boot.Telemetry{MetricsAddr: e.MetricsAddr, TraceContent: truth(e.OTELContent)}
	off := truth(e.OTELDisabled) || e.OTELTracesExporter == "none"
	t.Traces = !off && (e.OTLPEndpoint != "" || e.OTLPTracesEndpoint != "")
	if info, ok := debug.ReadBuildInfo(); ok {
		t.Version = info.Main.Version
	}
	return t
}

func truth(value string) bool { return strings.EqualFold(value, "true") }

func isBoolean(v string) string {
	if truth(v) || strings.EqualFold(v, "false") {
		return ""
	}
	return "is neither true nor false"
}

func isTracesExporter(v string) string {
	if v == "otlp" || v == "none" {
		return ""
	}
	return "is neither otlp nor none"
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// isHeaderList is as strict as the library, which would drop a faulty header
// and print its value.
func isHeaderList(v string) string {
	for _, header := range strings.Split(v, ",") {
		name, value, found := strings.Cut(header, "=")
		if !found || !decodes(value) || !headerName.MatchString(strings.TrimSpace(name)) {
			return "is not a list of headers, such as authorization=Basic%20abc,tenant=7"
		}
	}
	return ""
}

func isAttributeList(v string) string {
	for _, pair := range strings.Split(v, ",") {
		if _, value, found := strings.Cut(pair, "="); !found || !decodes(value) {
			return "is not a list of attributes, such as deployment.environment.name=staging,team=7"
		}
	}
	return ""
}

func decodes(value string) bool {
	_, err := url.PathUnescape(value)
	return err == nil
}
