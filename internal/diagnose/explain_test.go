package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

func file(t *testing.T, lines ...string) *yarnconf.Document {
	t.Helper()
	var changes []yarnconf.Change
	for _, l := range lines {
		k, v, _ := strings.Cut(l, "=")
		changes = append(changes, yarnconf.Change{Key: yarnconf.Prefix + k, Value: v})
	}
	d, err := yarnconf.Parse("cs.xml", yarnconf.Fragment("", changes))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// printed returns what Print writes.
func printed(t *testing.T, a *LimitsAnswer) string {
	t.Helper()
	var b strings.Builder
	if err := a.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func nodes(n int, memory, vcores int64) *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"/r"}}
	for i := 0; i < n; i++ {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Capacity: simcore.Vec{memory, vcores}})
	}
	return c
}

func explainFind(t *testing.T, ls []Limit, what string) Limit {
	t.Helper()
	for _, l := range ls {
		if l.What == what {
			return l
		}
	}
	t.Fatalf("no limit %q in %+v", what, ls)
	return Limit{}
}

// The set-up of Hadoop's TestApplicationLimits: queue a has 10 %, users half
// of it, factor 5, a tenth for masters, on 10 nodes of 16 GiB. The queue's
// masters may use 16 GiB (the queue may grow over the whole cluster:
// 160 · 0.1), a lone user's 8 (16 · 0.1 · 1 · 5). A lone user holds
// 16 · 5 = 80 GiB, half the cluster.
func TestApplicationLimits(t *testing.T) {
	d := file(t, "root.queues=a,b", "root.a.capacity=10", "root.b.capacity=90",
		"root.a.minimum-user-limit-percent=50", "root.a.user-limit-factor=5", "maximum-am-resource-percent=0.1")
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(10, 16<<10, 16), Queue: "a", User: "u",
		AM: yarnconf.Resource{Memory: 4096, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if l := explainFind(t, a.Running, "AMs of the queue"); l.Resource.Memory != 16<<10 || l.Count != 4 {
		t.Errorf("queue: %+v", l)
	}
	if l := a.Running[0]; l.What != "AMs of the user" || l.Resource.Memory != 8<<10 || l.Count != 2 {
		t.Errorf("user: %+v", l)
	}
	// 80 GiB hold 80 containers of 1 GiB, and the strict test lets one more pass.
	if l := a.Growth[0]; l.What != "user limit" || l.Resource.Memory != 80<<10 || l.Count != 81 || l.Share != 0.5 ||
		l.Line == 0 {
		t.Errorf("growth: %+v", l)
	}
	// With two users each may have half of what the queue may grow to: 80 GiB.
	if s := a.Sharing[1]; s.Users != 2 || s.Limit.Memory != 80<<10 {
		t.Errorf("sharing: %+v", a.Sharing)
	}
	// maximum-applications 10000 · 0.1 = 1000 for the queue; a user's
	// 1000 · 0.5 · 5 is more than that, hence 1000 too.
	if l := a.Admission[0]; l.Count != 1000 {
		t.Errorf("admission: %+v", a.Admission)
	}
	// Factor 10 lets the user fill the queue's 160 GiB: then the cluster binds
	// with 160 containers.
	found := false
	for _, ad := range a.Advice {
		if ad.For == "grow" && ad.Changes[0].Value == "10" && ad.After.Count == 160 && ad.After.What == "the cluster" {
			found = true
		}
	}
	if !found {
		t.Errorf("advice: %+v", a.Advice)
	}
	if !strings.Contains(printed(t, a), "2 applications run at a time: AMs of the user") {
		t.Errorf("%s", printed(t, a))
	}
}

func TestFindings(t *testing.T) {
	d := file(t, "root.queues=a", "root.a.capacity=100", "root.a.state=STOPPED", "node-locality-delay=40")
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(2, 2048, 2), Queue: "root.a", User: "u",
		Container: yarnconf.Resource{Memory: 4096, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(a.Findings, "\n")
	if !strings.Contains(a.Refusal, "STOPPED") {
		t.Errorf("refusal %q", a.Refusal)
	}
	for _, want := range []string{"no node can hold a container of 4096 MiB",
		"40 is more than the 2 nodes"} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in %s", want, text)
		}
	}
	d = file(t, "root.queues=a", "root.a.capacity=100", "node-locality-delay=40")
	if a, err = AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(1, 65536, 1), Queue: "root.a", User: "u",
		AM: yarnconf.Resource{Memory: 20480, VCores: 1}}); err != nil {
		t.Fatal(err)
	}
	text = printed(t, a)
	for _, want := range []string{"on 1 node with 65536 MiB and 1 vcore\n", "40 is more than the 1 node ",
		"The submission is refused: its application master: a container of 20480 MiB is above the maximum allocation of " +
			"8192 MiB"} {
		if !strings.Contains(text, want) && !strings.Contains(oneLine(text), want) {
			t.Errorf("missing %q in %s", want, text)
		}
	}
}

