package diagnose

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/rm"
	"schedtune/internal/testdata"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

const (
	schedulerText = `{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root","queuePath":"root","queues":{"queue":[
 {"type":"capacitySchedulerLeafQueueInfo","queueName":"a","queuePath":"root.a","state":"RUNNING","numActiveApplications":2,"numPendingApplications":1,"maxParallelApps":2147483647,
  "resourcesUsed":{"memory":4096,"vCores":4},"usedAMResource":{"memory":1024,"vCores":2},"AMResourceLimit":{"memory":1024,"vCores":1},"userAMResourceLimit":{"memory":1024,"vCores":1},
  "users":{"user":[{"username":"u","resourcesUsed":{"memory":4096,"vCores":4},"AMResourceUsed":{"memory":1024,"vCores":2},"userResourceLimit":{"memory":%d,"vCores":1},"numActiveApplications":2}]},
  "capacities":{"queueCapacitiesByPartition":[{"partitionName":"","maxAMLimitPercentage":10,"effectiveMinResource":{"memory":8192,"vCores":8},"effectiveMaxResource":{"memory":%d,"vCores":8}}]}}]},
 "capacities":{"queueCapacitiesByPartition":[{"partitionName":"","effectiveMinResource":{"memory":16384,"vCores":16},"effectiveMaxResource":{"memory":16384,"vCores":16}}]}}}}`
	nodesText = `{"nodes":{"node":[{"id":"h1:1","rack":"/r","state":"RUNNING","usedMemoryMB":%d,"availMemoryMB":%d},{"id":"h2:1","rack":"/r","state":"LOST","usedMemoryMB":0,"availMemoryMB":8192}]}}`
	waiting   = `{"app":{"id":"application_1_0003","user":"u","queue":"a","state":"ACCEPTED","diagnostics":"[date] Application is added to the scheduler and is not yet activated. Queue's AM resource limit exceeded.  Details : AM Partition = <DEFAULT_PARTITION>; AM Resource Request = <memory:512, vCores:1>; Queue Resource Limit for AM = <memory:1024, vCores:1>"}}`
	running   = `{"app":{"id":"application_1_0001","user":"u","queue":"root.a","state":"RUNNING","allocatedMB":4096,"allocatedVCores":4,"resourceRequests":[{"priority":20,"resourceName":"*","capability":{"memory":2048,"vCores":1},"numContainers":3,"relaxLocality":true}]}}`
)

func asked(t *testing.T, scheduler, apps, nodes, id string) []Cause {
	t.Helper()
	s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{[]byte(scheduler), []byte(apps), []byte(nodes)})
	if err != nil {
		t.Fatal(err)
	}
	st, _, err := s.Standing(id)
	if err != nil {
		t.Fatal(err)
	}
	return Causes(st, func(yarn.AppID) string { return "" })
}

