package timeline_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	pb "google.golang.org/protobuf/encoding/protowire"

	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/timeline"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	history "schedtune/trace"
)

// message is a protobuf message by field: numbers, and bytes of strings and messages.
type message struct {
	numbers map[pb.Number]uint64
	parts   map[pb.Number][][]byte
}

func parse(t *testing.T, b []byte) message {
	t.Helper()
	m := message{map[pb.Number]uint64{}, map[pb.Number][][]byte{}}
	for len(b) > 0 {
		field, kind, n := pb.ConsumeTag(b)
		if n < 0 {
			t.Fatal(pb.ParseError(n))
		}
		b = b[n:]
		switch kind {
		case pb.VarintType:
			m.numbers[field], n = pb.ConsumeVarint(b)
		case pb.BytesType:
			var v []byte
			v, n = pb.ConsumeBytes(b)
			m.parts[field] = append(m.parts[field], v)
		default:
			t.Fatalf("field %d of type %d", field, kind)
		}
		if n < 0 {
			t.Fatal(pb.ParseError(n))
		}
		b = b[n:]
	}
	return m
}

// slice is a closed slice.
type slice struct {
	name       string
	begin, end uint64
	memory     uint64
}

// decode reads a trace: its slices, the last value of each counter, instants.
// A slice that ends before it begins, or that stays open, fails the test.
func decode(t *testing.T, trace []byte) (slices []slice, counters map[uint64]uint64, instants int) {
	t.Helper()
	names, tracks := map[uint64]string{}, map[uint64]bool{}
	open := map[uint64][]slice{}
	counters = map[uint64]uint64{}
	for i, b := range parse(t, trace).parts[1] {
		p := parse(t, b)
		if flags := p.numbers[13]; flags&2 == 0 || (flags&1 != 0) != (i == 0) {
			t.Fatalf("packet %d has flags %d", i, flags)
		}
		for _, in := range p.parts[12] {
			for _, n := range parse(t, in).parts[2] {
				m := parse(t, n)
				names[m.numbers[1]] = string(m.parts[2][0])
			}
		}
		for _, d := range p.parts[60] {
			tracks[parse(t, d).numbers[1]] = true
		}
		for _, e := range p.parts[11] {
			m, at := parse(t, e), p.numbers[8]
			track := m.numbers[11]
			if !tracks[track] {
				t.Fatalf("packet %d: track %d is not described", i, track)
			}
			switch m.numbers[9] {
			case 1:
				s := slice{name: names[m.numbers[10]], begin: at}
				for _, a := range m.parts[4] {
					s.memory = parse(t, a).numbers[4]
				}
				open[track] = append(open[track], s)
			case 2:
				n := len(open[track]) - 1
				if n < 0 || at < open[track][n].begin {
					t.Fatalf("packet %d: a slice ends at %d that is not open", i, at)
				}
				s := open[track][n]
				s.end, open[track] = at, open[track][:n]
				slices = append(slices, s)
			case 3:
				instants++
			case 4:
				counters[track] = m.numbers[30]
			}
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
		data, res := trace(t, s, "t.pftrace", &times)
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
				t.Errorf("%s: counter %d ends at %d", scheduler, track, v)
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

// The forms hold the same: as many begins, ends and counts as JSON, and the
// compressed file is the plain one; equal runs give equal bytes.
func TestTracksForms(t *testing.T) {
	s := prepare(t, simulate.Capacity)
	plain, _ := trace(t, s, "t.pftrace", nil)
	zipped, _ := trace(t, s, "t.pftrace.gz", nil)
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("the compressed trace differs: %v", err)
	}
	slices, _, _ := decode(t, plain)
	text, _ := trace(t, s, "t.json", nil)
	var d struct {
		TraceEvents []struct {
			Ph, Name string
			Ts       int64
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, e := range d.TraceEvents {
		kinds[e.Ph]++
	}
	if kinds["B"] != len(slices) || kinds["E"] != len(slices) || kinds["C"] == 0 {
		t.Errorf("events by kind: %v, want %d slices", kinds, len(slices))
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
	w, err := perfetto.New(&b, "x.pftrace")
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
			t.Errorf("counter %d ends at %d, want 0", track, v)
		}
	}
}
