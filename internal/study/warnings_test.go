package study

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/yarnconf"
)

// queueFile writes a queue file of "name=value" lines, names without the common
// prefix.
func queueFile(t *testing.T, lines ...string) string {
	t.Helper()
	var changes []yarnconf.Change
	for _, l := range lines {
		k, v, _ := strings.Cut(l, "=")
		changes = append(changes, yarnconf.Change{Key: yarnconf.Prefix + k, Value: v})
	}
	path := filepath.Join(t.TempDir(), "capacity-scheduler.xml")
	if err := os.WriteFile(path, yarnconf.Fragment("", changes), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two hundred queues of half a percent each: a share of one point, the usual
// least, is more than any of them has. The nine with jobs may trade their 4.5
// points all the same.
func TestHundredsOfQueues(t *testing.T) {
	var names []string
	lines := []string{"root.queues="}
	for i := range 200 {
		names = append(names, fmt.Sprintf("q%03d", i))
		lines = append(lines, fmt.Sprintf("root.q%03d.capacity=0.5", i))
	}
	lines[0] += strings.Join(names, ",")
	c, err := (&scenario.Files{Config: queueFile(t, lines...), Embedded: true, Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := NewSpace(c, []string{"capacity"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Dim() != 8 {
		t.Errorf("%d coordinates for nine queues with jobs", s.Dim())
	}
	for _, p := range points(s, 20) {
		changes, _ := s.Changes(s.Decode(p))
		if len(changes) == 0 {
			t.Fatal("a random point changes nothing")
		}
		if _, err := c.Doc.EditValid(changes); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that is included is not part of the output, which is said.
func TestIncludesAreTold(t *testing.T) {
	included := queueFile(t, "root.queues=a", "root.a.capacity=100")
	outer := filepath.Join(filepath.Dir(included), "outer.xml")
	text := `<configuration xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include ` +
		`href="capacity-scheduler.xml"/></configuration>`
	if err := os.WriteFile(outer, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := (&scenario.Files{Config: outer, Embedded: true, Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(c.Warnings, "\n"); !strings.Contains(text, "outer.xml includes ") ||
		!strings.Contains(text, "capacity-scheduler.xml: keep a copy beside the tuned file") {
		t.Errorf("%q", text)
	}
}