// The figures are those of the answers; what holds the application follows from
// them.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		name, apps, id string
		user, most     int
		used, free     int
		want           string
		limit, has     int64
	}{
		{"masters", waiting, "application_1_0003", 8192, 8192, 4096, 12288, KindMastersQueue, 1024, 1024},
		{"user", running, "application_1_0001", 2048, 8192, 4096, 12288, KindUserLimit, 2048, 4096},
		{"queue", running, "application_1_0001", 8192, 5120, 4096, 12288, KindQueueMaximum, 5120, 4096},
		{"space", running, "application_1_0001", 8192, 8192, 15360, 1024, KindNoRoom, 16384, 15360},
	} {
		cs := asked(t, fmt.Sprintf(schedulerText, c.user, c.most), c.apps, fmt.Sprintf(nodesText, c.used, c.free), c.id)
		if f := cs[0]; f.Kind != c.want || !f.Binding || f.Limit.Memory != c.limit || f.Used.Memory != c.has {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestAnswersErrors(t *testing.T) {
	good := [3]string{fmt.Sprintf(schedulerText, 1, 1), waiting, fmt.Sprintf(nodesText, 1, 1)}
	for _, c := range []struct {
		at         int
		text, want string
	}{
		{0, `{"scheduler":{"schedulerInfo":{"type":"fairScheduler"}}}`, "capacityScheduler"},
		{0, `<html>`, "scheduler:"}, {2, `{"nodes":null}`, "no nodes"}, {1, `[]`, "apps:"},
	} {
		data := [3][]byte{[]byte(good[0]), []byte(good[1]), []byte(good[2])}
		data[c.at] = []byte(c.text)
		if _, err := parse([3]string{"scheduler", "apps", "nodes"}, data); err == nil || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{[]byte(good[0]), []byte(good[1]), []byte(good[2])})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Standing("application_9_9"); err == nil || !strings.Contains(err.Error(), "not in apps") {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "tune pull") {
		t.Error(err)
	}
	dir := t.TempDir()
	for i, name := range []string{rm.FileScheduler, rm.FileApps, rm.FileNodes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(good[i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := Open(dir); err != nil || s.Config != nil {
		t.Errorf("without a queue file: got %+v, %v, want no configuration", s, err)
	}
}

// TestRecordedAnswers: what a real ResourceManager told in the course of a recorded
// run. Applications that it had accepted and whose masters it had not started are
// held by the limit on masters or by full nodes in that run, whose limit on masters
// is low; what is answered never fails.
func TestRecordedAnswers(t *testing.T) {
	dir := testdata.Shared(t, "traces/minimr/run-05-A-ss005-am010")
	lines := [3][]string{}
	for i, name := range []string{"rest-scheduler", "rest-apps", "rest-nodes"} {
		lines[i] = unpack(t, filepath.Join(dir, name+".jsonl.gz"))
	}
	doc, err := yarnconf.Load(filepath.Join(dir, "capacity-scheduler.xml"))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		t.Fatal(err)
	}
	waits, masters := 0, 0
	for i := range min(len(lines[0]), len(lines[1]), len(lines[2])) {
		var data [3][]byte
		for k := range data {
			var line struct {
				Body json.RawMessage `json:"body"`
			}
			if err := json.Unmarshal([]byte(lines[k][i]), &line); err != nil {
				t.Fatal(err)
			}
			data[k] = line.Body
		}
		s, err := parse([3]string{"scheduler", "apps", "nodes"}, data)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		s.Config = conf
		for _, a := range s.apps {
			st, _, err := s.Standing(a.ID)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			cs := Causes(st, func(yarn.AppID) string { return "" })
			if len(cs) == 0 {
				t.Fatalf("line %d, %s: no cause", i+1, a.ID)
			}
			if st.Stage == capacity.Waiting {
				waits++
				if k := cs[0].Kind; cs[0].Binding && (k == KindMastersQueue || k == KindMastersUser) {
					masters++
				} else {
					t.Errorf("line %d, %s: %s: %s", i+1, a.ID, a.Diagnostics, cs[0].Text())
				}
			}
		}
	}
	if waits < 20 {
		t.Errorf("%d waiting masters seen", waits)
	}
	t.Logf("%d of %d waiting masters are held by limits on masters", masters, waits)
}

func unpack(t *testing.T, path string) (lines []string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
	return lines
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(schedulerText, 1, 1)), []byte(running), []byte(fmt.Sprintf(nodesText, 1, 1)))
	f.Add([]byte(fmt.Sprintf(schedulerText, 1, 1)), []byte(waiting), []byte(`{}`))
	f.Fuzz(func(t *testing.T, scheduler, apps, nodes []byte) {
		s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{scheduler, apps, nodes})
		if err != nil {
			return
		}
		for _, a := range s.apps {
			if st, _, err := s.Standing(a.ID); err == nil {
				for _, c := range Causes(st, func(yarn.AppID) string { return "" }) {
					_ = c.Text()
				}
			}
		}
	})
}

// An application of which the ResourceManager tells no request asks for none, and lost
// nodes are counted beside full ones.
func TestNothingAskedAndLostNodes(t *testing.T) {
	idle := `{"app":{"id":"application_1_0001","user":"u","queue":"root.a","state":"RUNNING","allocatedMB":4096,"allocatedVCores":4}}`
	scheduler := fmt.Sprintf(schedulerText, 8192, 8192)
	if cs := asked(t, scheduler, idle, fmt.Sprintf(nodesText, 4096, 12288), "application_1_0001"); len(cs) != 1 ||
		cs[0].Kind != KindNothingAsked {
		t.Errorf("%+v", cs)
	}
	cs := asked(t, scheduler, running, fmt.Sprintf(nodesText, 15360, 1024), "application_1_0001")
	if cs[0].Kind != KindNoRoom || cs[0].Gone != 1 || !strings.Contains(cs[0].Text(), "nodes lost or unhealthy: 1") {
		t.Errorf("%+v %s", cs[0], cs[0].Text())
	}
}

// A change that lets an application start must let those before it start too: 3 masters of
// 512 MiB wait, the first of another user, and the third is asked about. The queue's limit
// of 1024 MiB is used up, so it must hold 1024 + 3 · 512 = 2560 MiB. It may have been rounded
// up from little more than 768 MiB, by an allocation of 256 MiB: 2560/768 = 3.34 times as much.
func TestThoseThatComeBefore(t *testing.T) {
	one := strings.TrimSuffix(strings.TrimPrefix(waiting, `{"app":`), "}")
	apps := `{"apps":{"app":[` + one + "," + strings.NewReplacer("_0003", "_0001", `"user":"u"`, `"user":"v"`).Replace(
		one) + "," + strings.Replace(one, "_0003", "_0002", 1) +
		"," + strings.Replace(one, "_0003", "_0010", 1) + "]}}"
	s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{[]byte(fmt.Sprintf(schedulerText, 8192, 8192)),
		[]byte(apps), []byte(fmt.Sprintf(nodesText, 4096, 12288))})
	if err != nil {
		t.Fatal(err)
	}
	if s.Config, err = yarnconf.Evaluate(yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix +
		"root.a.capacity": "100", yarnconf.Prefix + "maximum-am-resource-percent": "0.1",
		"yarn.scheduler.minimum-allocation-mb": "256"}); err != nil {
		t.Fatal(err)
	}
	st, _, err := s.Standing("application_1_0003")
	if err != nil {
		t.Fatal(err)
	}
	cs := Causes(st, func(yarn.AppID) string { return "" })
	if cs[0].Kind != KindMastersQueue || !strings.HasSuffix(cs[0].Text(), "this one needs 512 MiB, and those of 2 "+
		"applications that wait before it 1024 MiB") {
		t.Errorf("%s", cs[0].Text())
	}
	if m := st.Masters; m.UserBefore.Count != 1 || m.UserBefore.Ask.Memory != 512 {
		t.Errorf("%+v, want one of the same user", m.UserBefore)
	}
	if steps := Estimate(s.Config, st, Sourced(s.Config, cs)); len(steps) == 0 || steps[0].Value != "0.34" {
		t.Errorf("%+v, want 0.34", steps)
	}
}

