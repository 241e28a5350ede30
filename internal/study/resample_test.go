package study

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"schedtune/datasets"
	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

func embedded(t *testing.T) *datasets.Set {
	t.Helper()
	set, err := datasets.Load("default-1")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

var wide = Spread{Load: 0.3, User: 0.4, Queue: 0.3, Tasks: 0.3, Time: 0.2}

// Equal keys draw equal workloads, other keys others, and the recorded one stays.
func TestPureFunction(t *testing.T) {
	w, again := embedded(t).Workload, embedded(t).Workload
	a, b := Workload(w, wide, rng.NewKey(1, 2)), Workload(w, wide, rng.NewKey(1, 2))
	if !reflect.DeepEqual(a, b) {
		t.Error("the same key draws two workloads")
	}
	if reflect.DeepEqual(a.Jobs, Workload(w, wide, rng.NewKey(2, 2)).Jobs) {
		t.Error("another key draws the same workload")
	}
	if !reflect.DeepEqual(w, again) {
		t.Error("the recorded workload has changed")
	}
}

func seconds(w *simcore.Workload) float64 {
	sum := 0.0
	for _, d := range w.Tasks.Duration {
		sum += d.Seconds()
	}
	return sum
}

// In the mean over draws, jobs, tasks and task time are those recorded: all
// factors have mean 1, and circular blocks weigh every job alike.
func TestMeansAreKept(t *testing.T) {
	w := embedded(t).Workload
	const n = 600
	var jobs, work, square float64
	for i := range uint64(n) {
		d := Workload(w, wide, rng.NewKey(3, 3).At(i))
		jobs += float64(len(d.Jobs)) / n
		x := seconds(d)
		work += x / n
		square += x * x / n
	}
	if r := jobs / float64(len(w.Jobs)); math.Abs(r-1) > 0.06 {
		t.Errorf("jobs in the mean %.3f of the recorded, want 1", r)
	}
	within := 4 * math.Sqrt((square-work*work)/n) / seconds(w)
	if r := work / seconds(w); math.Abs(r-1) > within {
		t.Errorf("work in the mean %.3f of the recorded, want 1 within %.3f", r, within)
	}
}

// Without any spread only blocks move: every job is one of the recorded, whole, and
// what stood within a block stands in the same distance, idle gaps included.
func TestBlocksStayWhole(t *testing.T) {
	w := &simcore.Workload{Queues: []string{"q"}, Users: []string{"u"}}
	for i := range 60 { // bursts of six, a second apart, every ten minutes
		at := simcore.Time(i/6)*600*simcore.Second + simcore.Time(i%6)*simcore.Second
		w.Jobs = append(w.Jobs, simcore.Job{ID: "j", Submit: at, Maps: 2, FirstTask: int32(2 * i), MapDist: -1,
			ReduceDist: -1})
		w.Tasks.Duration = append(w.Tasks.Duration, simcore.Second, simcore.Time(i+1)*simcore.Second)
	}
	d := Workload(w, Spread{Blocks: 5}, rng.NewKey(9, 1))
	short, long := 0, 0
	for i := 1; i < len(d.Jobs); i++ {
		switch gap := d.Jobs[i].Submit - d.Jobs[i-1].Submit; {
		case gap <= simcore.Second:
			short++
		case gap > 200*simcore.Second:
			long++
		}
	}
	if len(d.Jobs) < 40 || short < len(d.Jobs)*7/10 || long < 5 {
		t.Errorf("%d jobs, %d a second apart, %d after a gap: bursts and gaps are not kept", len(d.Jobs), short, long)
	}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Maps != 2 || d.Tasks.Duration[j.FirstTask] != simcore.Second {
			t.Fatalf("job %d is not one of the recorded", i)
		}
	}
}

