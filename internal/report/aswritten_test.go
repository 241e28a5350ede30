package report

import (
	"fmt"
	"strings"
	"testing"

	"schedtune/internal/study"
	"schedtune/yarnconf"
)

// The list of changes is that of the files: the maximum of batch follows its share and is
// listed as written, that of reports comes without a setting that moved, adhoc's is back at
// what it was, and a part of a value stays a part.
func TestChangesAreAsWritten(t *testing.T) {
	file := func(properties ...string) *yarnconf.Document {
		t.Helper()
		var b strings.Builder
		b.WriteString("<configuration>")
		for _, p := range append([]string{"root.queues=batch,adhoc,reports"}, properties...) {
			k, v, _ := strings.Cut(p, "=")
			fmt.Fprintf(&b, "<property><name>%s%s</name><value>%s</value></property>", yarnconf.Prefix, k, v)
		}
		d, err := yarnconf.Parse("capacity-scheduler.xml", []byte(b.String()+"</configuration>"))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	now := file("root.batch.capacity=1w", "root.batch.maximum-capacity=20", "root.adhoc.maximum-capacity=50",
		"root.reports.capacity=[memory=10,vcores=1]")
	then := file("root.batch.capacity=5w", "root.batch.maximum-capacity=63", "root.adhoc.maximum-capacity=50",
		"root.reports.capacity=[memory=20,vcores=1]", "root.reports.maximum-capacity=[memory=30,vcores=1]")
	setting := func(name, from, to string) Change {
		return Change{Setting: name, Property: yarnconf.Prefix + strings.TrimSuffix(name, "-memory"), File: study.FileConfig,
			From: from, To: to}
	}
	got := asWritten([]Change{setting("root.batch.capacity", "1w", "5w"), setting("root.batch.maximum-capacity", "20",
		"30"), setting("root.adhoc.maximum-capacity", "50", "60"),
		setting("root.reports.capacity-memory", "10", "20"), {Setting: "slowstart", Property: study.SlowstartKey,
			File: study.FileMapred, From: "0.05", To: "0.5"}}, now, then)
	var lines []string
	for _, c := range got {
		lines = append(lines, c.Setting+" "+c.From+" → "+c.To)
	}
	want := `root.batch.capacity 1w → 5w
root.batch.maximum-capacity 20 → 63
root.reports.capacity-memory 10 → 20
slowstart 0.05 → 0.5
root.reports.maximum-capacity not set → [memory=30,vcores=1]`
	if text := strings.Join(lines, "\n"); text != want {
		t.Errorf("changes\n%s\nwant\n%s", text, want)
	}
}

// Nobody is asked to send a request or to call tune apply where slowstart alone changes: the
// request is empty.
func TestReadmeOfSlowstartAlone(t *testing.T) {
	for _, file := range []string{study.FileMapred, study.FileConfig} {
		sum := &Summary{Changes: []Change{{Setting: "slowstart", File: file, From: "0.05", To: "0.8"}}}
		sum.Recommended = true
		text := readme(sum, nil)
		if sends := strings.Contains(text, "curl -X PUT") && strings.Contains(text,
			"tune apply"); sends != (file == study.FileConfig) {
			t.Errorf("a change of %s:\n%s", file, text)
		}
	}
}