// An application whose master has its container and has not registered is ACCEPTED still:
// nothing of the scheduler's holds it. (As Hadoop 3.5.0 answers; the diagnostics are its own.)
func TestMasterThatIsLaunched(t *testing.T) {
	launched := `{"app":{"id":"application_1_0001","user":"u","queue":"root.a","state":"ACCEPTED","allocatedMB":1024,"allocatedVCores":1,"runningContainers":1,"diagnostics":"[date] Scheduler has assigned a container for AM, waiting for AM container to be launched"}}`
	s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{[]byte(fmt.Sprintf(schedulerText, 8192, 8192)),
		[]byte(launched), []byte(fmt.Sprintf(nodesText, 4096, 12288))})
	if err != nil {
		t.Fatal(err)
	}
	st, notes, err := s.Standing("application_1_0001")
	if err != nil {
		t.Fatal(err)
	}
	cs := Causes(st, func(yarn.AppID) string { return "" })
	if len(cs) != 1 || cs[0].Kind != KindLaunching || !strings.Contains(cs[0].Text(), "has a container (1024 MiB)") ||
		StageText(st) != "ACCEPTED, its application master is being started" {
		t.Errorf("%+v, %s", cs, StageText(st))
	}
	if strings.Contains(strings.Join(notes, "\n"), "assumed") {
		t.Errorf("a size is assumed: %q", notes)
	}
}

