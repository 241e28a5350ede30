package diagnose

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// TestLimitsRefused: what is refused comes first, with what is to be changed.
func TestLimitsRefused(t *testing.T) {
	for _, c := range []struct {
		name      string
		lines     []string
		container int64
		want      string
	}{
		{"container above the maximum", nil, 100000, "The request for containers is refused: a container of 100000 MiB"},
		{"container above the largest node", nil, 5000, "request for containers is refused: no node could hold the 5000 MiB"},
		{"stopped", []string{"root.a.state=STOPPED"}, 0, "root.a is STOPPED and refuses applications (root.a.state, line"},
		{"stopped with root", []string{"root.state=STOPPED"}, 0, "is STOPPED and refuses applications (root.state, line"},
		{"negative memory", []string{"root.a.capacity=[memory=-5,vcores=4]", "root.b.capacity=[memory=1024,vcores=4]"}, 0,
			"guaranteed 0 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := append([]string{"root.queues=a,b", "root.a.capacity=50", "root.b.capacity=50"}, c.lines...)
			a, err := AskLimits(LimitsQuestion{Doc: file(t, lines...), Cluster: nodes(2, 4096, 8), Queue: "a", User: "u",
				Container: yarnconf.Resource{Memory: c.container, VCores: min(c.container, 1)}})
			if err != nil {
				t.Fatal(err)
			}
			if text := printed(t, a); !strings.Contains(text, c.want) || !strings.Contains(text, "is refused") {
				t.Errorf("want %q in\n%s", c.want, text)
			}
		})
	}
}

// TestUnknownQueueAndLabel: a mistake in a flag is a usage error that names it.
func TestUnknownQueueAndLabel(t *testing.T) {
	for flag, q := range map[string]LimitsQuestion{"--queue": {Queue: "nope"}, "--label": {Queue: "a", Label: "nope"}} {
		q.Doc, q.Cluster, q.User = file(t, "root.queues=a", "root.a.capacity=100"), nodes(1, 4096, 8), "u"
		_, err := AskLimits(q)
		if usage := (*scenario.FlagError)(nil); !errors.As(err, &usage) || usage.Flag != flag {
			t.Errorf("%s: got %v, want an error of that flag", flag, err)
		}
	}
}

// TestAboveMaximumAllocation: Hadoop refuses the request, no run takes it, and the change that is
// named completes the job.
func TestAboveMaximumAllocation(t *testing.T) {
	large := simcore.Vec{simcore.Memory: 10000, simcore.VCores: 1}
	for name, c := range map[string]struct {
		ask   func(*simcore.Job)
		state string
	}{
		"master": {func(j *simcore.Job) { j.AMAsk = large }, "rejected at submission"},
		"map":    {func(j *simcore.Job) { j.MapAsk = large }, "RUNNING"},
		"reduce": {func(j *simcore.Job) { j.ReduceAsk = large }, "RUNNING"},
	} {
		t.Run(name, func(t *testing.T) {
			r := load(t)
			j := &r.Work.Jobs[3]
			c.ask(j)
			rep, err := AskSimulated(t.Context(), r, Query{Job: j.ID, At: j.Submit + simcore.Minute, Seed: 1, Runs: 2})
			if err != nil {
				t.Fatal(err)
			}
			d := rep.Document(r.Work.Jobs)
			want := []Step{step("yarn.scheduler.maximum-allocation-mb", "8192", "10000")}
			if d.State != c.state || d.Causes[0].Kind != KindTooLarge || d.Causes[0].Limit != 8192 ||
				!slices.Equal(d.Changes, want) || d.Completion != nil || !d.Options[0].Helps {
				t.Errorf("got %s, %+v, changes %+v, options %+v; want %s and %+v", d.State, d.Causes, d.Changes, d.Options,
					c.state, want)
			}
		})
	}
}

