package timeofday

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones where the machine has none

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Days is a set of days of the week, bit i for time.Weekday i.
type Days uint8

// Everyday holds all days.
const Everyday Days = 1<<7 - 1

// Has reports whether a day belongs to the set.
func (d Days) Has(w time.Weekday) bool { return d>>w&1 == 1 }

// dayNames are indexed by time.Weekday.
var dayNames = [...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

// String lists the days as parseDays reads them; "" for all.
func (d Days) String() string {
	if d == Everyday {
		return ""
	}
	var parts []string
	for i := 1; i <= 7; i++ { // Monday to Sunday
		if !d.Has(time.Weekday(i % 7)) {
			continue
		}
		last := i
		for last < 7 && d.Has(time.Weekday((last+1)%7)) {
			last++
		}
		switch {
		case last > i+1:
			parts = append(parts, dayNames[i%7]+"-"+dayNames[last%7])
			i = last
		default:
			parts = append(parts, dayNames[i%7])
		}
	}
	return strings.Join(parts, ",")
}

// cron is the fifth field of a crontab line.
func (d Days) cron() string {
	if d == Everyday {
		return "*"
	}
	var out []string
	for i := 1; i <= 7; i++ {
		if d.Has(time.Weekday(i % 7)) {
			out = append(out, strconv.Itoa(i%7))
		}
	}
	return strings.Join(out, ",")
}

// parseDays reads days and ranges of days with commas, such as "Mon-Fri" or "Sat,Sun".
func parseDays(text string) (Days, error) {
	var out Days
	for _, part := range strings.Split(text, ",") {
		first, last, span := strings.Cut(part, "-")
		if !span {
			last = first
		}
		a, b := dayOf(first), dayOf(last)
		if a < 0 || b < 0 {
			return 0, fmt.Errorf("days %q: must be Mon, Tue, Wed, Thu, Fri, Sat, Sun, with commas or as FIRST-LAST", text)
		}
		for i := a; ; i = (i + 1) % 7 {
			if out |= 1 << i; i == b {
				break
			}
		}
	}
	return out, nil
}

func dayOf(name string) int {
	return slices.IndexFunc(dayNames[:], func(d string) bool { return strings.EqualFold(d, strings.TrimSpace(name)) })
}

// Switch puts a file in force on some days at a time of day.
type Switch struct {
	Days   Days
	Minute int // of the day, 0 to 1439
	File   int // which file
}

// Clock is the time of day, HH:MM.
func (s Switch) Clock() string { return fmt.Sprintf("%02d:%02d", s.Minute/60, s.Minute%60) }

// String is the days, if not all, and the time.
func (s Switch) String() string { return strings.TrimSpace(s.Days.String() + " " + s.Clock()) }

// Cron are the first five fields of a crontab line.
func (s Switch) Cron() string {
	return fmt.Sprintf("%d %d * * %s", s.Minute%60, s.Minute/60, s.Days.cron())
}

// parseMinute reads HH:MM.
func parseMinute(text string) (int, error) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fmt.Errorf("time of day %q: must be HH:MM from 00:00 to 23:59", text)
	}
	return t.Hour()*60 + t.Minute(), nil
}

