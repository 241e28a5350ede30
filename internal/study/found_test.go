package study

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/tune"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// TestFoundFiles: queue files of others, those beside the recorded runs and those in
// the folder FOUND_FILES (then, and with SCHEDTUNE_LONG, by the rules of three versions), are refused, or
// simulated as they are and at a drawn point
// of their space, with no setting that is not modelled. FOUND_TABLE takes the list of
// them as CSV; FOUND_OUT the files as scenarios without steps, which validation/conformance/judge/run
// load hands to the original.
func TestFoundFiles(t *testing.T) {
	dirs := []string{testdata.Shared(t, "traces")}
	if dir := os.Getenv("FOUND_FILES"); dir != "" {
		dirs = append(dirs, dir)
	}
	versions := []yarnconf.Version{yarnconf.Hadoop34}
	if len(dirs) > 1 || os.Getenv("SCHEDTUNE_LONG") != "" {
		versions = []yarnconf.Version{yarnconf.Hadoop33, yarnconf.Hadoop34, yarnconf.Hadoop35}
	}
	table, judge := create(t, "FOUND_TABLE"), create(t, "FOUND_OUT")
	if table != nil {
		fmt.Fprintln(table, "file,3.3,3.4,3.5")
	}
	seen := map[[32]byte]bool{}
	for _, dir := range dirs {
		for _, path := range queueFiles(t, dir) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(b); seen[sum] {
				continue
			} else {
				seen[sum] = true
			}
			name, _ := filepath.Rel(dir, path)
			path = filepath.Join(t.TempDir(), "capacity-scheduler.xml") // apart from the settings of a recorded run
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			var row []string
			for _, v := range versions {
				verdict, bad := found(t, path, v)
				if bad {
					t.Errorf("%s, Hadoop %v: %s", name, v, verdict)
				}
				row = append(row, verdict)
			}
			t.Logf("%s: %s", name, strings.Join(row, "; "))
			if table != nil {
				fmt.Fprintf(table, "%s,%s\n", name, strings.Join(row, ","))
			}
			if d, err := yarnconf.Parse(name, b); err == nil && judge != nil {
				writeHeader(t, judge, name, d)
			}
		}
	}
	t.Logf("%d different files", len(seen))
}

// create opens the file that an environment variable names; nil without one.
func create(t *testing.T, variable string) *os.File {
	path := os.Getenv(variable)
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// queueFiles lists what is named like a queue file of the Capacity Scheduler.
func queueFiles(t *testing.T, dir string) (paths []string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), "capacity-scheduler") &&
			strings.HasSuffix(d.Name(), ".xml") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// found loads and simulates one file; bad is a failure of what had to work.
func found(t *testing.T, path string, v yarnconf.Version) (verdict string, bad bool) {
	doc, err := yarnconf.Load(path)
	if err != nil {
		return "no such XML", false
	}
	conf, err := yarnconf.EvaluateAs(doc, v, yarnconf.Resource{})
	switch {
	case yarnconf.IsMR1(doc):
		return "of Hadoop 1", false
	case err != nil:
		return "refused", false
	case v == yarnconf.Hadoop33 && (conf.MultiNode || conf.Placement.Len() > 0 && conf.Placement.Override):
		return "not simulated", false
	}
	in := scenario.Files{Config: path, Hadoop: v.String(), Embedded: true, Dataset: "default-1", QueueMap: intoLeaf(conf),
		Cluster: labelledCluster(t, conf)}
	c, err := in.Load()
	if err != nil {
		return "load: " + err.Error(), true
	}
	if len(c.Unmodelled) > 0 {
		what := strings.Join(c.Unmodelled, "; ")
		return "not modelled: " + what, what != "the lifetimes of applications" // docs/limitations.md
	}
	s, _, err := NewSpace(c, nil)
	if err != nil {
		return "space: " + err.Error(), true
	}
	r, err := NewRunner(c, s, scenario.Windows(c.Work, 1), []string{"makespan"})
	if err != nil {
		return "runner: " + err.Error(), true
	}
	for _, set := range []tune.Settings{s.PresentSettings(), s.Decode(points(s, 1)[0])} {
		if out := r.Outcome(context.Background(), tune.Item{Settings: set, Seed: 1}); out.Err != "" ||
			out.Metrics["makespan"] <= 0 {
			return "run: " + out.Err, true
		}
	}
	return "simulated", false
}

// intoLeaf sends all jobs to the leaf that gives the largest containers, of these the
// one with the largest share; a file whose leaves are all created dynamically places
// them itself.
func intoLeaf(conf *yarnconf.Config) string {
	eff := conf.Effective(yarnconf.Resource{Memory: 1 << 20, VCores: 1 << 10})
	best := -1
	for i := range conf.Queues {
		if q := &conf.Queues[i]; q.Leaf && q.State == yarnconf.Running && eff[i].MaxApplications > 0 &&
			(best < 0 || q.MaxAllocation.Memory > conf.Queues[best].MaxAllocation.Memory ||
				q.MaxAllocation == conf.Queues[best].MaxAllocation && eff[i].Absolute > eff[best].Absolute) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return "q:*:" + conf.Queues[best].Path
}

// labelledCluster is a cluster file with nodes of every label that a queue file has
// shares of; "" where it has none.
func labelledCluster(t *testing.T, conf *yarnconf.Config) string {
	labels := conf.Queues[0].Labels
	if len(labels) == 0 {
		return ""
	}
	var names, nodes strings.Builder
	for i, l := range labels {
		if i > 0 {
			names.WriteString(", ")
		}
		fmt.Fprintf(&names, "%s: {exclusive: false}", l.Name)
		fmt.Fprintf(&nodes, "  - {count: 4, memory: 65536, vcores: 16, name: %s%%d, label: %s}\n", strings.ToLower(l.Name),
			l.Name)
	}
	path := filepath.Join(t.TempDir(), "cluster.yaml")
	text := fmt.Sprintf("labels: {%s}\nnodes:\n%s  - {count: 8, memory: 65536, vcores: 16, name: plain%%d}\n", &names,
		&nodes)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
