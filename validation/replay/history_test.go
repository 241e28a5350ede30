package replay

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// Without rows in tasks.csv the histories give each attempt the task, status and
// times that the rows gave, the start of its process aside, and the run is replayed
// as before.
func TestAttemptsFromHistories(t *testing.T) {
	dir := testdata.Run(t, "mapreduce")
	bare := t.TempDir()
	if err := os.CopyFS(bare, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(bare, "tasks.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(path, []byte(header+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(bare)
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "their times are those of the histories") ||
		strings.Contains(notes, "of the process") {
		t.Error(notes)
	}
	n := 0
	for i := range full.Jobs {
		for k := range full.Jobs[i].Containers {
			want, got := full.Jobs[i].Containers[k], r.Jobs[i].Containers[k]
			if want.Task < 0 {
				continue
			}
			n++
			if got.Task != want.Task || got.Status != want.Status || got.Finished != want.Finished || want.Kind == "REDUCE" &&
				(got.Shuffled != want.Shuffled || got.Sorted != want.Sorted) {
				t.Errorf("%s: %+v, want %+v", want.ID, got, want)
			}
			if got.Up > got.Finished || got.Up < got.Allocated {
				t.Errorf("%s: up at %v of %v to %v", got.ID, got.Up, got.Allocated, got.Finished)
			}
		}
	}
	if n < 20 {
		t.Fatalf("%d attempts compared", n)
	}
	for _, x := range []*Run{full, r} {
		d, err := x.Decisions()
		if err != nil || d.Agreeing != d.Total || len(d.Exceptions) > 0 {
			t.Errorf("%s: %+v, %v", x.Dir, d, err)
		}
		e, err := x.Replay(t.Context(), yarn.MiniCluster())
		if err != nil || e.Makespan > 1e-6 || e.CompletionMean > 1e-6 {
			t.Errorf("%s: %+v, %v", x.Dir, e, err)
		}
	}
}

// A job's id has the ResourceManager's start and the application's number; what has
// another form has neither.
func TestJobNumber(t *testing.T) {
	for id, want := range map[string][2]int64{
		"job_1795398025621_0004": {1795398025621, 4}, "job_1_12345": {1, 12345},
		"j3": {}, "job_x_1": {}, "job_1_": {}, "job_1_-2": {}, "job_0_1": {}, "job_1_2_3": {},
		"job_99999999999999999999_1": {},
	} {
		if stamp, number := jobNumber(id); stamp != want[0] || number != want[1] {
			t.Errorf("%q: %d and %d, want %v", id, stamp, number, want)
		}
	}
}

// Two jobs whose numbers are against the order of their submissions are given to the
// scheduler with their numbers, in the simulated run too.
func TestNumbersReachTheScheduler(t *testing.T) {
	r, err := Load(smallRun(t, "n1", 3000, nil))
	if err != nil {
		t.Fatal(err)
	}
	_, rec, err := r.recorded()
	if err != nil || len(rec.Numbers) != 1 || rec.Numbers[0] != 1 || rec.Stamp != 1 {
		t.Errorf("%v, %d: %v", rec.Numbers, rec.Stamp, err)
	}
}

// A heartbeat begins with a line before the call and ends with its decisions; what
// the ResourceManager handed out between them was handed out by it.
func TestHeartbeatOfSeveralLines(t *testing.T) {
	ms := func(v simcore.Time) simcore.Time { return v * simcore.Millisecond }
	l := masterReader{sentMaps: -1, mapRows: 1}
	line := func(at simcore.Time, text string) {
		l.line(ms(at), "INFO [RMCommunicator Allocator] RMContainerAllocator: "+text)
	}
	line(29733, "Before Scheduling: PendingReds:2 ScheduledMaps:4 ScheduledReds:0")
	line(29777, "Recalculating schedule, headroom=<memory:0, vCores:17>")
	line(29777, "After Scheduling: PendingReds:1 ScheduledMaps:2 ScheduledReds:1")
	line(30782, "RMContainerRequestor: applicationId=application_1_0003: ask=2 release=0 newContainers=2")
	if len(l.beats) != 2 || l.beats[0].at != ms(29733) || l.beats[0].last != ms(29777) || l.beats[0].maps != -1 ||
		l.beats[0].reduces != -1 {
		t.Fatalf("%+v", l.beats)
	}
	if b := l.beats[1]; b.at != ms(30782) || b.maps != 2 || b.reduces != 1 {
		t.Errorf("%+v", b)
	}
	j := &Job{Containers: []*Container{{Kind: "MAP", Acquired: ms(29768)}, {Kind: "MAP", Acquired: ms(30781)}}}
	for i, want := range []simcore.Time{29768, 30781} {
		if at, ok := j.acquiredNear(l.beats[i].at, l.beats[i].last); !ok || at != ms(want) {
			t.Errorf("heartbeat %d: %v %v, want %d ms", i, at, ok, want)
		}
	}
	if _, ok := j.acquiredNear(ms(29733), ms(29733)); ok {
		t.Error("a heartbeat that ended before the containers were handed out has them")
	}
}

// The replay conserves what was recorded: every task runs once to its end, on a
// container of its own, and no node holds more than it has.
func TestReplayConserves(t *testing.T) {
	r, err := Load(testdata.Run(t, "mapreduce"))
	if err != nil {
		t.Fatal(err)
	}
	w, rec, err := r.recorded()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if int(j.FirstTask+j.Maps+j.Reduces) > len(w.Tasks.Duration) || rec.AMStart[i] < 0 || rec.AMExit[i] < 0 {
			t.Errorf("job %s: tasks %d to %d of %d, AM %v and %v", j.ID, j.FirstTask, j.FirstTask+j.Maps+j.Reduces,
				len(w.Tasks.Duration), rec.AMStart[i], rec.AMExit[i])
		}
		for k := range j.Maps + j.Reduces {
			at := j.FirstTask + k
			if w.Tasks.Duration[at] <= 0 || rec.Launch[at] < 0 || rec.Exit[at] < 0 {
				t.Errorf("job %s task %d: %v, launch %v, exit %v", j.ID, k, w.Tasks.Duration[at], rec.Launch[at], rec.Exit[at])
			}
			sum += (w.Tasks.Duration[at] + w.Tasks.Shuffle[at]).Seconds()
		}
	}
	recorded := 0.0
	for i := range r.Jobs {
		last := simcore.Time(0)
		for _, c := range r.Jobs[i].Containers {
			if c.Kind == "MAP" && c.Status == succeeded {
				last = max(last, c.Finished)
			}
		}
		for k := range r.Jobs[i].Containers {
			switch c := r.Jobs[i].Containers[k]; {
			case c.Task < 0 || c.Status != succeeded:
			case c.Kind == "MAP":
				recorded += (c.Finished - c.Up).Seconds()
			default: // a reduce works after the last map
				recorded += (c.Finished - c.Shuffled + max(c.Shuffled-max(c.Up, last), 0)).Seconds()
			}
		}
	}
	if math.Abs(sum-recorded) > 1e-6 {
		t.Errorf("%.6f task-seconds are simulated, %.6f recorded", sum, recorded)
	}
}
