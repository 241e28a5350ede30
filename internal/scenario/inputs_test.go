package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/simcore"
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

// Containers below and above the allocation bounds are reported only where those
// are Hadoop's defaults.
func TestSizesWithoutSite(t *testing.T) {
	c, err := (&Files{}).Load()
	if err != nil {
		t.Fatal(err)
	}
	c.Work.Jobs[0].MapAsk = simcore.Vec{256, 1}
	c.Work.Jobs[1].AMAsk = simcore.Vec{16384, 1}
	for site, want := range map[string]int{"": 2, "yarn-site.xml": 0} {
		c.Warnings = nil
		if err := c.warn(&Files{Traces: []string{"trace"}, Site: site}); err != nil {
			t.Fatal(err)
		}
		if len(c.Warnings) != want {
			t.Errorf("--site %q: %q", site, c.Warnings)
		}
		if text := strings.Join(c.Warnings, "\n"); want > 0 &&
			(!strings.Contains(text, "256 MiB, and without --site each gets 1024 MiB") ||
				!strings.Contains(text, "AMs of 16384 MiB, and without --site those above 8192 MiB are refused")) {
			t.Error(text)
		}
	}
}

// A file that loads before there are nodes, and that a refresh refuses once there are: the
// parent's vcores are fewer than its children's, and on 100 GiB with 20 vcores these are the
// larger shares: 1 of 20 vcores is more than 3 of 100 GiB, and 2 of 20 are more than that.
func TestFileThatNoRefreshTakes(t *testing.T) {
	path := queueFile(t, "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
		"root.queues=a,c", "root.a.queues=b,d",
		"root.a.capacity=[memory=3072,vcores=1]", "root.c.capacity=[memory=50000,vcores=10]",
		"root.a.b.capacity=[memory=1024,vcores=1]", "root.a.d.capacity=[memory=1024,vcores=1]")
	doc, err := yarnconf.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for nodes, want := range map[int]int{1: 1, 0: 0} {
		c := &Case{Doc: doc, Cluster: &simcore.Cluster{Nodes: []simcore.Node{{Capacity: simcore.Vec{102400, 20}}}[:nodes]},
			Work: &simcore.Workload{}}
		if err := c.warn(&Files{}); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(c.Warnings, "\n"); strings.Count(text, "a refresh of the queues on this cluster would "+
			"reject the file that is in force") != want {
			t.Errorf("%d nodes: %q", nodes, text)
		}
	}
}

// Executors that the cluster's limits would refuse are an error that names the
// properties, and --site where the limits are Hadoop's defaults.
func TestExecutorsAboveTheLimit(t *testing.T) {
	c, err := (&Files{}).Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		size       simcore.Vec
		site, want string
	}{
		{simcore.Vec{8192, 4}, "", ""},
		{simcore.Vec{8193, 1}, "", "--site yarn-site.xml gives the cluster's own"},
		{simcore.Vec{1024, 5}, "yarn-site.xml", "executors of 1024 MiB and 5 vcores: must be at most 8192 MiB and 4 vcores"},
	} {
		c.Work.Jobs[0].Spark = &simcore.SparkApp{Executors: []simcore.SparkExecutor{{Container: x.size}}}
		text := ""
		if err := c.warn(&Files{Traces: []string{"trace"}, Site: x.site}); err != nil {
			text = err.Error()
		}
		if (text == "") != (x.want == "") || !strings.Contains(text, x.want) {
			t.Errorf("%v, --site %q: %q", x.size, x.site, text)
		}
	}
}

// A queue that refuses every submission is named where jobs run in it.
func TestClosedQueues(t *testing.T) {
	ab := []string{"root.queues=a,b", "root.a.capacity=40", "root.b.capacity=60"}
	for _, x := range []struct{ line, want string }{
		{"root.a.state=STOPPED", "root.a is STOPPED and refuses every submission (41 jobs"},
		{"root.a.maximum-applications=0", "root.a admits 0 applications and refuses"},
		{"root.a.priority=1", ""},
	} {
		c, err := (&Files{Config: queueFile(t, append(ab, x.line)...), Embedded: true, Dataset: "default-1"}).Load()
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(c.Warnings, "\n"); !strings.Contains(text, x.want) || x.want == "" && text != "" ||
			strings.Contains(text, "warning") {
			t.Errorf("%s: %q", x.line, text)
		}
	}
}

// A queue file of Hadoop 1 is called that, with the command that goes on.
func TestHadoop1File(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cs.xml")
	text := "<configuration><property><name>mapred.capacity-scheduler.queue.default.capacity</name><value>100</value></property></configuration>"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := (&Files{Config: path}).Load()
	hint, ok := err.(interface{ Hint() string })
	if !ok || !strings.Contains(err.Error(), "Hadoop 1") || !strings.Contains(hint.Hint(), "tune check") {
		t.Errorf("%v", err)
	}
}

// All queues that the file lacks are named in one go.
func TestUnknownQueues(t *testing.T) {
	c, err := (&Files{}).Load()
	if err != nil {
		t.Fatal(err)
	}
	c.Work.Queues = []string{"x", "y", "root.prod", "x2"}
	place, err := newPlacement([]string{"root.prod", "root.batch"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.assignQueues(place, "t.json", false)
	unknown, ok := err.(*UnknownQueueError)
	if !ok || len(unknown.Queues) != 3 || !strings.Contains(unknown.Hint(), "q:*:root.batch") {
		t.Errorf("%v", err)
	}
}
