package study

import (
	"math"
	"reflect"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/trace"
)

func sparkWorkload(t *testing.T) *simcore.Workload {
	t.Helper()
	tr, err := trace.Open("../../datasets/spark/eventlogs", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := tr.Workload(trace.WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Drawn Spark applications are whole: every stage has its tasks, the recorded
// workload stays, and without a spread a copy is its original.
func TestSparkApplications(t *testing.T) {
	w := sparkWorkload(t)
	recorded := seconds(w)
	mean := 0.0
	const n = 40
	for i := range uint64(n) {
		d := Workload(w, wide, rng.NewKey(5, 1).At(i))
		for k := range d.Jobs {
			if err := d.Jobs[k].Spark.Validate(d); err != nil {
				t.Fatalf("draw %d, %s: %v", i, d.Jobs[k].ID, err)
			}
		}
		mean += seconds(d) / n
	}
	// 40 draws with a spread of some 0.6 of the whole: a tenth of standard error, three of them
	if math.Abs(mean/recorded-1) > 0.3 {
		t.Errorf("mean work %v, recorded %v", mean, recorded)
	}
	if seconds(w) != recorded {
		t.Error("the recorded workload has changed")
	}
	same := Workload(w, Spread{}, rng.NewKey(5, 2))
	for k := range same.Jobs {
		a, from := same.Jobs[k].Spark, &simcore.SparkApp{}
		for i := range w.Jobs {
			if w.Jobs[i].Name == same.Jobs[k].Name && reflect.DeepEqual(w.Jobs[i].Spark.Jobs, a.Jobs) {
				from = w.Jobs[i].Spark
			}
		}
		if len(from.Stages) != len(a.Stages) {
			t.Fatalf("%s: no application like it", same.Jobs[k].ID)
		}
		for i := range a.Stages {
			x, y := a.Stages[i].FirstTask, from.Stages[i].FirstTask
			if !reflect.DeepEqual(same.Tasks.Duration[x:x+a.Stages[i].Tasks], w.Tasks.Duration[y:y+from.Stages[i].Tasks]) {
				t.Fatalf("%s, stage %d: other tasks", same.Jobs[k].ID, i)
			}
		}
	}
}