// oneLine is a page without line breaks.
func oneLine(page string) string { return strings.Join(strings.Fields(page), " ") }

// A master that is larger than every node is refused, as the ResourceManager does: no change of
// a limit is advised.
func TestMasterLargerThanNodes(t *testing.T) {
	d := file(t, "root.queues=a", "root.a.capacity=100", "root.a.maximum-am-resource-percent=0.5")
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(8, 1024, 8), Queue: "root.a", User: "u",
		AM: yarnconf.Resource{Memory: 2048, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	text := printed(t, a)
	if !strings.Contains(oneLine(text), "no node could hold the 2048 MiB it requests: the largest has 1024 MiB") ||
		strings.Contains(text, "at a time:") {
		t.Error(text)
	}
	for _, ad := range a.Advice {
		if ad.For == "start" {
			t.Errorf("advised: %+v", ad)
		}
	}
}

func TestUnknownQueue(t *testing.T) {
	d := file(t, "root.queues=a", "root.a.queues=b", "root.a.capacity=100", "root.a.b.capacity=100")
	for _, q := range []string{"x", "root.a", "root"} {
		if _, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(1, 4096, 4), Queue: q}); err == nil ||
			!strings.Contains(err.Error(), "root.a.b") {
			t.Errorf("queue %q: got error %v, want one that names root.a.b", q, err)
		}
	}
}

// Two jobs of u overlap from 5 to 10, one of v from 8 to 9 meets both; jobs in
// another queue do not count.
func TestFromTrace(t *testing.T) {
	job := func(user, queue string, from, to int64) trace.Job {
		j := trace.NewJob(user)
		j.User, j.Queue, j.Submit, j.Finish = user, queue, trace.Millis(from), trace.Millis(to)
		j.MapSize, j.AMSize = trace.Size{MiB: 2048, VCores: 1}, trace.Size{MiB: 512, VCores: 1}
		return j
	}
	tr := &trace.Trace{Jobs: []trace.Job{job("u", "a", 0, 10), job("u", "root.a", 5, 12), job("v", "a", 8, 9),
		job("v", "b", 0, 99), job("u", "a", 12, 13)}}
	l, size, am := FromTrace(tr, "root.a", "u")
	if l.Jobs != 4 || l.UserJobs != 3 || l.Peak != 3 || l.UserPeak != 2 || l.Users != 2 || l.PeakUsers != 2 {
		t.Errorf("%+v", l)
	}
	if size.Memory != 2048 || am.Memory != 512 {
		t.Errorf("%v %v", size, am)
	}
}

// User limit and queue maximum bind at the same height: 40 % of 100 GiB and a
// factor of 1.5 are 60, as is the maximum. Only both changes together help.
func TestAdviceTogether(t *testing.T) {
	adviceTogether(t, "root.a.capacity=40", "root.b.capacity=60", "root.a.maximum-capacity=60",
		"root.a.user-limit-factor=1.5")
	// By cores: the user limit, rounded up, has some MiB more than the maximum.
	adviceTogether(t, "root.a.capacity=45", "root.b.capacity=55", "root.a.maximum-capacity=45",
		"resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")
}

func adviceTogether(t *testing.T, lines ...string) {
	t.Helper()
	d := file(t, append(lines, "root.queues=a,b")...)
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(10, 10<<10, 10), Queue: "a", User: "u"})
	if err != nil {
		t.Fatal(err)
	}
	var ad *Advice
	for i := range a.Advice {
		if a.Advice[i].For == "grow" {
			ad = &a.Advice[i]
		}
	}
	if ad == nil || len(ad.Changes) != 2 || ad.After.Count <= ad.Before.Count {
		t.Fatalf("%+v", a.Advice)
	}
	for _, c := range ad.Changes {
		if c.Key != yarnconf.Key("root.a", yarnconf.UserFactor) && c.Key != yarnconf.Key("root.a", yarnconf.MaximumCapacity) {
			t.Errorf("%+v", c)
		}
	}
}

// What refuses every submission comes before what makes applications wait.
func TestNotEvenAccepted(t *testing.T) {
	for _, line := range []string{"root.a.state=STOPPED", "root.a.maximum-applications=0"} {
		d := file(t, "root.queues=a", "root.a.capacity=100", line)
		a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(2, 8192, 8), Queue: "a", User: "u"})
		if err != nil {
			t.Fatal(err)
		}
		if text := printed(t, a); !strings.Contains(text, "The submission is refused") ||
			strings.Contains(text, "at a time:") {
			t.Errorf("%s:\n%s", line, text)
		}
	}
}

