package diagnose

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// changesIn renders steps as short names and values.
func changesIn(steps []Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.Key[strings.LastIndexByte(s.Key, '.')+1:]+"="+s.Value)
	}
	return strings.Join(out, " ")
}

// TestChangesThatComplete: a change is sought with which the application completes, and not only its
// next container comes.
func TestChangesThatComplete(t *testing.T) {
	third := map[string]string{"root.queues": "a,b,c", "root.a.capacity": "30", "root.b.capacity": "30",
		"root.c.capacity":          "40",
		"root.a.user-limit-factor": "4", "root.b.user-limit-factor": "4", "maximum-am-resource-percent": "0.5"}
	const ten, two = "  - {count: 10, memory: 10240, vcores: 10}\n", "  - {count: 2, memory: 16384, vcores: 16}\n"
	for _, c := range []struct {
		name string
		small
		app, want string
	}{
		// 3 % of 32 GiB (983 MiB) hold no master, 7 % one of 2 GiB alone, 10 % a task beside it. The user, who has 2048 MiB
		// then, gets more at a limit of as much, rounded up to 512: from 1.57 · 983 on.
		{"a task beside the master",
			small{map[string]string{"root.queues": "a,b", "root.a.capacity": "97", "root.b.capacity": "3",
				"root.b.maximum-capacity": "3", "maximum-am-resource-percent": "1.0"}, map[string]string{
				"yarn.scheduler.minimum-allocation-mb": "512"}, two,
				[]string{strings.Replace(job("small", "v", "b", 0, 4, 1024, 60, 0),
					`"am.memory-mb":1024`, `"am.memory-mb":2048`, 1)}}, "small", "maximum-capacity=10 user-limit-factor=1.57"},
		// The guarantee is 90 % of the nodes: 100/90 of it fill them.
		{"the user limit that fills the queue", small{map[string]string{"root.queues": "a,b", "root.a.capacity": "90",
			"root.b.capacity": "10"}, nil, ten, []string{job("big", "u", "a", 0, 95, 1024, 1800, 0),
			job("small", "u", "a", 30, 8, 1024, 60, 0)}}, "small", "user-limit-factor=1.12"},
		// Both queues have their guarantee: only balancing preempts, and not with the wait that is its default.
		{"queues that have their guarantee", small{third, map[string]string{monitorN: "true"}, ten, []string{
			job("big", "u", "b", 0, 67, 1024, 3000, 0), job("mine", "v", "a", 5, 32, 1024, 3000, 0),
			job("small", "w", "a", 40, 10, 1024, 60, 0)}}, "small", "enabled=true max-wait-before-kill=15000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep := c.ask(t, c.app, minute)
			if !slices.ContainsFunc(rep.Options, func(o Option) bool {
				return changesIn(o.Steps) == c.want && o.Helps && o.End < simcore.Never
			}) {
				t.Errorf("got options %+v, want %s", rep.Options, c.want)
			}
		})
	}
}

// TestCoresOfHolders: where cores are what is short, what others hold of them is told.
func TestCoresOfHolders(t *testing.T) {
	s := small{map[string]string{"root.queues": "a", "root.a.capacity": "100", "maximum-am-resource-percent": "0.5",
		"resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"}, nil,
		"  - {count: 2, memory: 65536, vcores: 4}\n", []string{job("big", "u", "a", 0, 12, 1024, 900, 0),
			job("small", "u", "a", 30, 2, 1024, 60, 0)}}
	doc := s.ask(t, "small", minute).Document([]simcore.Job{{ID: "big"}, {ID: "small"}})
	var text strings.Builder
	if err := doc.Print(&text); err != nil {
		t.Fatal(err)
	}
	if len(doc.HeldBy) != 1 || doc.HeldBy[0].Cores != 8 ||
		!strings.Contains(text.String(), "8192 MiB and 8 vcores in 8 containers") {
		t.Errorf("got %+v in\n%s", doc.HeldBy, text.String())
	}
}

// TestIdleExecutors: a notebook keeps its executors for an hour, while a person thinks for ten minutes
// between two queries, and fills the node; with Spark's own minute the other notebook gets them.
func TestIdleExecutors(t *testing.T) {
	dir := filepath.Join("..", "..", "datasets", "spark")
	c, err := (&scenario.Files{Config: filepath.Join(dir, "capacity-scheduler.xml"),
		Site:    filepath.Join(dir, "yarn-site.xml"),
		Cluster: filepath.Join(dir, "nodes.yaml"), Traces: []string{filepath.Join(dir, "eventlogs")}}).Load()
	if err != nil {
		t.Fatal(err)
	}
	c.Cluster.Nodes = c.Cluster.Nodes[:1]
	c.Work.Jobs = []simcore.Job{c.Work.Jobs[1], c.Work.Jobs[4]}
	for i := range c.Work.Jobs {
		s := &c.Work.Jobs[i].Spark.Settings
		s.Idle, s.Max, s.CachedIdle = simcore.Hour, 100, minute
	}
	for k := range c.Work.Jobs[0].Spark.Jobs {
		c.Work.Jobs[0].Spark.Jobs[k].Delay = 10 * minute
	}
	c.Work.Jobs[1].Submit = 12 * minute
	r, err := simulate.New(c, simulate.Options{Jitter: simulate.Replications()})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := AskSimulated(t.Context(), r, Query{Job: c.Work.Jobs[1].ID, At: 13 * minute, Seed: 1, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Options) == 0 || changesIn(rep.Options[0].Steps) != "executorIdleTimeout=60s" || !rep.Options[0].Helps {
		t.Fatalf("got options %+v of %s", rep.Options, rep.Answer.Causes[0].Text())
	}
	if s := rep.Options[0].Steps[0]; s.Present != "3600s" || !strings.HasPrefix(s.Restart, "next job: ") {
		t.Errorf("got %+v", s)
	}
}