// The change for a dynamic queue is made in the template its setting comes
// from, and cores count where the calculator looks at them. One that is held back is not
// counted as pending.
func TestMadeQueueAndCores(t *testing.T) {
	scheduler := strings.NewReplacer(`"root.a"`, `"root.pool.u"`, `"queueName":"a"`, `"queueName":"u"`,
		`"maxParallelApps":2147483647`, `"maxParallelApps":2`,
		`"numPendingApplications":1`, `"numPendingApplications":0`).Replace(fmt.Sprintf(schedulerText, 8192, 8192))
	app := strings.Replace(waiting, `"queue":"a"`, `"queue":"root.pool.u"`, 1)
	app = app[:strings.Index(app, `,"diagnostics"`)] + "}}"
	s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{[]byte(scheduler), []byte(app),
		[]byte(fmt.Sprintf(nodesText, 4096, 12288))})
	if err != nil {
		t.Fatal(err)
	}
	const template = "root.pool.auto-queue-creation-v2.leaf-template.max-parallel-apps"
	s.Config, err = yarnconf.Evaluate(yarnconf.Map{yarnconf.Prefix + "root.queues": "pool", yarnconf.Prefix +
		"root.pool.capacity": "1w",
		yarnconf.Prefix + "root.pool.auto-queue-creation-v2.enabled": "true", yarnconf.Prefix + template: "2",
		yarnconf.Prefix + "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"})
	if err != nil {
		t.Fatal(err)
	}
	st, _, err := s.Standing("application_1_0003")
	if err != nil {
		t.Fatal(err)
	}
	cs := Sourced(s.Config, Causes(st, func(yarn.AppID) string { return "" }))
	steps := Estimate(s.Config, st, cs[:1])
	if cs[0].Kind != KindParallelQueue || cs[0].Property != yarnconf.Prefix+template || len(steps) != 1 ||
		steps[0].Key != yarnconf.Prefix+template || steps[0].Value != "3" {
		t.Errorf("%+v %+v", cs[0], steps)
	}
	small, large := yarn.Resource{Memory: 8192, VCores: 1}, yarn.Resource{Memory: 1024, VCores: 64}
	if !st.Dominant || s.more(small, large) == s.more(large, small) {
		t.Errorf("dominant: %v, %v and %v", st.Dominant, s.more(small, large), s.more(large, small))
	}
}

