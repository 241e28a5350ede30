package diagnose

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// small is a case in memory: properties without their prefix, those of yarn-site.xml as
// they are, a number of nodes, and jobs.
type small struct {
	conf, site map[string]string
	nodes      string
	jobs       []string
}

func xmlOf(prefix string, props map[string]string) string {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for k, v := range props {
		fmt.Fprintf(&b, "<property><name>%s%s</name><value>%s</value></property>\n", prefix, k, v)
	}
	return b.String() + "</configuration>\n"
}

// job has n maps of a size and a length in seconds; the master is of 1 GiB.
func job(id, user, queue string, at, n int, mib int64, seconds, priority int) string {
	return fmt.Sprintf(`{"am.type":"mapreduce","job.id":%q,"job.user":%q,"job.queue.name":%q,"job.priority":%d,`+
		`"job.start.ms":%d,"job.end.ms":%d,"am.memory-mb":1024,"am.vcores":1,"job.tasks":[{"count":%d,`+
		`"container.start.ms":%d,"container.end.ms":%d,"container.priority":20,"container.type":"map",`+
		`"container.memory-mb":%d,"container.vcores":1}]}`, id, user, queue, priority, at*1000, (at+seconds+20)*1000, n,
		(at+6)*1000, (at+6+seconds)*1000, mib)
}

func (s small) ask(t *testing.T, id string, at simcore.Time) *Report {
	t.Helper()
	return s.askOf(t, Query{Job: id, At: at, Seed: 1, Runs: 1})
}

func (s small) askOf(t *testing.T, q Query) *Report {
	t.Helper()
	dir := t.TempDir()
	files := scenario.Files{Config: filepath.Join(dir, "cs.xml"), Site: filepath.Join(dir, "site.xml"),
		Cluster: filepath.Join(dir, "nodes.yaml"), Traces: []string{filepath.Join(dir, "jobs.json")}}
	for name, data := range map[string]string{files.Config: xmlOf("yarn.scheduler.capacity.", s.conf),
		files.Site: xmlOf("", s.site), files.Cluster: "nodes:\n" + s.nodes, files.Traces[0]: strings.Join(s.jobs, "\n")} {
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := simulate.Load(files, "", simulate.Options{Jitter: simulate.Replications()})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := AskSimulated(t.Context(), r, q)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

const (
	prefix   = "yarn.scheduler.capacity."
	policyOf = "yarn.resourcemanager.monitor.capacity.preemption."
	monitorN = "yarn.resourcemanager.scheduler.monitor.enable"
	minute   = simcore.Minute
)

// TestFreeOverTime: what frees space over time is found by simulation: who holds it is
// named, and the change that completes the application earlier, or at least starts it.
func TestFreeOverTime(t *testing.T) {
	two := map[string]string{"root.queues": "a,b", "root.a.capacity": "40", "root.b.capacity": "60",
		"root.b.user-limit-factor": "-1"}
	one := map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.user-limit-factor": "-1"}
	with := func(m map[string]string, kv ...string) map[string]string {
		out := map[string]string{}
		for k, v := range m {
			out[k] = v
		}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i]] = kv[i+1]
		}
		return out
	}
	on := map[string]string{monitorN: "true"}
	const nodes = "  - {count: 4, memory: 8192, vcores: 8}\n"
	big := func(user, queue string, priority int) string {
		return job("big", user, queue, 0, 62, 1024, 3000, priority)
	}
	little := func(user, queue string, priority int) string {
		return job("small", user, queue, 60, 6, 1024, 60, priority)
	}
	for _, c := range []struct {
		name string
		small
		holder string
		want   string // properties changed, or "" for none
		helps  bool
	}{
		{"monitor off", small{two, nil, nodes, []string{big("u", "b", 0), little("v", "a", 0)}}, "big", monitorN, true},
		{"preemption disabled in the holder's queue", small{with(two, "root.b.disable_preemption", "true"), on, nodes,
			[]string{big("u", "b", 0), little("v", "a", 0)}}, "big", prefix + "root.b.disable_preemption", true},
		{"first application takes all that becomes free", small{one, nil, nodes, []string{
			job("big", "u", "a", 0, 300, 1024, 100, 0), little("v", "a", 0)}}, "big", prefix + "root.a.ordering-policy", true},
		{"minimum allocation rounds up", small{with(one, "maximum-am-resource-percent", "1"),
			map[string]string{leastKey: "8192", "yarn.scheduler.maximum-allocation-mb": "24576"},
			"  - {count: 1, memory: 49152, vcores: 16}\n", []string{job("big", "u", "a", 0, 1, 22528, 3000, 0),
				job("small", "u", "a", 30, 1, 22528, 60, 0)}}, "big", leastKey, true},
		{"lower priority holds all", small{with(one, "root.queues", "a,b", "root.a.capacity", "97", "root.b.capacity", "3"),
			map[string]string{monitorN: "true", "yarn.cluster.max-application-priority": "9",
				policyOf + "intra-queue-preemption.enabled": "true"}, nodes, []string{job("big", "u", "a", 0, 31, 1024, 3000, 1),
				little("u", "a", 8)}}, "big",
			policyOf + "intra-queue-preemption.preemption-order-policy", true},
		{"full of one's own jobs", small{one, nil, nodes, []string{job("big", "u", "a", 0, 31, 1024, 3000, 0),
			little("u", "a", 0)}}, "big", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep := c.ask(t, "small", 3*minute)
			doc := rep.Document([]simcore.Job{{ID: "big"}, {ID: "small"}})
			if len(doc.HeldBy) != 1 || doc.HeldBy[0].Application != c.holder {
				t.Errorf("held by %+v, want %s", doc.HeldBy, c.holder)
			}
			var got []string
			for _, s := range rep.Answer.Changes {
				got = append(got, s.Key)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("changes %v, want %s", got, c.want)
			}
			if helps := len(rep.Options) > 0 && rep.Options[0].Helps; helps != c.helps {
				t.Errorf("helps: %v, options %+v, without a change %v", helps, rep.Options, rep.End)
			}
			if len(rep.Options) > 0 && c.helps && rep.Options[0].End > rep.End-minute {
				t.Errorf("completes at %v, without at %v", rep.Options[0].End, rep.End)
			}
		})
	}
}

