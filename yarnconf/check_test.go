package yarnconf

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"schedtune/validation/testdata"
)

// Ten mistakes; one of them (PAUSED) keeps the file from loading.
const planted = `<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,adhoc,test</value></property>
  <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>20</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.user-limit-factor</name><value>1</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.priority</name><value>5</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>25</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name><value>20</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.minimum-user-limit-percent</name><value>0</value></property>
  <property><name>yarn.scheduler.capacity.root.test.capacity</name><value>15</value></property>
  <property><name>yarn.scheduler.capacity.root.test.max-capacity</name><value>30</value></property>
  <property><name>yarn.scheduler.capacity.root.test.user-limit-factor</name><value>10</value></property>
  <property><name>yarn.scheduler.capacity.root.test.state</name><value>PAUSED</value></property>
  <property><name>yarn.scheduler.capacity.root.old.capacity</name><value>10</value></property>
  <property><name>yarn.scheduler.capacity.root.test.acl_submit_applications</name><value>alice</value></property>
  <property><name>yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments</name><value>0</value></property>
</configuration>
`

func TestPlantedMistakes(t *testing.T) {
	r := Check(mustParse(t, "cs.xml", planted))
	var lines []string
	for _, p := range r.Problems {
		lines = append(lines, p.Error())
	}
	got := strings.Join(lines, "\n")
	for _, want := range []string{
		"cs.xml:4: warning: maximum-am-resource-percent: 20 is taken as a fraction: must be between 0 and 1 (20 % is " +
			"written 0.2)",
		// A lone user of prod gets 1 · 60 % although the queue may grow to 100 %;
		// prod's figures are known though the file does not load.
		"cs.xml:6: warning: root.prod.user-limit-factor: 1 keeps a single user at 60 % of an idle cluster, though the queue " +
			"may grow to 100 % (1.67 lets one user fill the queue up to its maximum, -1 lifts the limit)",
		"cs.xml:7: warning: root.prod.priority: 5 has no effect: the ordering policy of root is utilization",
		"cs.xml:9: root.adhoc.maximum-capacity: 20 is below capacity 25: must be between 25 and 100",
		"cs.xml:10: warning: root.adhoc.minimum-user-limit-percent: 0 allows a user no application, and every submission " +
			"is refused: must be above 0, at most 100",
		"cs.xml:12: warning: root.test.max-capacity: is no setting of the Capacity Scheduler and is ignored (write " +
			"root.test.maximum-capacity)",
		"cs.xml:14: root.test.state: \"PAUSED\": must be RUNNING or STOPPED",
		"cs.xml:15: warning: root.old.capacity: is ignored: root.queues does not list old (add it to root.queues or " +
			"remove its settings)",
		"cs.xml:16: warning: root.test.acl_submit_applications: keeps nobody out: root allows everybody",
		"cs.xml:17: warning: per-node-heartbeat.maximum-offswitch-assignments: 0 is taken as 1: must be 1 or more",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if len(r.Problems) != 10 {
		t.Errorf("%d problems", len(r.Problems))
	}
	if t.Failed() {
		t.Logf("found:\n%s", strings.Join(lines, "\n"))
	}
}

// Figures are told where they are known: a wrong share leaves those of its own
// level and below unknown, not those of other parents' children.
func TestRegretsBesideErrors(t *testing.T) {
	const nested = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.a.queues</name><value>x,y</value></property>
<property><name>yarn.scheduler.capacity.root.a.x.capacity</name><value>%s</value></property>
<property><name>yarn.scheduler.capacity.root.a.y.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.a.x.user-limit-factor</name><value>1</value></property>
<property><name>yarn.scheduler.capacity.root.a.y.user-limit-factor</name><value>-1</value></property>
<property><name>yarn.scheduler.capacity.root.b.user-limit-factor</name><value>%s</value></property>
</configuration>`
	for _, c := range []struct {
		x, factor string
		lines     []int // of user-limit-factor regrets
	}{
		{"50", "1", []int{8, 10}},
		{"70", "1", []int{10}}, // x and y sum to 120: nothing is known of them
		{"50", "no", []int{8}}, // b's factor is the error itself
		{"50", "-1", []int{8}}, // no limit, no regret
	} {
		var lines []int
		for _, p := range Check(mustParse(t, "f", fmt.Sprintf(nested, c.x, c.factor))).Problems {
			if p.Severity == Warning && strings.Contains(p.Reason, "keeps a single user") {
				lines = append(lines, p.Line)
			}
		}
		if !slices.Equal(lines, c.lines) {
			t.Errorf("x %s, factor %s: regrets on lines %v, want %v", c.x, c.factor, lines, c.lines)
		}
	}
}

// Hadoop's own samples are fine.
func TestCheckSamples(t *testing.T) {
	for name, warnings := range map[string]int{"capacity-scheduler.stock.xml": 0, "capacity-scheduler.sls-sample.xml": 2} {
		d, err := Load(testdata.Shared(t, "traces", "hadoop", name))
		if err != nil {
			t.Fatal(err)
		}
		r := Check(d)
		if r.Count(Error) != 0 || r.Count(Warning) != warnings {
			t.Errorf("%s: %v", name, r.Problems)
		}
	}
}

type oracleConf struct {
	Scenario string
	Conf     map[string]string
	Rejected string
}

// Every configuration that the real scheduler was given, written as a file: if
// it refused to load, so do we, with file, line and property; if it loaded, no
// error is left but our own rule.
func TestRecordedConfigurations(t *testing.T) {
	f, err := os.Open(testdata.Shared(t, "yarn-oracle", "conf.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<24)
	n, refused := 0, 0
	for in.Scan() {
		var o oracleConf
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		n++
		if o.Rejected != "" {
			refused++
		}
		checkRecorded(t, o)
	}
	if n == 0 || refused == 0 {
		t.Fatalf("%d configurations, %d refused", n, refused)
	}
	t.Logf("%d configurations, %d refused", n, refused)
}

func checkRecorded(t *testing.T, o oracleConf) {
	t.Helper()
	var changes []Change
	for k, v := range o.Conf {
		changes = append(changes, Change{Key: k, Value: v})
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Key < changes[j].Key })
	d, err := Parse("f.xml", Fragment("", changes))
	if err != nil {
		t.Fatal(err)
	}
	problems := d.Validate()
	if o.Rejected == "" {
		for _, p := range problems {
			if !strings.Contains(p.Reason, "is below capacity") {
				t.Errorf("%s: loaded by Hadoop, but %v", o.Scenario, p)
			}
		}
		return
	}
	if len(problems) == 0 {
		t.Errorf("%s: refused by Hadoop (%s), but no problem found", o.Scenario, o.Rejected)
	}
	for _, p := range problems {
		if p.Line < 1 || p.Key == "" || p.File != "f.xml" || p.Reason == "" || strings.Contains(p.Error(), "\n") {
			t.Errorf("%s: incomplete: %q", o.Scenario, p.Error())
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(planted))
	f.Add([]byte(nested))
	f.Add([]byte(mr1File))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("f", data)
		if err != nil {
			return
		}
		for _, p := range Check(d).Problems {
			if strings.Contains(p.Error(), "\n") {
				t.Errorf("error of several lines: %q", p.Error())
			}
		}
		for _, v := range []Version{Hadoop33, Hadoop34, Hadoop35} {
			if c, err := EvaluateAs(d, v, Resource{}); err == nil {
				c.Effective(Resource{Memory: 65536, VCores: 32})
			}
		}
	})
}

func TestRefreshProblems(t *testing.T) {
	old := mustParse(t, "old", nested)
	next, err := old.Edit([]Change{
		{Key: Key("root", "queues"), Value: "adhoc"}, {Key: Key("root.adhoc", Capacity), Value: "100"},
		{Key: Key("root.adhoc", MaximumCapacity), Unset: true},
		{Key: Key("root.adhoc", "queues"), Value: "x"}, {Key: Key("root.adhoc.x", Capacity), Value: "100"},
		{Key: Key("root.adhoc", "maximum-allocation-mb"), Value: "4096"}, {Key: Prefix + "resource-calculator",
			Value: calculators + "DominantResourceCalculator"},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := Check(next)
	r.AddRefresh(old, next)
	var got []string
	for _, p := range r.Problems {
		if p.Severity == Error {
			got = append(got, p.Error())
		}
	}
	// prod with its two children is gone, adhoc becomes a parent.
	if len(got) != 4 {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	small, err := old.Edit([]Change{{Key: Key("root.adhoc", "maximum-allocation-mb"), Value: "4096"}})
	if err != nil {
		t.Fatal(err)
	}
	s := Check(small)
	s.AddRefresh(old, small)
	if s.Count(Error) != 1 || !strings.Contains(s.Problems[0].Error()+s.Problems[len(s.Problems)-1].Error(),
		"shrinks from [memory=8192") {
		t.Errorf("%v", s.Problems)
	}
	if len(r.Restart) != 1 || r.Restart[0].Kind != NeedsRestart {
		t.Errorf("%+v", r.Restart)
	}
}

// Settings that need a restart come in the order of their lines, as problems do.
func TestRestartsByLine(t *testing.T) {
	changes := []Change{{Key: Prefix + "root.queues", Value: "a"}, {Key: Prefix + "root.a.capacity", Value: "100"},
		{Key: Prefix + "schedule-asynchronously.enable", Value: "true"}, {Key: Prefix + "resource-calculator",
			Value: "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator"}}
	r := Check(mustParse(t, "f", string(Fragment("", changes))))
	if len(r.Restart) != 2 || r.Restart[0].Line >= r.Restart[1].Line {
		t.Errorf("%+v", r.Restart)
	}
}