// loadWith prepares the embedded workload with changes of its jobs.
func loadWith(t *testing.T, change func([]simcore.Job)) *simulate.Runner {
	t.Helper()
	c, err := (&scenario.Files{}).LoadSet("default-1")
	if err != nil {
		t.Fatal(err)
	}
	change(c.Work.Jobs)
	r, err := simulate.New(c, simulate.Options{Jitter: simulate.Replications()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOtherAboveMaximumAllocation: a refused request of another job fails that job only; the answer notes it, and
// what a larger maximum costs the others is counted.
func TestOtherAboveMaximumAllocation(t *testing.T) {
	r := loadWith(t, func(jobs []simcore.Job) {
		jobs[2].MapAsk = simcore.Vec{simcore.Memory: 10000, simcore.VCores: 1}
		for i := range 5 {
			jobs[4+i].ReduceAsk = simcore.Vec{simcore.Memory: 1 << 20, simcore.VCores: 1}
		}
	})
	other, j := &r.Work.Jobs[2], &r.Work.Jobs[3]
	rep, err := AskSimulated(t.Context(), r, Query{Job: j.ID, At: j.Submit + 10*simcore.Second, Seed: 1, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := rep.Notes; len(n) != 1 || !strings.HasPrefix(n[0], "6 other applications cannot run, first "+other.ID+": ") ||
		rep.End == simcore.Never {
		t.Errorf("got notes %q, end %v; want one of %s and 5 more, and an end", n, rep.End.Std(), other.ID)
	}
	rep, err = AskSimulated(t.Context(), r, Query{Job: other.ID, At: other.Submit + simcore.Minute, Seed: 1, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := rep.Document(r.Work.Jobs)
	if o := d.Options[0]; !o.Helps || !o.Whole || o.Others <= 0 || len(rep.Notes) != 1 {
		t.Errorf("got %+v, notes %q; want a change from the beginning that others pay for", o, rep.Notes)
	}
	var b strings.Builder
	if err := d.Print(&b); err != nil || !strings.Contains(b.String(), "simulated from the beginning on") {
		t.Errorf("got error %v, want the beginning of the run in\n%s", err, b.String())
	}
}

// TestAboveLargestNode: no setting helps a request above the largest node; executors above the maximum allocation
// are refused at submission.
func TestAboveLargestNode(t *testing.T) {
	large := simcore.Vec{simcore.Memory: 1 << 20, simcore.VCores: 1}
	for name, c := range map[string]struct {
		ask   func(*simcore.Job)
		state string
	}{
		"map": {func(j *simcore.Job) { j.MapAsk = large }, "RUNNING"},
		"vertex": {func(j *simcore.Job) {
			*j = simcore.Job{ID: j.ID, Submit: j.Submit, Queue: j.Queue, User: j.User, Class: -1, FirstTask: -1, MapDist: -1,
				ReduceDist: -1, AMAsk: j.AMAsk, Tez: &simcore.TezApp{Settings: simcore.DefaultTezSettings(),
					DAGs: []simcore.TezDAG{{Vertices: 1}}, Vertices: []simcore.TezVertex{{Tasks: 1, Dist: -1, Size: large}}}}
		}, "RUNNING"},
		"executor": {func(j *simcore.Job) {
			*j = simcore.Job{ID: j.ID, Submit: j.Submit, Queue: j.Queue, User: j.User, Class: -1, FirstTask: -1, MapDist: -1,
				ReduceDist: -1, AMAsk: j.AMAsk, Spark: &simcore.SparkApp{Executors: []simcore.SparkExecutor{{Cores: 1,
					Container: large}}, Settings: simcore.DefaultSparkSettings()}}
		}, "rejected at submission"},
	} {
		t.Run(name, func(t *testing.T) {
			r := loadWith(t, func(jobs []simcore.Job) { c.ask(&jobs[3]) })
			j := &r.Work.Jobs[3]
			rep, err := AskSimulated(t.Context(), r, Query{Job: j.ID, At: j.Submit + simcore.Minute, Seed: 1, Runs: 1})
			if err != nil {
				t.Fatal(err)
			}
			d := rep.Document(r.Work.Jobs)
			if d.State != c.state || d.Causes[0].Kind != KindTooLarge || len(d.Changes) != 1 || d.Then == "" ||
				d.Node == nil || d.Node.Memory != 1<<20 || len(d.Options) > 0 {
				t.Errorf("got %+v; want %s, a maximum to raise and a node of 1 TiB", d, c.state)
			}
		})
	}
}
