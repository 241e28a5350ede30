package sparklog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func read(t testing.TB, text string) *App {
	t.Helper()
	r := NewReader()
	if err := r.Read(strings.NewReader(text), "x"); err != nil {
		t.Fatal(err)
	}
	return r.App()
}

// small is an application of two jobs that a rapid draw or a fixed source
// makes: everything the model holds occurs.
func small(pick func(lo, hi int) int) *App {
	const day = 1_700_000_000_000
	a := &App{ID: "application_1700000000000_0001", Attempt: "1", Name: "etl \"x\" ü", User: "ann", Version: "3.5.5",
		Start: day, Ready: day + 300, DriverHost: "n1", DriverContainer: "container_1700000000000_0001_01_000001",
		Conf: map[string]string{"spark.master": "yarn", "spark.dynamicAllocation.enabled": "true",
			"spark.executor.memory": "2g"},
		Profiles: []Profile{{ID: 0, Cores: 2, Memory: 2048, Overhead: Unknown, TaskCPUs: 1}}}
	execs := pick(1, 4)
	for i := range execs {
		e := Executor{ID: fmt.Sprint(i + 1), Host: fmt.Sprintf("n%d", i%2+1),
			Container: fmt.Sprintf("container_1700000000000_0001_01_%06d", i+2),
			Cores:     2, Requested: Unknown, Added: day + 2000 + Millis(pick(0, 900)), Removed: Unknown}
		e.Storage = e.Added + 50
		if pick(0, 1) == 1 {
			e.Requested = e.Added - 1500
		}
		switch pick(0, 3) {
		case 1:
			e.Removed, e.Why, e.End = day+90_000, "Executor killed by driver.", Killed
		case 2:
			e.Removed, e.Why, e.End = day+90_000, "Container x on host: n1 was preempted.", Preempted
		}
		a.Executors = append(a.Executors, e)
	}
	id := int64(0)
	at := Millis(day + 3000)
	a.Caches = []Cache{{RDD: 1, Name: "kept", Memory: true, Partitions: 3, Replicas: 1}}
	for j := range pick(1, 3) {
		job := Job{ID: int32(j), Submit: at, Execution: Unknown, Result: Succeeded}
		if pick(0, 1) == 1 {
			job.Pool, job.Group, job.Execution = "fast", "g1", int64(j)
		}
		if j == 1 && pick(0, 1) == 1 {
			job.Unpersisted = []int32{1}
		}
		for k := range 2 {
			st := Stage{ID: int32(2*j + k), Job: int32(j), Name: "count at X.scala:1", RDD: int32(10*j + k + 1), Submit: at + 5,
				Result: Succeeded, Writes: k == 0}
			if k == 1 {
				st.Parents = []int32{st.ID - 1}
			}
			if j == 0 {
				st.Cached = []int32{1}
			}
			n := pick(1, 4)
			st.Tasks, st.Started = int32(n), int32(n)
			for i := range n {
				x := Task{ID: id, Index: int32(i), Executor: int32(pick(0, execs-1)), Locality: Locality(pick(0, 4)),
					Launch:  at + 10 + Millis(i),
					Getting: Unknown, Reason: Success, Run: Millis(pick(0, 5000)), Deserialize: 7, GC: 1,
					Input: int64(pick(0, 1<<20)), ShuffleRead: 9, ShuffleRemote: 4, ShuffleWrite: int64(pick(0, 99)),
					Spec: pick(0, 9) == 0}
				x.Finish = x.Launch + x.Run + 20
				id++
				st.Attempts = append(st.Attempts, x)
				st.End = max(st.End, x.Finish)
			}
			// the log reports tasks in the order of their ends
			sortTasks(st.Attempts)
			at = st.End + 4
			job.Stages = append(job.Stages, st.ID)
			a.Stages = append(a.Stages, st)
			job.End = st.End + 1
		}
		a.Jobs = append(a.Jobs, job)
		at += Millis(pick(0, 20_000))
	}
	a.End = max(at, day+90_000) + 10
	a.Last = a.End
	return a
}

func sortTasks(ts []Task) {
	for i := range ts {
		for k := i; k > 0 && ts[k].Finish < ts[k-1].Finish; k-- {
			ts[k], ts[k-1] = ts[k-1], ts[k]
		}
	}
}

