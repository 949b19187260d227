package calendar

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// schedule is when a row is due: once after J0, or on days at an hour.
type schedule struct {
	offset time.Duration
	days   []int
	hour   time.Duration
}

func (s schedule) series() bool { return len(s.days) > 0 }

var (
	rangeForm = regexp.MustCompile(`^J\+(\d{1,4})\.\.J\+(\d{1,4}) at ([01]\d|2[0-3]):([0-5]\d)$`)
	listForm  = regexp.MustCompile(`^J\+(\d{1,4}(?:,\d{1,4})*) at ([01]\d|2[0-3]):([0-5]\d)$`)
	onceForm  = regexp.MustCompile(`^T\+(?:(\d{1,4})d)?(?:(\d{1,5})h([0-5]\d)?)?$`)
)

func parseSchedule(text string) (schedule, error) {
	if text == "T+0" {
		return schedule{}, nil
	}
	if m := onceForm.FindStringSubmatch(text); m != nil && (m[1] != "" || m[2] != "") {
		return schedule{offset: time.Duration(num(m[1]))*24*time.Hour + time.Duration(num(m[2]))*time.Hour + time.Duration(num(m[3]))*time.Minute}, nil
	}
	if m := rangeForm.FindStringSubmatch(text); m != nil {
		first, last := num(m[1]), num(m[2])
		if first > last {
			return schedule{}, fmt.Errorf("due %q: the days run backwards", text)
		}
		s := schedule{hour: clock(m[3], m[4])}
		for day := first; day <= last; day++ {
			s.days = append(s.days, day)
		}
		return s, nil
	}
	if m := listForm.FindStringSubmatch(text); m != nil {
		s := schedule{hour: clock(m[2], m[3])}
		for _, day := range strings.Split(m[1], ",") {
			s.days = append(s.days, num(day))
		}
		return s, nil
	}
	return schedule{}, fmt.Errorf("due %q is not understood: write T+1h30, T+7d2h, J+1..J+30 at 08:00 or J+7,14 at 10:00", text)
}

func num(s string) int {
	n, _ := strconv.Atoi(s) // the forms let digits or nothing through
	return n
}

func clock(hour, minute string) time.Duration {
	return time.Duration(num(hour))*time.Hour + time.Duration(num(minute))*time.Minute
}

// instant is one member of a schedule.
type instant struct {
	due     time.Time
	day     int
	ordinal int
}

func (s schedule) instants(j0 time.Time) []instant {
	if !s.series() {
		return []instant{{due: j0.Add(s.offset)}}
	}
	midnight := j0.Truncate(24 * time.Hour)
	out := make([]instant, len(s.days))
	for i, day := range s.days {
		out[i] = instant{due: midnight.Add(time.Duration(day)*24*time.Hour + s.hour), day: day, ordinal: i + 1}
	}
	return out
}

func (i instant) fill(key string) string {
	return strings.NewReplacer("{d}", fmt.Sprintf("d%02d", i.day), "{w}", fmt.Sprintf("w%d", i.ordinal)).Replace(key)
}

func (i instant) fillAll(keys []string) []string {
	out := make([]string, len(keys))
	for n, key := range keys {
		out[n] = i.fill(key)
	}
	return out
}
