package diagnose

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/scenario"
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
		{"container above the largest node", nil, 5000, "The request for containers is refused: a container of 5000 MiB"},
		{"stopped", []string{"root.a.state=STOPPED"}, 0, "root.a is STOPPED (root.a.state: RUNNING accepts applications again)"},
		{"stopped with root", []string{"root.state=STOPPED"}, 0, "root.a is STOPPED (root.state: RUNNING"},
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
