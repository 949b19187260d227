package web

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vivra/app"
)

func span(least, most time.Duration) settingKind {
	return settingKind{
		input: "text", hint: fmt.Sprintf("such as 90 s, 10 min or 1 h 30 min; %s to %s", inWords(least), inWords(most)),
		show: stored(showSeconds),
		parse: func(text string) (any, error) {
			seconds, err := parseSpan(text, least, most)
			return seconds, err
		},
	}
}

// maxWaits is how many retries a list of waits may hold.
const maxWaits = 10

func waits(most time.Duration) settingKind {
	return settingKind{
		input: "text", hint: "with commas between, such as 1 min, 5 min, 15 min; empty: never again",
		show: stored(func(all []int64) string {
			texts := make([]string, len(all))
			for i, seconds := range all {
				texts[i] = showSeconds(seconds)
			}
			return strings.Join(texts, ", ")
		}),
		parse: func(text string) (any, error) {
			all := []int64{}
			for part := range strings.SplitSeq(text, ",") {
				if strings.TrimSpace(part) == "" {
					continue
				}
				seconds, err := parseSpan(part, 0, most)
				if err != nil {
					return nil, err
				}
				all = append(all, seconds)
			}
			if len(all) > maxWaits {
				return nil, app.Errorf(app.Invalid, "Write at most %d waits.", maxWaits)
			}
			return all, nil
		},
	}
}

var spanPart = regexp.MustCompile(`^(\d{1,5}) ?(d|days?|h|hours?|min|minutes?|m|s|sec|seconds?)\s*`)

// parseSpan reads a span of time as people write it and returns its seconds.
func parseSpan(text string, least, most time.Duration) (int64, error) {
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}
	rest, sum := strings.ToLower(strings.TrimSpace(text)), time.Duration(0)
	for rest != "" && sum <= most {
		part := spanPart.FindStringSubmatch(rest)
		if part == nil {
			return 0, app.Errorf(app.Invalid, "%q is no span of time. Write it like 90 s, 10 min or 1 h 30 min.", text)
		}
		n, _ := strconv.Atoi(part[1]) // at most five digits
		sum += time.Duration(n) * units[part[2][0]]
		rest = rest[len(part[0]):]
	}
	if strings.TrimSpace(text) == "" || sum < least || sum > most {
		return 0, app.Errorf(app.Invalid, "Write a span of time from %s to %s.", inWords(least), inWords(most))
	}
	return int64(sum / time.Second), nil
}

func showSeconds(seconds int64) string { return inWords(time.Duration(seconds) * time.Second) }

// inWords is exact, so that what is shown can be sent back unchanged.
func inWords(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d -= n * unit.size
		}
	}
	if len(parts) == 0 {
		return "0 s"
	}
	return strings.Join(parts, " ")
}
