package sparklog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Lines that are there twice, next to one another or as a part of the log that is read
// again, tell nothing new. The application's start is an exception: it tells two logs apart.
func TestRepeatedLines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := small(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(rt, "n") })
		var b bytes.Buffer
		if err := a.writeEvents(&b); err != nil {
			rt.Fatal(err)
		}
		want := read(t, b.String())
		lines := strings.SplitAfter(b.String(), "\n")
		var each, part strings.Builder
		from := rapid.IntRange(0, len(lines)).Draw(rt, "from")
		to := rapid.IntRange(from, len(lines)).Draw(rt, "to")
		for i, l := range lines {
			each.WriteString(l)
			part.WriteString(l)
			if !strings.Contains(l, "ApplicationStart") {
				each.WriteString(l)
			}
			if i+1 == to {
				for _, l := range lines[from:to] {
					if !strings.Contains(l, "ApplicationStart") && !strings.Contains(l, "UnpersistRDD") {
						part.WriteString(l)
					}
				}
			}
		}
		for what, text := range map[string]string{"each line twice": each.String(), "a part twice": part.String()} {
			got := read(t, text)
			got.Events, got.Notes = want.Events, want.Notes
			for i := range got.Caches { // updates of blocks are counted
				got.Caches[i].Blocks, got.Caches[i].Bytes = want.Caches[i].Blocks, want.Caches[i].Bytes
			}
			for i := range got.Stages { // so are starts of tasks, for the note on those without an end
				got.Stages[i].Started = want.Stages[i].Started
			}
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatalf("%s: %s", what, d)
			}
		}
	})
}

// A task that succeeded and whose output was lost ends twice, under one id, and both count;
// the same end once more does not, and is noted.
func TestResubmittedIsNoRepeat(t *testing.T) {
	end := func(reason string, launch int) string {
		return fmt.Sprintf(
			`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{"Reason":%q},"Task Info":{"Task ID":5,"Index":0,"Attempt":0,"Launch Time":%d,"Executor ID":"1","Finish Time":2000}}`+"\n", reason, launch)
	}
	a := read(t, end("Success", 1000)+end("Resubmitted", 1000)+end("Success", 1000))
	if got := a.Stages[0].Attempts; len(got) != 2 || got[0].Reason != Success || got[1].Reason != Resubmitted {
		t.Errorf("%+v", got)
	}
	said := false
	for _, n := range a.Notes {
		said = said || n.Text == "duplicate task-end events (the first counts)" && n.Count == 1 && n.Kind == Dropped
	}
	if !said {
		t.Errorf("notes %v", a.Notes)
	}
}

// An executor that registers, as a repeated line says, after it was removed was removed
// still, and for the same reason.
func TestExecutorAddedAgain(t *testing.T) {
	added := `{"Event":"SparkListenerExecutorAdded","Timestamp":1000,"Executor ID":"1","Executor Info":{"Host":"n","Total Cores":2}}` + "\n"
	a := read(t,
		added+`{"Event":"SparkListenerExecutorRemoved","Timestamp":2000,"Executor ID":"1","Removed Reason":"Container container_1 on host: n was preempted."}`+"\n"+added)
	if e := a.Executors[0]; e.End != Preempted || e.Why == "" || e.Removed != 2000 {
		t.Errorf("%+v", e)
	}
}

// A stage with a barrier is noted once for each attempt.
func TestBarrierStages(t *testing.T) {
	stage := func(event string, attempt int, barrier bool) string {
		return fmt.Sprintf(
			`{"Event":"SparkListener%s","Stage Info":{"Stage ID":0,"Stage Attempt ID":%d,"Stage Name":"s","Number of Tasks":2,"RDD Info":[{"RDD ID":1,"Name":"r","Storage Level":{"Use Disk":false,"Use Memory":false,"Replication":1},"Barrier":false,"Number of Partitions":2},{"RDD ID":0,"Name":"r","Storage Level":{"Use Disk":false,"Use Memory":false,"Replication":1},"Barrier":%v,"Number of Partitions":2}],"Submission Time":1000,"Completion Time":2000}}`+"\n", event, attempt, barrier)
	}
	for barrier, want := range map[bool]int{true: 2, false: 0} {
		a := read(t, stage("StageSubmitted", 0, barrier)+stage("StageCompleted", 0, barrier)+stage("StageCompleted", 1,
			barrier))
		got := 0
		for _, n := range a.Notes {
			if strings.HasPrefix(n.Text, "stages with a barrier") {
				got += n.Count
			}
		}
		if got != want {
			t.Errorf("barrier %v: noted %d times, want %d", barrier, got, want)
		}
	}
}

// Every property by which the simulator makes an application of Spark is kept of a log.
func TestKeptProperties(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "simcore", "sparkconf.go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(
		`p\.\w+\("(spark\.[^"]*)"(?:\s*\+\s*who\s*\+\s*"([^"]+)")?|props\["(spark\.[^"]+)"\]`).FindAllStringSubmatch(
		string(source), -1) {
		names := []string{m[1] + m[3]}
		if m[2] != "" {
			names = []string{m[1] + "driver" + m[2], m[1] + "executor" + m[2]}
		}
		for _, name := range names {
			if n++; !keep(name) {
				t.Errorf("%s is read by simcore and not kept", name)
			}
		}
	}
	if n < 40 {
		t.Errorf("%d properties found in simcore/sparkconf.go, want 40 or more", n)
	}
}

// A part that lies beside its packed form is read once: the start of the application in it
// is no second one.
func TestPartPackedAndUnpacked(t *testing.T) {
	r := NewReader()
	got := r.Parts([]string{"d/events_2_app", "d/events_1_app.zstd", "d/events_1_app", "d/appstatus_app"})
	if d := cmp.Diff([]string{"d/events_1_app.zstd", "d/events_2_app"}, got); d != "" {
		t.Error(d)
	}
	if n := r.app.Notes; len(n) != 1 || n[0].Kind != Dropped || n[0].Count != 1 || n[0].Where != "d/events_1_app:0" {
		t.Errorf("notes %v", n)
	}
}