// A folder that is none is told by the file that it lacks, in no words of a system call.
func TestOpenOther(t *testing.T) {
	_, err := Open("no-such-folder")
	if want := filepath.Join("no-such-folder", "scheduler.json") + ": no such file or directory: must be in a folder " +
		"of tune pull"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// An application that max-parallel-apps holds back, as a ResourceManager of 3.4.1 told of
// one: it counts neither as active nor as pending, no words say what it waits for, and
// its only request is its master's. One that waits for its user's limit on masters is
// admitted and counts against max-parallel-apps.
func TestHeldBackBesideOneThatWaits(t *testing.T) {
	const held = `{"app":{"id":"application_1_0005","user":"c","queue":"root.a","state":"ACCEPTED","diagnostics":"","allocatedMB":0,
 "resourceRequests":[{"priority":0,"resourceName":"*","capability":{"memory":512,"vCores":1},"numContainers":1,"relaxLocality":true}]}}`
	scheduler := strings.NewReplacer(`"maxParallelApps":2147483647`, `"maxParallelApps":2`,
		`"numActiveApplications":2,"numPendingApplications":1`, `"numActiveApplications":1,"numPendingApplications":1`,
		`"users":{"user":[`,
		`"users":{"user":[{"username":"c","numActiveApplications":0,"numPendingApplications":0},`).Replace(
		fmt.Sprintf(schedulerText, 8192, 8192))
	s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{[]byte(scheduler), []byte(held),
		[]byte(fmt.Sprintf(nodesText, 4096, 12288))})
	if err != nil {
		t.Fatal(err)
	}
	if s.Config, err = yarnconf.Evaluate(yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix +
		"root.a.capacity": "100", yarnconf.Prefix + "user.c.max-parallel-apps": "3"}); err != nil {
		t.Fatal(err)
	}
	st, notes, err := s.Standing("application_1_0005")
	if err != nil {
		t.Fatal(err)
	}
	if c := Causes(st, func(yarn.AppID) string { return "" })[0]; c.Kind != KindParallelQueue ||
		st.Stage != capacity.HeldBack || !c.Binding {
		t.Errorf("%+v", c)
	}
	if strings.Contains(strings.Join(notes, "\n"), "assumed") || st.Masters.Size.Memory != 512 {
		t.Errorf("its AM of %d MiB is named: %q", st.Masters.Size.Memory, notes)
	}
	if p := st.Parallel[0]; p.Running != 0 || p.Limit != 3 || p.Queue != "" {
		t.Errorf("user: %+v, want 0 of 3", p)
	}
}

// Who holds the space is named: applications that have ended, that hold nothing, or that run on
// other nodes are not.
func TestHoldersOfAnswers(t *testing.T) {
	apps := strings.Replace(running, `{"app":`, `{"apps":{"app":[`, 1)
	apps = strings.TrimSuffix(apps, "}") + `,
 {"id":"application_1_0002","user":"v","queue":"a","state":"RUNNING","priority":3,"allocatedMB":2048,"allocatedVCores":2,
  "runningContainers":2,"reservedMB":512,"resourceRequests":[{"resourceName":"*","capability":{"memory":1024},"numContainers":4}]},
 {"id":"application_1_0004","user":"v","queue":"a","state":"FINISHED","allocatedMB":2048,"allocatedVCores":2},
 {"id":"application_1_0005","user":"v","queue":"a","state":"RUNNING","allocatedMB":2048,"amNodeLabelExpression":"gpu"},
 {"id":"application_1_0006","user":"v","queue":"a","state":"ACCEPTED","allocatedMB":0}]}}`
	s, err := parse([3]string{"scheduler", "apps", "nodes"}, [3][]byte{fmt.Appendf(nil, schedulerText, 8192, 8192),
		[]byte(apps), fmt.Appendf(nil, nodesText, 15360, 1024)})
	if err != nil {
		t.Fatal(err)
	}
	st, _, err := s.Standing("application_1_0001")
	if err != nil {
		t.Fatal(err)
	}
	want := capacity.Holding{App: 1, Name: "application_1_0002", User: "v", Queue: "root.a", Priority: 3, Containers: 2,
		Used: yarn.Resource{Memory: 2048, VCores: 2}, Reserved: yarn.Resource{Memory: 512},
		Pending: yarn.Resource{Memory: 4096}, QueueUsed: yarn.Resource{Memory: 4096, VCores: 4},
		QueueShare: yarn.Resource{Memory: 8192, VCores: 8}}
	if len(st.Holders) != 1 || st.Holders[0] != want {
		t.Errorf("got holders %+v, want %+v", st.Holders, want)
	}
	a := &PendingAnswer{Standing: *st, Causes: Causes(st, func(yarn.AppID) string { return "" })}
	if d := a.Document(); len(d.HeldBy) != 1 || d.HeldBy[0].Application != want.Name || d.HeldBy[0].Reserved != 512 {
		t.Errorf("got %s held by %+v, want by %s", a.Causes[0].Kind, d.HeldBy, want.Name)
	}
}