// Advice for a queue without a value of its own starts from the global one.
func TestAdviceFromGlobalValue(t *testing.T) {
	d := file(t, "root.queues=a", "root.a.capacity=100", "maximum-am-resource-percent=0.3")
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(2, 8192, 8), Queue: "a", User: "u"})
	if err != nil {
		t.Fatal(err)
	}
	if text := printed(t, a); !strings.Contains(text, "root.a.maximum-am-resource-percent from 0.3 to") {
		t.Error(text)
	}
}

// The columns stand below one another however deep the queue.
func TestColumns(t *testing.T) {
	d := file(t, "root.queues=departments", "root.departments.queues=engineering",
		"root.departments.engineering.queues=nightly",
		"root.departments.capacity=100", "root.departments.engineering.capacity=100",
		"root.departments.engineering.nightly.capacity=100")
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(2, 8192, 8), Queue: "nightly", User: "u"})
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"limits on growth", "limits on running"} {
		_, rest, _ := strings.Cut(printed(t, a), title)
		table, _, _ := strings.Cut(rest, "\n\n")
		lines := strings.Split(table, "\n")[1:]
		from := strings.Index(lines[0], "from")
		for _, l := range lines[1:] {
			if len(l) <= from || l[from-2:from] != "  " || l[from] == ' ' {
				t.Errorf("column of %q in\n%s", l, table)
			}
		}
	}
}

func TestHadoop1(t *testing.T) {
	d, err := yarnconf.Parse("cs.xml",
		[]byte("<configuration><property><name>mapred.capacity-scheduler.queue.a.capacity</name><value>100</value></property></configuration>"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(1, 4096, 4), Queue: "a"}); err == nil ||
		!strings.Contains(err.Error(), "Hadoop 1") {
		t.Error(err)
	}
}

// Under fair ordering nobody is served first for having come first, and a
// user's weight is named with the limits that it scales.
func TestOrderAndWeight(t *testing.T) {
	d := file(t, "root.queues=a", "root.a.capacity=100", "root.a.minimum-user-limit-percent=100",
		"root.a.ordering-policy=fair", "root.a.user-settings.u.weight=0.5")
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(4, 8192, 8), Queue: "a", User: "u",
		Load: &Load{PeakUsers: 3}})
	if err != nil {
		t.Fatal(err)
	}
	text := printed(t, a)
	for _, want := range []string{"user weight 0.5", "holds least is served first"} {
		if !strings.Contains(oneLine(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "earlier application") {
		t.Error(text)
	}
}

// root.a from 40 to 20 % of 40 GiB: the guarantee halves, and with it a lone
// user's limit (factor 1) and the applications accepted (maximum-applications
// 10,000 by capacity). What one leaf loses the other gains; root stays.
func TestCompareTerms(t *testing.T) {
	before := file(t, "root.queues=a,b", "root.a.capacity=40", "root.b.capacity=60")
	after := file(t, "root.queues=a,b", "root.a.capacity=20", "root.b.capacity=80")
	ts, err := CompareTerms(before, after, nodes(5, 8192, 8), yarnconf.Resource{Memory: 1024, VCores: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(ts) != 3 || !ts[0].Same() || ts[0].Leaf || ts[0].Before.Guaranteed != 40960 {
		t.Fatalf("%+v", ts)
	}
	a := ts[1]
	if a.Before.Guaranteed != 16384 || a.After.Guaranteed != 8192 || a.Before.LoneUser != 16384 ||
		a.After.LoneUser != 8192 ||
		a.Before.Accepted != 4000 || a.After.Accepted != 2000 || a.Before.Maximum != a.After.Maximum {
		t.Errorf("%+v", a)
	}
	// Masters: a tenth of what the queue may grow to, and of the user's limit:
	// 16384 x 0.1 rounded up to 2 GiB, then to 1.
	if a.Before.Running != 2 || a.After.Running != 1 {
		t.Errorf("%+v", a)
	}
	if b := ts[2]; b.After.Guaranteed <= b.Before.Guaranteed || b.After.Maximum != b.Before.Maximum ||
		b.After.LoneUser < b.Before.LoneUser || b.After.Running < b.Before.Running || b.After.Accepted < b.Before.Accepted {
		t.Errorf("root.b: %+v", b)
	}
}

// Limits per heartbeat are told only where nodes are scheduled at their heartbeats.
func TestRateWithoutHeartbeats(t *testing.T) {
	for value, told := range map[string]bool{"false": true, "true": false} {
		t.Run(value, func(t *testing.T) {
			a, err := AskLimits(LimitsQuestion{Doc: file(t, "root.queues=a", "root.a.capacity=100",
				"schedule-asynchronously.enable="+value), Cluster: nodes(2, 8<<10, 8), User: "u", Queue: "root.a"})
			if err != nil {
				t.Fatal(err)
			}
			if text := printed(t, a); strings.Contains(text, "per node and heartbeat") != told ||
				strings.Contains(text, "limits per heartbeat do not apply") == told {
				t.Errorf("asynchronous %s:\n%s", value, text)
			}
		})
	}
}
