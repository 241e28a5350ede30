package timeofday

import (
	"strings"
	"testing"
	"time"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func mustSchedule(t *testing.T, zone *time.Location, text string) *Schedule {
	t.Helper()
	sw, err := ParseTimes(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSchedule(zone, sw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestInForceAndNext: on a week of working days the second file holds from Friday
// evening to Monday morning.
func TestInForceAndNext(t *testing.T) {
	z := mustZone(t, "Europe/Berlin")
	s := mustSchedule(t, z, "Mon-Fri 08:00,20:00")
	day := func(d, h, m int) time.Time { return time.Date(2026, 3, d, h, m, 0, 0, z) } // the 2nd is a Monday
	for _, c := range []struct {
		at   time.Time
		file int
		next time.Time
	}{
		{day(2, 7, 59), 1, day(2, 8, 0)},
		{day(2, 8, 0), 0, day(2, 20, 0)}, // a switch holds from its instant on
		{day(2, 19, 59), 0, day(2, 20, 0)},
		{day(2, 20, 0), 1, day(3, 8, 0)},
		{day(6, 20, 0), 1, day(9, 8, 0)}, // Friday evening
		{day(8, 12, 0), 1, day(9, 8, 0)}, // Sunday
	} {
		if got := s.InForce(c.at); got != c.file {
			t.Errorf("%s: file %d; want %d", c.at, got, c.file)
		}
		if at, file := s.next(c.at); !at.Equal(c.next) || file == c.file {
			t.Errorf("%s: next %s with file %d; want %s", c.at, at, file, c.next)
		}
	}
}

// TestClocksChange: on 29 March 2026 clocks in Berlin go from 02:00 to 03:00, so that
// the night from 20:00 to 08:00 lasts 11 hours; on 25 October 13.
func TestClocksChange(t *testing.T) {
	z := mustZone(t, "Europe/Berlin")
	s := mustSchedule(t, z, "08:00,20:00")
	for _, c := range []struct {
		evening time.Time
		hours   float64
	}{
		{time.Date(2026, 3, 28, 20, 0, 0, 0, z), 11},
		{time.Date(2026, 10, 24, 20, 0, 0, 0, z), 13},
		{time.Date(2026, 6, 1, 20, 0, 0, 0, z), 12},
	} {
		at, file := s.next(c.evening)
		if got := at.Sub(c.evening).Hours(); got != c.hours || file != 0 {
			t.Errorf("night of %s: %v hours, then file %d; want %v", c.evening, got, file, c.hours)
		}
	}
}

// TestRefreshInstants: the instants on a run's clock that begins at 06:30.
func TestRefreshInstants(t *testing.T) {
	s := mustSchedule(t, time.UTC, "08:00,20:00")
	day, night := []yarnconf.Change{{Key: "day"}}, []yarnconf.Change{{Key: "night"}}
	now, next := s.Refresh(time.Date(2026, 3, 2, 6, 30, 0, 0, time.UTC), [][]yarnconf.Change{day, night})
	if now[0].Key != "night" {
		t.Errorf("in force at 06:30: %v; want the file of the night", now)
	}
	after := simcore.Time(0)
	for i, want := range []simcore.Time{90 * simcore.Minute, 13*simcore.Hour + 30*simcore.Minute, 25*simcore.Hour +
		30*simcore.Minute} {
		at, file := next(after)
		if at != want || file[0].Key != []string{"day", "night"}[i%2] {
			t.Errorf("switch %d at %v to %v; want %v", i, at, file, want)
		}
		after = at
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"8:00,20:00", "time of day"}, {"08:00,24:00", "time of day"}, {"Foo 08:00,20:00", "days"}, {"", "time of day"},
		{"Mon- 08:00", "days"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if _, err := ParseTimes(c.text); err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "must be") {
				t.Errorf("%q: %v", c.text, err)
			}
		})
	}
	one, _ := ParseTimes("08:00,08:00")
	if _, err := NewSchedule(time.UTC, one); err == nil {
		t.Error("two switches at one time were taken")
	}
	if _, err := NewSchedule(time.UTC, []Switch{{Everyday, 1, 0}, {Everyday, 2, 0}}); err == nil {
		t.Error("a schedule of one file was taken")
	}
	if _, err := Zone(""); err == nil {
		t.Error("no zone was taken")
	}
	if _, err := Zone("Europe/Nowhere"); err == nil {
		t.Error("an unknown zone was taken")
	}
}

func TestDaysText(t *testing.T) {
	for _, c := range []struct{ text, out, cron string }{
		{"Mon-Fri", "Mon-Fri", "1,2,3,4,5"}, {"sat,sun", "Sat,Sun", "6,0"}, {"Fri-Mon", "Mon,Fri-Sun", "1,5,6,0"},
		{"Mon-Sun", "", "*"}, {"Tue", "Tue", "2"},
	} {
		t.Run(c.text, func(t *testing.T) {
			d, err := parseDays(c.text)
			if err != nil || d.String() != c.out || d.cron() != c.cron {
				t.Errorf("%s: %q, cron %q, %v; want %q, %q", c.text, d, d.cron(), err, c.out, c.cron)
			}
		})
	}
	if got := (Switch{Everyday &^ (1<<time.Saturday | 1<<time.Sunday), 8*60 + 5, 0}).Cron(); got != "5 8 * * 1,2,3,4,5" {
		t.Errorf("cron %q", got)
	}
}

// FuzzSwitches: what is read comes back from its text, and a schedule of it answers for
// every instant: the next switch is later and brings another file, in force from then.
func FuzzSwitches(f *testing.F) {
	for _, s := range []string{"08:00,20:00", "Mon-Fri 08:00,20:00", "Sat,Sun 00:00,23:59", "Fri-Mon 02:30,03:00,02:00"} {
		f.Add(s, int64(1774700000))
	}
	berlin, err := Zone("Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		sw, err := ParseTimes(text)
		if err != nil {
			return
		}
		for _, s := range sw {
			again, err := ParseTimes(s.String())
			if err != nil || len(again) != 1 || again[0].Minute != s.Minute || again[0].Days != s.Days {
				t.Fatalf("%q comes back as %v, %v", s, again, err)
			}
		}
		s, err := NewSchedule(berlin, sw)
		if err != nil {
			return
		}
		at := time.Unix(unix%(1<<33), 0)
		next, file := s.next(at)
		if !next.After(at) || file == s.InForce(at) || s.InForce(next) != file {
			t.Fatalf("%q at %s: file %d, next %s with %d, then %d", text, at, s.InForce(at), next, file, s.InForce(next))
		}
	})
}
