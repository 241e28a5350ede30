package trace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A collector of logs keeps a line in some member of some object, or in quotes: the trace is the same.
func TestLogInWrappers(t *testing.T) {
	audit, summary := rmLines()
	lines := append(append([]string(nil), audit...), summary...)
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	want := readLog(t, lines)
	for name, wrap := range map[string]func(string) string{
		"a member":         func(s string) string { return `{"host": "rm", "text": ` + quote(s) + `, "n": 1}` },
		"a nested member":  func(s string) string { return `{"agent":{"id":"x"},"event":{"original":` + quote(s) + `}}` },
		"JSON in a member": func(s string) string { return `{"log":` + quote(`{"message":`+quote(s+"\n")+`}`) + `}` },
		"key of a format":  func(s string) string { return `{"app":"rm","schema":"ecs","job":[],"m":` + quote(s) + `}` },
		"another's time":   func(s string) string { return `{"message":` + quote(s) + `,"seen":"2031-01-01T00:00:00.000Z"}` },
		"logfmt":           func(s string) string { return `time="2031-01-01T00:00:00Z" msg=` + quote(s) + ` x=y` },
		"quotes with tabs": func(s string) string { return `a,"` + s + `",b` },
		"no time of its own": func(s string) string {
			return `{"message":` + quote(s[len("2026-03-01 08:00:01,000 "):]) + `,"time":"` + s[:23] + `Z"}`
		},
	} {
		wrapped := make([]string, len(lines))
		for i, s := range lines {
			wrapped[i] = wrap(s)
		}
		sameTrace(t, name, want, readLog(t, wrapped))
	}
	list := make([]string, len(lines))
	for i, s := range lines {
		list[i] = `{"m":` + quote(s) + "}"
	}
	sameTrace(t, "a list over lines", want, readLog(t, []string{"[", strings.Join(list, ",\n"), "]"}))
	sameTrace(t, "a list on one line", want, readLog(t, []string{"[" + strings.Join(list, ", ") + "]"}))
}

// A log that is there twice, such as beside the audit log that also goes to a file of its own, loses nothing by
// that: submissions do not name the queue.
func TestLogTwice(t *testing.T) {
	audit, _ := rmLines()
	for i, s := range audit {
		if op, queue, ok := strings.Cut(s, "Request\tQUEUENAME="); ok {
			audit[i] = op + "Request" + queue[len("q0"):]
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"audit.log", "rm.log"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(audit, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameTrace(t, "twice", readLog(t, audit), got)
}

// An offset behind a time counts, and the log then tells its zone.
func TestLogWithOffset(t *testing.T) {
	audit, _ := rmLines()
	for offset, want := range map[string]Millis{"Z": 0, "+0100": -3_600_000, "-05:30": 19_800_000} {
		lines := slices.Clone(audit)
		for i, s := range lines {
			lines[i] = s[:10] + "T" + s[11:19] + "." + s[20:23] + offset + s[23:]
		}
		got, plain := readLog(t, lines), readLog(t, audit)
		if by := got.Jobs[0].Submit - plain.Jobs[0].Submit; by != want {
			t.Errorf("%s: got %d ms later, want %d", offset, by, want)
		}
		if len(got.Notes) != len(plain.Notes)-1 {
			t.Errorf("%s: got notes %v, want one less than %v", offset, got.Notes, plain.Notes)
		}
	}
}

// Lines that are cut off are counted, and nothing of them is read.
func TestLogWithCutLines(t *testing.T) {
	audit, summary := rmLines()
	lines := append(append([]string(nil), audit...), summary...)
	want := readLog(t, lines)
	for name, cut := range map[string]string{
		"JSON before the text":  `{"host":"rm","te`,
		"JSON inside the text":  `{"text":"` + audit[0][:60],
		"JSON inside the pairs": `{"text":"2026-03-01 08:00:01,000 INFO RMAuditLogger: USER=a\tOPERATION=Submit App`,
		"an application's id": "2026-03-01 08:00:01,000 INFO RMAuditLogger: USER=a\tOPERATION=Submit Application Request\t" +
			"APPID=application_17",
		"a container's id": "2026-03-01 08:00:01,000 INFO RMAuditLogger: USER=a\tOPERATION=AM Allocated Container\t" +
			"APPID=application_1772000000000_0009\tCONTAINERID=container_1772",
		"a size": "2026-03-01 08:00:01,000 INFO RMAuditLogger: USER=a\tOPERATION=AM Allocated Container\t" +
			"APPID=application_1772000000000_0009\tCONTAINERID=container_1772000000000_0009_01_000002\tRESOURCE=<memory:20",
	} {
		got := readLog(t, append(append([]string(nil), lines...), cut))
		note := fmt.Sprint(Note{Dropped, "lines of the ResourceManager's log that are cut off or cannot be parsed", 1})
		if notes := fmt.Sprint(got.Notes); !strings.Contains(notes, note) {
			t.Errorf("%s: notes %s, want %q among them", name, notes, note)
		}
		got.Notes = want.Notes
		sameTrace(t, name, want, got)
	}
}

func readLog(t *testing.T, lines []string) *Trace {
	t.Helper()
	tr, err := Read(strings.NewReader(strings.Join(lines, "\n")), "log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestLogTimeLayouts: the layouts of log4j that name the month give the same trace as ISO8601.
func TestLogTimeLayouts(t *testing.T) {
	audit, summary := rmLines()
	const day = "2026-03-01"
	want := readLog(t, append(append([]string(nil), audit...), summary...))
	for _, other := range []string{"01 Mar 2026", "01/Mar/2026", "01-Mar-2026", "2026/03/01"} {
		t.Run(other, func(t *testing.T) {
			var lines []string
			for _, s := range append(append([]string(nil), audit...), summary...) {
				lines = append(lines, strings.Replace(s, day, other, 1))
			}
			sameTrace(t, other, want, readLog(t, lines))
		})
	}
}
