package report

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func compared(t *testing.T, workers int, specs ...string) *Comparison {
	t.Helper()
	c, err := Run(context.Background(), Request{
		Dataset: "default-1", Slowstart: -1, Seed: 1, Runs: 3, Schedulers: specs, Workers: workers,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A scheduler compared with itself differs by exactly nothing, since seeds are
// common; and the answer does not depend on the number of workers.
func TestPairedAndIndependentOfWorkers(t *testing.T) {
	a := compared(t, 1, "fifo", "fifo", "fair")
	for _, m := range a.Schedulers[1].Metrics {
		if *m.Difference != 0 || *m.DiffLow != 0 || *m.DiffHigh != 0 || m.Verdict != notShown {
			t.Errorf("%s: FIFO differs from itself by %v (%v to %v)", m.Name, *m.Difference, *m.DiffLow, *m.DiffHigh)
		}
	}
	b := compared(t, 3, "fifo", "fifo", "fair")
	for i := range a.Schedulers {
		x, y := a.Schedulers[i], b.Schedulers[i]
		for k := range x.Metrics {
			if !reflect.DeepEqual(x.Metrics[k].Values, y.Metrics[k].Values) {
				t.Errorf("%s %s: values differ between one and three workers", x.Scheduler, x.Metrics[k].Name)
			}
		}
	}
}

// Higher is better for locality, lower for waiting times: delay scheduling is
// better than FIFO in both, and FIFO worse than it.
func TestBetterFollowsTheMetric(t *testing.T) {
	for want, specs := range map[string][]string{"better": {"fifo", "delay:inner=fifo"},
		"worse": {"delay:inner=fifo", "fifo"}} {
		found := 0
		for _, m := range compared(t, 2, specs...).Schedulers[1].Metrics {
			if m.Name != "locality" && m.Name != "mean-wait" {
				continue
			}
			found++
			if m.Verdict != want {
				t.Errorf("%s of %v: difference %v (%v to %v) is %s, want %s", m.Name, specs, *m.Difference, *m.DiffLow, *m.DiffHigh,
					m.Verdict, want)
			}
		}
		if found != 2 {
			t.Errorf("%d of the two metrics", found)
		}
	}
}

func TestBothRuntimesSideBySide(t *testing.T) {
	c := compared(t, 2, "capacity", "fair")
	if len(c.Schedulers) != 2 || c.Schedulers[0].Metrics[0].Mean <= 0 ||
		c.Schedulers[1].Metrics[0].Difference == nil {
		t.Errorf("want makespans of both runtimes, got %+v", c.Schedulers[0].Metrics[0])
	}
}

func TestUnknownSchedulerIsNamed(t *testing.T) {
	_, err := Run(context.Background(), Request{Dataset: "default-1", Runs: 1, Schedulers: []string{"fifo", "nope"}})
	if err == nil || !strings.Contains(err.Error(), `"nope"`) {
		t.Errorf("got %v, want an error that names the scheduler", err)
	}
}