// ParseTimes reads "[DAYS ]HH:MM,HH:MM": the files, in order, take effect at these
// times.
func ParseTimes(text string) ([]Switch, error) {
	days, times := Everyday, strings.TrimSpace(text)
	if d, rest, ok := strings.Cut(times, " "); ok {
		var err error
		if days, err = parseDays(d); err != nil {
			return nil, err
		}
		times = strings.TrimSpace(rest)
	}
	var out []Switch
	for i, part := range strings.Split(times, ",") {
		m, err := parseMinute(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		out = append(out, Switch{days, m, i})
	}
	return out, nil
}

// Schedule says which file is in force when.
type Schedule struct {
	Zone     *time.Location
	Switches []Switch
}

// maxSwitches bounds a schedule.
const maxSwitches = 100

// NewSchedule checks switches. Errors: fewer than two, two at the same time of one
// day, all to one file.
func NewSchedule(zone *time.Location, switches []Switch) (*Schedule, error) {
	if len(switches) < 2 || len(switches) > maxSwitches {
		return nil, fmt.Errorf("%d switches: must be 2 to %d", len(switches), maxSwitches)
	}
	one := true
	for i, s := range switches {
		if s.Days == 0 || s.Days > Everyday || s.Minute < 0 || s.Minute >= 24*60 {
			return nil, fmt.Errorf("switch %d has no day or time: must be at least one day, 00:00 to 23:59", i+1)
		}
		one = one && s.File == switches[0].File
		for _, o := range switches[:i] {
			if o.Days&s.Days != 0 && o.Minute == s.Minute {
				return nil, fmt.Errorf("two switches at %s: must be one at a time", s)
			}
		}
	}
	if one {
		return nil, fmt.Errorf("all switch times activate the same file; use two files or more")
	}
	s := &Schedule{zone, slices.Clone(switches)}
	slices.SortStableFunc(s.Switches, func(a, b Switch) int { return a.Minute - b.Minute })
	return s, nil
}

// files is one more than the largest file.
func (s *Schedule) files() int {
	n := 0
	for _, w := range s.Switches {
		n = max(n, w.File+1)
	}
	return n
}

// instant is a switch of one day.
type instant struct {
	at   time.Time
	file int
}

// on lists the switches of a day in their order in time; of two at one instant, which
// there can be when clocks go forward, the later one by the clock comes last. A time
// that a day does not have is the one that time.Date takes.
func (s *Schedule) on(day time.Time) []instant {
	y, m, d := day.Date()
	var out []instant
	for _, w := range s.Switches {
		if w.Days.Has(day.Weekday()) {
			out = append(out, instant{time.Date(y, m, d, w.Minute/60, w.Minute%60, 0, 0, s.Zone), w.File})
		}
	}
	slices.SortStableFunc(out, func(a, b instant) int { return a.at.Compare(b.at) })
	return out
}

// noon is a time of day that every day has, some days after that of t.
func (s *Schedule) noon(t time.Time, days int) time.Time {
	y, m, d := t.In(s.Zone).Date()
	return time.Date(y, m, d+days, 12, 0, 0, 0, s.Zone)
}

// InForce is the file in force at an instant: that of the last switch up to it.
func (s *Schedule) InForce(t time.Time) int {
	for back := 0; back >= -8; back-- {
		for _, i := range slices.Backward(s.on(s.noon(t, back))) {
			if !i.at.After(t) {
				return i.file
			}
		}
	}
	return s.Switches[0].File // not reached: every switch has a day
}

// next is the first instant after t at which another file takes effect.
func (s *Schedule) next(t time.Time) (at time.Time, file int) {
	now := s.InForce(t)
	for ahead := range 9 {
		for _, i := range s.on(s.noon(t, ahead)) {
			if !i.at.After(t) {
				continue
			}
			if file := s.InForce(i.at); file != now {
				return i.at, file
			}
		}
	}
	return time.Time{}, now // not reached: two files have a switch each within a week
}

// Refresh tells a run that begins at an instant which changes of the queue file are in
// force then, and when others take effect (run.Item.Refresh). files are the changes
// of each file.
func (s *Schedule) Refresh(begin time.Time, files [][]yarnconf.Change) (now []yarnconf.Change,
	next func(after simcore.Time) (simcore.Time, []yarnconf.Change)) {
	return files[s.InForce(begin)], func(after simcore.Time) (simcore.Time, []yarnconf.Change) {
		at, file := s.next(begin.Add(after.Std()))
		if at.IsZero() {
			return simcore.Never, nil
		}
		return simcore.Time(at.Sub(begin).Microseconds()), files[file]
	}
}

// Zone finds a time zone by its name.
func Zone(name string) (*time.Location, error) {
	if name == "" {
		return nil, fmt.Errorf("no time zone; use a name such as Europe/Berlin, UTC, or Local")
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone %q is unknown; use a name such as Europe/Berlin, UTC, or Local", name)
	}
	return z, nil
}
