package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/internal/rm/rmtest"
)

// TestRealApplyAt: on a real ResourceManager the file of the day follows the present
// one, that of the night follows it, and that of the day the night's, each validated by
// the ResourceManager before and read back after; what comes between is refused.
func TestRealApplyAt(t *testing.T) {
	rm := rmtest.StartRM(t, "memory")
	dir := t.TempDir()
	file := func(name string, swaps ...string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.NewReplacer(swaps...).Replace(rmtest.StartFile)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	present := file("present.xml")
	day := file("day.xml", "adhoc.maximum-capacity</name><value>60", "adhoc.maximum-capacity</name><value>45")
	night := file("night.xml", "prod.capacity</name><value>60", "prod.capacity</name><value>30",
		"adhoc.capacity</name><value>40", "adhoc.capacity</name><value>70",
		"adhoc.maximum-capacity</name><value>60", "adhoc.maximum-capacity</name><value>100",
		"user-limit-factor</name><value>2", "user-limit-factor</name><value>1")
	now := time.Now().UTC()
	late, early := now.Add(-2*time.Hour).Format("15:04"), now.Add(-12*time.Hour).Format("15:04")
	args := func(due, other string, more ...string) []string {
		return append([]string{"apply", "--rm", rm.URL, "--auth", "simple:root", "--zone", "UTC", "--at", late + "=" + due,
			"--at", early + "=" + other}, more...)
	}
	out, _ := must(t, 0, args(day, night)...)
	if strings.Count(out, "validated by") != 2 || strings.Count(out, "can be refreshed") != 2 {
		t.Errorf("both files should be validated against what is in force:\n%s", out)
	}
	must(t, 1, args(day, night, "--due", "--yes")...) // the present file is neither
	for i, c := range []struct{ due, other, more string }{{day, night, present}, {night, day, ""}, {day, night, ""}} {
		a := args(c.due, c.other, "--due", "--yes")
		if c.more != "" {
			a = append(a, "--from", c.more)
		}
		if out, _ := must(t, 0, a...); !strings.Contains(out, filepath.Base(c.due)+" is active, after ") {
			t.Errorf("switch %d: %s", i, out)
		}
		out, _ := must(t, 0, args(c.due, c.other, "--json")...)
		if m := object(t, out); m["in_force"] != c.due {
			t.Errorf("switch %d: %v is in force", i, m["in_force"])
		}
	}
}
