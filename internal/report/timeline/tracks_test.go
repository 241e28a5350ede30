package timeline_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/timeline"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	history "schedtune/trace"
)

// slice is a closed slice.
type slice struct {
	name       string
	begin, end uint64
	memory     uint64
}

// decode reads a trace: its slices, the last value of each counter, instants.
// A slice that ends before it begins, or that stays open, fails the test. Times are nanoseconds.
func decode(t *testing.T, trace []byte) (slices []slice, counters map[string]uint64, instants int) {
	t.Helper()
	var d struct {
		TraceEvents []struct {
			Ph, Name string
			Pid, Tid uint64
			Ts       uint64
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(trace, &d); err != nil {
		t.Fatal(err)
	}
	tracks := map[uint64]bool{}
	open := map[uint64][]slice{}
	counters = map[string]uint64{}
	for i, e := range d.TraceEvents {
		at := e.Ts * 1000
		number := func(name string) uint64 { v, _ := e.Args[name].(float64); return uint64(v) }
		if e.Ph != "M" && !tracks[e.Pid] || (e.Ph == "B" || e.Ph == "E") && !tracks[e.Tid] {
			t.Fatalf("event %d: track %d of %d is not described", i, e.Tid, e.Pid)
		}
		switch e.Ph {
		case "M":
			tracks[e.Tid] = true
		case "B":
			open[e.Tid] = append(open[e.Tid], slice{name: e.Name, begin: at, memory: number("memory_mib")})
		case "E":
			n := len(open[e.Tid]) - 1
			if n < 0 || at < open[e.Tid][n].begin {
				t.Fatalf("event %d: a slice ends at %d that is not open", i, at)
			}
			s := open[e.Tid][n]
			s.end, open[e.Tid] = at, open[e.Tid][:n]
			slices = append(slices, s)
		case "i":
			instants++
		case "C":
			counters[fmt.Sprint(e.Pid, " ", e.Name)] = number("value")
		}
	}
	for track, o := range open {
		if len(o) > 0 {
			t.Errorf("track %d: %q is not closed", track, o[0].name)
		}
	}
	return slices, counters, instants
}

func trace(t *testing.T, s *simulate.Runner, name string, times *[]yarn.JobTimes) ([]byte, *simcore.Result) {
	t.Helper()
	var out bytes.Buffer
	w, err := perfetto.New(&out, name)
	if err != nil {
		t.Fatal(err)
	}
	tracks := timeline.NewTracks(w, s.Cluster, s.Work, "present")
	res, err := s.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 3, Watch: tracks.Watch, Times: times})
	if err != nil {
		t.Fatal(err)
	}
	tracks.Finish(res)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), res
}

// What the trace holds adds up to what the run's result says: memory-time of
// containers to the utilisation, application slices to completion and waiting
// times; every counter of what is held ends at 0.
func TestTracks(t *testing.T) {
	for _, scheduler := range []string{simulate.Capacity, "fair"} {
		s := prepare(t, scheduler)
		var times []yarn.JobTimes
		data, res := trace(t, s, "t.json", &times)
		slices, counters, _ := decode(t, data)
		var held, completion, wait float64
		apps := 0
		for _, c := range slices {
			took := float64(c.end-c.begin) / 1e9
			if !strings.HasPrefix(c.name, "reserved") {
				held += took * float64(c.memory)
			}
			switch {
			case strings.HasPrefix(c.name, "waits for"):
				wait += took
			case !strings.Contains(c.name, " "):
				completion += took
				apps++
			}
		}
		for track, v := range counters {
			if v != 0 {
				t.Errorf("%s: counter %s ends at %d", scheduler, track, v)
			}
		}
		mean := func(metric string) float64 { return simulate.Value(res, metric) }
		if apps != len(res.Jobs) {
			t.Errorf("%s: %d applications, want %d", scheduler, apps, len(res.Jobs))
		}
		close := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("%s: %s %g, want %g", scheduler, what, got, want)
			}
		}
		close("mean completion", completion/float64(apps), mean("mean-completion"))
		close("mean wait", wait/float64(apps), mean("mean-wait"))
		if scheduler == simulate.Capacity {
			first := simcore.Never // at the ResourceManager
			for i := range times {
				first = min(first, times[i].Submit)
			}
			close("memory-time", held, res.Utilisation*float64(res.Slots[simcore.Memory])*(res.End-first).Seconds())
		}
	}
}

// The compressed file is the plain one, and equal runs give equal bytes.
func TestTracksForms(t *testing.T) {
	s := prepare(t, simulate.Capacity)
	plain, _ := trace(t, s, "t.json", nil)
	zipped, _ := trace(t, s, "t.json.gz", nil)
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("the compressed trace differs: %v", err)
	}
	if _, err := perfetto.New(io.Discard, "t.txt"); err == nil {
		t.Error("any name is taken")
	}
}

// TestHistory draws two jobs with dates: times count from the first, the waits
// and containers are the recorded ones, and a container without a node has one.
func TestHistory(t *testing.T) {
	const day = history.Millis(1_790_000_000_000)
	container := func(kind history.Kind, host string, from, to history.Millis, mib int64) history.Task {
		a := history.NewAttempt(0)
		a.Host, a.Allocated, a.Released, a.Size = host, from, to, history.Size{MiB: mib, VCores: 1}
		x := history.NewTask(kind, 0)
		x.Attempts = []history.Attempt{a}
		return x
	}
	one, two := history.NewJob("j1"), history.NewJob("j2")
	one.Queue, one.User, one.Submit, one.Finish = "q", "u", day, day+100
	one.Tasks = []history.Task{container(history.AM, "/r/n1", day+10, day+100, 512),
		container(history.Reduce, "/r/n1", day+20, day+90, 256)}
	two.Submit, two.Finish = day+50, day+60
	two.Tasks = []history.Task{container(history.Container, "", day+52, day+60, 64)}
	var b bytes.Buffer
	w, err := perfetto.New(&b, "x.json")
	if err != nil {
		t.Fatal(err)
	}
	timeline.History(w, &history.Trace{Jobs: []history.Job{one, two}}, "recorded")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	slices, counters, _ := decode(t, b.Bytes())
	got := map[string]slice{}
	for _, s := range slices {
		got[s.name] = s
	}
	const ms = 1_000_000 // nanoseconds
	for name, want := range map[string]slice{
		"j1 AM": {begin: 10 * ms, end: 100 * ms, memory: 512}, "j1 reduce": {begin: 20 * ms, end: 90 * ms, memory: 256},
		"j2 container": {begin: 52 * ms, end: 60 * ms, memory: 64}, "j1": {end: 100 * ms},
		"j2":                       {begin: 50 * ms, end: 60 * ms},
		"waits for its first task": {begin: 50 * ms, end: 52 * ms}, // the last one written
	} {
		want.name = name
		if got[name] != want {
			t.Errorf("%+v, want %+v", got[name], want)
		}
	}
	for track, v := range counters {
		if v != 0 {
			t.Errorf("counter %s ends at %d, want 0", track, v)
		}
	}
}
