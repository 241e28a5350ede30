package learners

import (
	"context"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"schedtune/datasets"
	"schedtune/internal/models"
	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/validation/forecast"
)

// Every map has its replicas on different nodes, tasks are the job's own, and their
// times are those of the source.
func TestPlace(t *testing.T) {
	set, err := datasets.Load("default-1")
	if err != nil {
		t.Fatal(err)
	}
	from := *set.Workload
	from.Jobs = append(slices.Clone(from.Jobs), from.Jobs[0]) // as in a pool: two jobs with the same tasks
	w := place(&from, 20, rng.NewKey(7, 1))
	seen := int32(0)
	for i := range w.Jobs {
		j, old := &w.Jobs[i], &from.Jobs[i]
		if j.FirstTask != seen {
			t.Fatalf("job %d begins at task %d, want %d", i, j.FirstTask, seen)
		}
		for x := range j.Maps + j.Reduces {
			at := w.Tasks.Hosts[w.Tasks.HostAt[seen+x]:w.Tasks.HostAt[seen+x+1]]
			want := 0
			if x < j.Maps {
				want = replicas
			}
			if sorted := slices.Sorted(slices.Values(at)); len(slices.Compact(sorted)) != want || len(at) != want {
				t.Fatalf("task %d of job %d lies on %v", x, i, at)
			}
			if w.Tasks.Duration[seen+x] != from.Tasks.Duration[old.FirstTask+x] {
				t.Fatalf("task %d of job %d takes %v", x, i, w.Tasks.Duration[seen+x])
			}
		}
		seen += j.Maps + j.Reduces
	}
}

// Rates by hand: one job of 8 CPU seconds and 400 MB read on 8 cores with one disk of 100 MB/s
// takes 5 s, on a node of twice the speed and four disks 1.5 s.
func TestRates(t *testing.T) {
	w := &simcore.Workload{Jobs: []simcore.Job{{Maps: 1, InputBytes: 400e6}}}
	w.Tasks.Duration = []simcore.Time{8 * simcore.Second}
	c := &simcore.Cluster{Nodes: []simcore.Node{
		{Name: "a", Speed: 1, Cores: 8, Disks: 1, DiskRate: 100e6}, {Name: "b", Speed: 2, Cores: 8, Disks: 4,
			DiskRate: 100e6}}}
	r, err := models.RatesOf(w, c, func(int) string { return "all" }, aloneTime(w))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(1/r.Mu[0][0]-5) > 1e-9 || math.Abs(1/r.Mu[0][1]-1.5) > 1e-9 {
		t.Errorf("%+v", r)
	}
}

// A comparison's mean, interval and counts by hand.
func TestCompare(t *testing.T) {
	outs := []Outcome{
		{Figures: map[string][][]float64{"a": {{50, 52, 51}, {1, 1, 1}}, "b": {{100, 102, 101}, {1, 1, 1}}}},
		{Figures: map[string][][]float64{"a": {{200, 210, 190}, {1, 1, 1}}, "b": {{100, 110, 90}, {1, 1, 1}}}},
		{Skipped: "no run"},
	}
	c := compare(outs, "a", "b", 0)
	ratio := math.Sqrt(51.0 / 101 * 2)
	if c.Cases != 2 || c.Better != 1 || c.Worse != 1 || math.Abs(c.Change-(ratio-1)) > 1e-9 ||
		math.Abs(c.Worst-1) > 1e-9 || !(c.Low < c.Change && c.Change < c.High) {
		t.Errorf("%+v", c)
	}
	if c := compare(outs, "a", "b", 1); c.Better+c.Worse != 0 || c.Change != 0 {
		t.Errorf("equal ones: %+v", c)
	}
	var b strings.Builder
	outs[0].Figures[tunedCS], outs[0].Figures[present] = outs[0].Figures["b"], outs[0].Figures["a"]
	if err := Write(&b, outs); err != nil {
		t.Fatal(err)
	}
	if want := "\n" + present + "," + tunedCS + "," + metrics[0] + ","; strings.Count(b.String(), "\n") != 1+len(
		metrics) || !strings.Contains(b.String(), want) {
		t.Errorf("table %q, want a row that begins with %q for each metric", b.String(), want)
	}
}

// Equal requests give equal outcomes for any number of workers.
func TestRunIsRepeatable(t *testing.T) {
	if os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("SCHEDTUNE_LONG=1 runs it")
	}
	r := Request{Sample: forecast.Sample{Cases: 2, Seed: 1, Budget: 20, Workers: 1}}
	a, err := Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Workers = 2
	b, err := Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("one worker and two differ")
	}
}
