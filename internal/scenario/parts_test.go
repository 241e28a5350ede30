package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Once a file of one's own is given, the embedded data do not replace the
// others unless asked to; every error names the flag and how to get what it
// wants.
func TestNoStandIns(t *testing.T) {
	config := queueFile(t, "root.queues=a,b", "root.a.capacity=40", "root.b.capacity=60")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cluster := write("nodes.csv", "node,mib,vcores\nn1,16384,16\n")
	trace := write("trace.swf", "1 5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n2 65 1 20 1 -1 -1 1 60 -1 1 8 1 4 2 -1 "+
		"-1 -1\n")
	for _, c := range []struct {
		files Files
		want  string
	}{
		{Files{Config: config}, "--trace: missing"},
		{Files{Config: config, Cluster: cluster}, "--trace: missing"},
		{Files{Cluster: cluster}, "--config: missing"},
		{Files{Traces: []string{trace}, Cluster: cluster}, "--config: missing"},
		{Files{Config: config, Traces: []string{trace}, QueueMap: "q:*:a"}, "--cluster: missing"},
		{Files{Config: config, Traces: []string{trace}, Cluster: cluster, QueueMap: "q:*:a"}, ""},
		{Files{Config: config, Embedded: true, Dataset: "default-1"}, ""},
		{Files{Cluster: cluster, Embedded: true, Dataset: "default-1"}, ""},
		{Files{}, ""},
	} {
		_, err := c.files.Load()
		switch hint, ok := err.(interface{ Hint() string }); {
		case c.want == "":
			if err != nil {
				t.Errorf("%+v: %v", c.files, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%+v: %v, want %s", c.files, err, c.want)
		case !ok || hint.Hint() == "":
			t.Errorf("%+v: no word on how to get it", c.files)
		}
	}
}

// A SWIM trace names neither users nor queues: with one leaf queue nothing can go
// wrong, with two somebody must say who is where.
func TestTraceWithoutUsersAndQueues(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "jobs.tsv")
	var b strings.Builder
	for i := range 40 {
		b.WriteString("job" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "\t" + []string{"0", "10", "20",
			"30"}[i/10] + "\t5\t67108864\t1048576\t1048576\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cluster := filepath.Join(dir, "nodes.csv")
	if err := os.WriteFile(cluster, []byte("node,mib,vcores\nn1,16384,16\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	two := queueFile(t, "root.queues=a,b", "root.a.capacity=40", "root.b.capacity=60")
	one := queueFile(t, "root.queues=a", "root.a.capacity=100")
	f := Files{Config: two, Cluster: cluster, Traces: []string{path}}
	if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), "names neither queues nor users") ||
		!strings.Contains(err.Error(), "--users") {
		t.Errorf("%v", err)
	}
	f.Users = 7
	c, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Work.Users) != 7 || len(c.Work.Queues) != 2 || !strings.Contains(strings.Join(c.Warnings, "\n"),
		"assigned to 7 users") {
		t.Errorf("%d users, queues %v, warnings %q", len(c.Work.Users), c.Work.Queues, c.Warnings)
	}
	f.Users, f.Config = 0, one
	if _, err := f.Load(); err != nil {
		t.Error(err)
	}
}
