package yarnconf

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMutation(t *testing.T) {
	a := mustParse(t, "a", nested)
	b, err := a.Edit([]Change{
		{Key: Key("root.prod.ml", "ordering-policy.fair.enable-size-based-weight"), Value: "true"},
		{Key: Key("root.adhoc", UserFactor), Unset: true},
		{Key: LocalityDelay, Value: "10"},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMutation(a, b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.JSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "update-queue": [
    {
      "queue-name": "root.adhoc",
      "params": {
        "entry": [
          {
            "key": "user-limit-factor"
          }
        ]
      }
    },
    {
      "queue-name": "root.prod.ml",
      "params": {
        "entry": [
          {
            "key": "ordering-policy.fair.enable-size-based-weight",
            "value": "true"
          }
        ]
      }
    }
  ],
  "global-updates": [
    {
      "entry": [
        {
          "key": "yarn.scheduler.capacity.node-locality-delay",
          "value": "10"
        }
      ]
    }
  ]
}
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	// Through the wire and applied to the file, the request gives the file.
	var back Mutation
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	c, err := a.Edit(back.Changes())
	if err != nil || string(c.Bytes()) != string(b.Bytes()) {
		t.Errorf("applied to the file: %v\n%s", err, Diff("b", "c", b.Bytes(), c.Bytes()))
	}
	// The reverse undoes it, setting by setting.
	r, err := NewMutation(b, a)
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Edit(r.Changes())
	if err != nil || len(Changes(a, d)) != 0 {
		t.Errorf("reverse: %v, left %v", err, Changes(a, d))
	}
}

func TestMutationKeepsQueues(t *testing.T) {
	a := mustParse(t, "a", nested)
	b, err := a.Edit([]Change{{Key: Key("root", "queues"), Value: "prod,adhoc,new"},
		{Key: Key("root.new", Capacity), Value: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]*Document{{a, b}, {b, a}} {
		if _, err := NewMutation(p[0], p[1]); err == nil {
			t.Error("a changed queue tree was accepted")
		}
	}
}

const mr1File = `<configuration>
  <property><name>mapred.capacity-scheduler.maximum-system-jobs</name><value>3000</value></property>
  <property><name>mapred.capacity-scheduler.queue.long.capacity</name><value>33</value></property>
  <property><name>mapred.capacity-scheduler.queue.long.minimum-user-limit-percent</name><value>25</value></property>
  <property><name>mapred.capacity-scheduler.queue.short.capacity</name><value>67</value></property>
  <property><name>mapred.capacity-scheduler.queue.short.maximum-capacity</name><value>80</value></property>
</configuration>
`

// ceil(3000 · 0.33) = 990 jobs of queue long to initialise, a user's
// ceil(3000 · 0.33 · 0.25) = ceil(247.5) = 248; accepted ten times as many.
func TestMR1(t *testing.T) {
	d := mustParse(t, "f", mr1File)
	if !IsMR1(d) || IsMR1(mustParse(t, "g", nested)) {
		t.Error("dialect")
	}
	c, errs := evaluateMR1(d)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	q := c.Queues[0]
	all, perUser := c.JobsToInit(&q)
	if q.Name != "long" || all != 990 || perUser != 248 || q.InitAcceptJobsFactor != 10 ||
		q.MaxActiveTasks != 200000 || q.MaxCapacity != -1 {
		t.Errorf("%+v", q)
	}
}

func TestMR1Errors(t *testing.T) {
	bad := strings.NewReplacer(">33<", ">30<", ">80<", ">50<", ">25<", ">0<").Replace(mr1File)
	var lines []string
	for _, p := range mustParse(t, "f", bad).Validate() {
		lines = append(lines, p.Error())
	}
	want := []string{
		"f:4: mapred.capacity-scheduler.queue.long.minimum-user-limit-percent: \"0\": must be 1 or more",
		"f:5: mapred.capacity-scheduler.queue.short.capacity: \"67\": the capacities of all queues sum to 97: must be 100",
		"f:6: mapred.capacity-scheduler.queue.short.maximum-capacity: \"50\": below capacity 67: must be -1 (none), or " +
			"67 to 100",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
}

func TestFragment(t *testing.T) {
	f := Fragment("for mapred-site.xml -- slowstart\nper job",
		[]Change{{Key: "mapreduce.job.reduce.slowstart.completedmaps", Value: "0.8"}})
	d := mustParse(t, "m", string(f))
	if d.Value("mapreduce.job.reduce.slowstart.completedmaps") != "0.8" {
		t.Errorf("%s", f)
	}
}

func TestRefreshKind(t *testing.T) {
	for key, want := range map[string]RefreshKind{
		Key("root.a", Capacity): AtRefresh, LocalityDelay: AtRefresh, OffSwitchLimit: AtRefresh,
		Prefix + "resource-calculator": NeedsRestart, Prefix + "schedule-asynchronously.enable": NeedsRestart,
		"mapreduce.job.reduce.slowstart.completedmaps": PerJob, "yarn.scheduler.minimum-allocation-mb": NeedsRestart,
		"yarn.cluster.max-application-priority": OtherCommand, "x.y": Unknown,
	} {
		if got, _ := RefreshKindOf(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

// TestMutationOfUnloadable: where one of the two files does not load, the error is that
// of the file, with its name, and no request is made.
func TestMutationOfUnloadable(t *testing.T) {
	good := mustParse(t, "good.xml", nested)
	bad, err := mustParse(t, "bad.xml", nested).Edit([]Change{{Key: Key("root.adhoc", Capacity), Value: "39.5x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]*Document{{good, bad}, {bad, good}, {bad, bad}} {
		m, err := NewMutation(p[0], p[1])
		if err == nil || !strings.Contains(err.Error(), "bad.xml:9") || len(m.Changes()) != 0 {
			t.Errorf("%s to %s: %v, %v", p[0].Name(), p[1].Name(), m, err)
		}
	}
}