// What is written is read again as it was, whatever the application.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := small(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(rt, "n") })
		var b, own bytes.Buffer
		if err := errors.Join(want.writeEvents(&b), want.Write(&own)); err != nil {
			rt.Fatal(err)
		}
		again := read(t, own.String())
		if again.Events.Broken != 0 {
			rt.Fatalf("got events %+v, want none broken", again.Events)
		}
		again.Events = Events{}
		if d := cmp.Diff(want, again); d != "" {
			rt.Fatal(d)
		}
		got := read(t, b.String())
		if got.Events.Broken+got.Events.Unknown != 0 || len(got.Notes) != 0 {
			rt.Fatalf("events %+v, notes %v", got.Events, got.Notes)
		}
		got.Events = Events{}
		// executors are in the order in which they registered
		byID := map[string]Executor{}
		for _, e := range want.Executors {
			byID[e.ID] = e
		}
		for i := range want.Stages {
			for k := range want.Stages[i].Attempts {
				x := &want.Stages[i].Attempts[k]
				id := want.Executors[x.Executor].ID
				for p := range got.Executors {
					if got.Executors[p].ID == id {
						x.Executor = int32(p)
					}
				}
			}
		}
		for i := range got.Executors {
			want.Executors[i] = byID[got.Executors[i].ID]
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatal(d)
		}
	})
}

func fixed() func(lo, hi int) int {
	r := rand.New(rand.NewPCG(1, 2))
	return func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
}