// Drawn workloads run: tasks, hosts and distributions are where jobs say.
func TestDrawnWorkloadsRun(t *testing.T) {
	set := embedded(t)
	for i := range uint64(4) {
		w := Workload(set.Workload, wide, rng.NewKey(5, 5).At(i))
		if i == 3 { // task times by distribution
			w = Workload(withoutTasks(set.Workload), wide, rng.NewKey(5, 5).At(i))
		}
		if _, err := yarn.NewSim(set.Cluster, w, yarn.Options{}); err != nil {
			t.Errorf("draw %d: %v", i, err)
		}
		for k := 1; k < len(w.Jobs); k++ {
			if w.Jobs[k].Submit < w.Jobs[k-1].Submit {
				t.Fatalf("draw %d: jobs are not in the order of submission", i)
			}
		}
	}
}

func withoutTasks(w *simcore.Workload) *simcore.Workload {
	out := *w
	out.Jobs = append([]simcore.Job(nil), w.Jobs...)
	for i := range out.Jobs {
		out.Jobs[i].FirstTask = -1
	}
	out.Tasks = simcore.Tasks{}
	return &out
}

// The least workloads: one job, and jobs that all come at once.
func TestSmallWorkloads(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		w := &simcore.Workload{Queues: []string{"q"}, Users: []string{"u"}}
		for range n {
			w.Jobs = append(w.Jobs, simcore.Job{ID: "j", Submit: 7, Maps: 1, MapDist: -1, ReduceDist: -1})
			w.Tasks.Duration = append(w.Tasks.Duration, simcore.Second)
		}
		for i := range uint64(50) {
			if d := Workload(w, wide, rng.NewKey(1, 1).At(i)); n > 0 && len(d.Jobs) == 0 {
				t.Errorf("%d jobs: a drawn workload without a job", n)
			}
		}
	}
}

func BenchmarkWorkload(b *testing.B) {
	set, err := datasets.Load("default-1")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Workload(set.Workload, wide, rng.NewKey(1, 1).At(uint64(i)))
	}
}

// A job that follows another is drawn with it, as often, and follows its copy as long after.
func TestChainsStayWhole(t *testing.T) {
	w := *embedded(t).Workload
	w.Jobs = slices.Clone(w.Jobs)
	n := len(w.Jobs)
	for j := 2; j < n; j += 3 { // of three jobs the last follows both
		w.Jobs[j].After, w.Jobs[j].Think = []string{w.Jobs[j-1].ID, w.Jobs[j-2].ID}, simcore.Time(j)*simcore.Second
	}
	recorded := map[string]int{}
	for j := range w.Jobs {
		recorded[w.Jobs[j].ID] = j
	}
	for i := range uint64(20) {
		d := Workload(&w, wide, rng.NewKey(4, 4).At(i))
		at, seen := map[string]int{}, make([]int, n)
		for k := range d.Jobs {
			at[d.Jobs[k].ID] = k
			id, _, _ := strings.Cut(d.Jobs[k].ID, "#")
			j := recorded[id]
			seen[j]++
			if len(d.Jobs[k].After) != len(w.Jobs[j].After) || d.Jobs[k].Think != w.Jobs[j].Think {
				t.Fatalf("%s follows %v %v later, want as %s", d.Jobs[k].ID, d.Jobs[k].After, d.Jobs[k].Think.Std(), id)
			}
			for x, a := range d.Jobs[k].After {
				if of, _, _ := strings.Cut(a, "#"); of != w.Jobs[j].After[x] || at[a] >= k || d.Jobs[at[a]].ID != a {
					t.Fatalf("%s follows %s, want an earlier copy of %s", d.Jobs[k].ID, a, w.Jobs[j].After[x])
				}
			}
		}
		for j := 2; j < n; j += 3 {
			if seen[j] != seen[j-1] || seen[j] != seen[j-2] {
				t.Errorf("draw %d: %d, %d and %d copies of one chain", i, seen[j-2], seen[j-1], seen[j])
			}
		}
	}
}