// TestStalled: a run in which nothing can progress is answered for the state in which it
// stands.
func TestStalled(t *testing.T) {
	var crowd []string
	for i := range 11 {
		crowd = append(crowd, job(fmt.Sprint("other", i), "u", "a", 0, 1, 3072, 10, 0))
	}
	for _, c := range []struct {
		name string
		small
		cause, key, value string
	}{
		// 40 % of 4 GiB hold the master of 1 GiB, and no map of 1 GiB beside it.
		{"a master and no task beside it", small{map[string]string{"root.queues": "a,b", "root.a.capacity": "40",
			"root.a.maximum-capacity": "40", "root.b.capacity": "60", "root.a.maximum-am-resource-percent": "1"}, nil,
			"  - {count: 1, memory: 4096, vcores: 8}\n", []string{job("small", "u", "a", 0, 1, 1024, 10, 0)}},
			KindQueueMaximum, "root.a.maximum-capacity", "50"},
		{"masters on a label without capacity", small{map[string]string{"root.queues": "a,b", "root.a.capacity": "50",
			"root.b.capacity": "50", "root.accessible-node-labels.x.capacity": "100",
			"root.b.accessible-node-labels.x.capacity": "100", "root.b.accessible-node-labels": "x",
			"root.a.accessible-node-labels": "x", "root.a.maximum-am-resource-percent": "1"},
			map[string]string{"yarn.node-labels.enabled": "true",
				"yarn.node-labels.am.default-node-label-expression": "x"},
			"  - {count: 2, memory: 8192, vcores: 8}\n  - {count: 1, memory: 8192, vcores: 8, label: x}\n",
			[]string{job("small", "u", "a", 0, 1, 1024, 10, 0)}},
			KindNoCapacity, "root.a.accessible-node-labels.x.capacity", "10"},
		// Four masters of 1 GiB fill each node of 4 GiB, and a map of 3 GiB needs one with a single
		// master, which three masters leave.
		{"masters that fill the nodes", small{map[string]string{"root.queues": "a", "root.a.capacity": "100",
			"root.a.maximum-am-resource-percent": "1"}, nil, "  - {count: 2, memory: 4096, vcores: 8}\n", append(crowd,
			job("small", "u", "a", 0, 1, 3072, 10, 0))}, KindMastersQueue, "root.a.max-parallel-apps", "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep := c.ask(t, "small", 2*minute)
			if rep.Stalled == nil || rep.End != simcore.Never {
				t.Errorf("stalled %v, end %v", rep.Stalled, rep.End)
			}
			got := rep.Answer.Causes
			if got[0].Kind != c.cause || c.cause == KindNoCapacity && len(got) > 1 {
				t.Errorf("causes %+v, want %s", got, c.cause)
			}
			if held := len(rep.Document(nil).HeldBy); (held > 0) != (c.cause == KindMastersQueue) {
				t.Errorf("held by %d", held)
			}
			ch := rep.Answer.Changes
			if len(ch) == 0 || ch[0].Key != prefix+c.key || ch[0].Value != c.value || !rep.Options[0].Helps {
				t.Errorf("changes %+v, want %s %s; options %+v", ch, c.key, c.value, rep.Options)
			}
		})
	}
}