func logText(t testing.TB) string {
	var b bytes.Buffer
	if err := small(fixed()).writeEvents(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A log cut at any byte is read up to there, with notes of what is missing and
// never with other figures: what is read of a part is part of the whole.
func TestCutAnywhere(t *testing.T) {
	text := logText(t)
	whole := read(t, text)
	for n := 1; n < len(text)-1; n += 7 {
		r := NewReader()
		if err := r.Read(strings.NewReader(text[:n]), "x"); err != nil {
			t.Fatal(err)
		}
		a := r.App()
		if a == nil {
			continue
		}
		if text[n-1] != '\n' && text[n] != '\n' && a.Events.Broken != 1 {
			t.Fatalf("cut at byte %d: %+v", n, a.Events)
		}
		found := false
		for _, note := range a.Notes {
			found = found || strings.Contains(note.Text, "the end of the application")
		}
		if !found {
			t.Fatalf("cut at byte %d: no note of the missing end in %v", n, a.Notes)
		}
		for i := range a.Stages {
			for k, x := range a.Stages[i].Attempts {
				if d := cmp.Diff(whole.Stages[i].Attempts[k], x); d != "" {
					t.Fatal(d)
				}
			}
		}
	}
}

func TestOddLines(t *testing.T) {
	start := `{"Event":"SparkListenerApplicationStart","App Name":"x","App ` +
		`ID":"application_1_1","Timestamp":1700000000000,"User":"u"}` + "\n"
	for _, c := range []struct {
		name, text, note string
		events           Events
	}{
		{"SQL events are passed over",
			start + `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","plan":{}}` + "\n", "",
			Events{Lines: 2, Read: 1, Other: 1}},
		{"unknown events are counted by name", start + `{"Event":"com.x.Mine"}` + "\n" + `{"Event":"com.x.Mine"}` + "\n", "",
			Events{Lines: 3, Read: 1, Unknown: 2, Names: []EventCount{{"com.x.Mine", 2}}}},
		{"excluded executors and nodes are named", start +
			`{"Event":"SparkListenerExecutorExcluded","time":1700000005000,"executorId":"1","taskFailures":2}` + "\n" +
			`{"Event":"SparkListenerNodeBlacklistedForStage","time":1700000005000,"hostId":"h"}` + "\n" +
			`{"Event":"SparkListenerNodeUnexcluded","time":1700000006000,"hostId":"h"}` + "\n",
			"take no tasks after failures", Events{Lines: 4, Read: 1, Other: 3}},
		{"members in another order",
			`{"User":"u","App ID":"application_1_1","Timestamp":1700000000000,"Event":"SparkListenerApplicationStart"}` + "\n",
			"", Events{Lines: 1, Read: 1}},
		{"blanks between members",
			`{ "Event" : "SparkListenerApplicationStart" , "App ID" : "application_1_1", "Timestamp": 1700000000000 }` + "\n",
			"", Events{Lines: 1, Read: 1}},
		{"a line of another kind", start + "log4j:WARN no appenders\n", "lines that are not events",
			Events{Lines: 2, Read: 1, Broken: 1}},
		{"a broken bracket", start + `{"Event":"SparkListenerJobStart","Job ID":0,"Stage IDs":[0` + "\n",
			"lines that are not events", Events{Lines: 2, Read: 1, Broken: 1}},
		{"a text for a number", start + `{"Event":"SparkListenerJobStart","Job ID":"zero"}` + "\n",
			"lines that are not events", Events{Lines: 2, Read: 1, Broken: 1}},
		{"a job ends that never began",
			start + `{"Event":"SparkListenerJobEnd","Job ID":5,"Completion Time":1700000000000}` + "\n",
			"ends of jobs whose start", Events{Lines: 2, Read: 2}},
		{"a clock set back", start + `{"Event":"SparkListenerApplicationEnd","Timestamp":1600000000000}` + "\n",
			"the clock was set back", Events{Lines: 2, Read: 2}},
		{"a task that ends before it starts", start +
			`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Number of Tasks":1}}` + "\n" +
			`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Launch ` +
			`Time":1700000005000,"Finish Time":1700000004000}}` + "\n",
			"tasks that end before they start", Events{Lines: 3, Read: 3}},
		{"a task of a stage nobody submitted", start +
			`{"Event":"SparkListenerTaskEnd","Stage ID":7,"Task End Reason":{"Reason":"Success"},"Task Info":{"Launch ` +
			`Time":1700000005000,"Finish Time":1700000006000}}` + "\n",
			"stages whose tasks ran and whose submission is not in the log", Events{Lines: 2, Read: 2}},
	} {
		a := read(t, c.text)
		if d := cmp.Diff(c.events, a.Events); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if a.ID != "application_1_1" {
			t.Errorf("%s: id %q", c.name, a.ID)
		}
		found := c.note == ""
		for _, n := range a.Notes {
			if c.note != "" && strings.Contains(n.Text, c.note) {
				found = n.Where != ""
			}
		}
		if !found {
			t.Errorf("%s: no note %q with its place in %+v", c.name, c.note, a.Notes)
		}
	}
}

// Long lines that are not used are not held; long ones that are used are held
// up to a bound.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3<<18)
	start := `{"Event":"SparkListenerApplicationStart","App ID":"a","Timestamp":1700000000000}` + "\n"
	plan := `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","plan":"` + long + `"}` + "\n"
	used := `{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1700000000001,"Details":"` + long +
		`","Stage IDs":[4]}` + "\n"
	text := start + plan + used + plan + used[:len(used)-1]
	r := NewReader()
	if err := r.Read(strings.NewReader(text), "x"); err != nil {
		t.Fatal(err)
	}
	a := r.App()
	if a.Events.Other != 2 || a.Events.Broken != 0 || len(a.Jobs) != 1 || a.Jobs[0].Stages[0] != 4 {
		t.Errorf("%+v %+v", a.Events, a.Jobs)
	}
}

func FuzzRead(f *testing.F) {
	text := logText(f)
	f.Add([]byte(text))
	for _, line := range strings.Split(text, "\n")[:12] {
		f.Add([]byte(line + "\n"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader()
		if err := r.Read(bytes.NewReader(b), "x"); err != nil {
			t.Fatal(err)
		}
		a := r.App()
		if a == nil {
			return
		}
		var own bytes.Buffer
		if err := errors.Join(a.writeEvents(io.Discard), a.Write(&own)); err != nil {
			t.Fatal(err)
		}
		if again := NewReader(); again.Read(&own, "own") != nil || again.App().Events.Broken > 0 {
			t.Fatalf("what was written is not read: %+v", again.app.Notes)
		}
		if e := a.Events; e.Read+e.Other+e.Unknown+e.Broken > e.Lines {
			t.Fatalf("%+v", e)
		}
	})
}
