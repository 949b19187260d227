package main

import (
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
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

// onlyChecked are the variables that the library reads by itself, and passes over
// in silence when it can't.
func onlyChecked() []variable {
	var all []variable
	for _, v := range []struct {
		check func(string) string
		names []string
	}{
		{isSampler, []string{"OTEL_TRACES_SAMPLER"}},
		{isRatio, []string{"OTEL_TRACES_SAMPLER_ARG"}},
		{isProtocol, []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"}},
		{isCompression, []string{"OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION"}},
		{isMilliseconds, []string{"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT"}},
		{isCount, []string{"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"}},
	} {
		for _, name := range v.names {
			all = append(all, variable{name: name, into: new(string), check: v.check})
		}
	}
	return all
}

var samplers = []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"}

func isSampler(v string) string {
	if slices.Contains(samplers, strings.ToLower(v)) {
		return ""
	}
	return "is none of " + strings.Join(samplers, ", ")
}

func isRatio(v string) string {
	if share, err := strconv.ParseFloat(v, 64); err == nil && share >= 0 && share <= 1 {
		return ""
	}
	return "is not a share from 0 to 1, such as 0.25"
}

func isProtocol(v string) string {
	if v == "http/protobuf" {
		return ""
	}
	return "is not http/protobuf: traces go over that only, as a rule to port 4318"
}

func isCompression(v string) string {
	if v == "gzip" || v == "none" {
		return ""
	}
	return "is neither gzip nor none"
}

func isMilliseconds(v string) string {
	if isCount(v) == "" {
		return ""
	}
	return "is not a number of milliseconds, such as 5000"
}

func isCount(v string) string {
	if n, err := strconv.ParseInt(v, 10, 32); err == nil && n > 0 {
		return ""
	}
	return "is not a whole number above 0"
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