// TestRefusedThenHeld: what lets an application in goes on until it gets its containers.
func TestRefusedThenHeld(t *testing.T) {
	s := small{map[string]string{"root.queues": "a,b", "root.a.capacity": "0", "root.b.capacity": "100",
		"root.a.maximum-capacity": "0", "root.a.state": "STOPPED"}, nil, "  - {count: 2, memory: 8192, vcores: 8}\n",
		[]string{job("small", "u", "a", 0, 1, 1024, 10, 0)}}
	rep := s.ask(t, "small", minute)
	var got []string
	for _, c := range rep.Answer.Changes {
		got = append(got, strings.TrimPrefix(c.Key, prefix+"root.a."))
	}
	if strings.Join(got, " ") != "state maximum-applications maximum-capacity" || len(rep.Options) == 0 ||
		rep.Options[0].End == simcore.Never {
		t.Errorf("changes %v, options %+v", got, rep.Options)
	}
}

// TestReserved: used, reserved and free add up to what the nodes have.
func TestReserved(t *testing.T) {
	s := small{map[string]string{"root.queues": "a,b", "root.a.capacity": "50", "root.b.capacity": "50",
		"root.a.user-limit-factor": "2", "root.b.user-limit-factor": "2"},
		map[string]string{"yarn.scheduler.maximum-allocation-mb": "8192"}, "  - {count: 2, memory: 8192, vcores: 8}\n",
		[]string{job("small", "u", "a", 0, 8, 1024, 600, 0), job("wide", "v", "b", 60, 1, 5120, 60, 0)}}
	rep := s.ask(t, "wide", 3*minute)
	c := rep.Answer.Causes[0]
	if c.Kind != KindHolds || c.Node == "" || !strings.Contains(c.Reason, "small") {
		t.Fatalf("%+v", c)
	}
	for _, c := range rep.Answer.Causes {
		switch c.Kind {
		case KindNoRoom:
			t.Errorf("the nodes are not full: %s", c.Text())
		case KindFragmented:
			if c.Used.Memory+c.Free.Memory != c.Limit.Memory || c.Limit.Memory != 16384 || c.Kept.Memory == 0 {
				t.Errorf("used %d and free %d, kept %d, of %d", c.Used.Memory, c.Free.Memory, c.Kept.Memory, c.Limit.Memory)
			}
		}
	}
	if rep.Answer.Changes != nil {
		t.Errorf("changes %+v", rep.Answer.Changes)
	}
}
