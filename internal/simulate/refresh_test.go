package simulate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// closedCase is a cluster of one node of 8 containers with one job of four minutes in
// queue b, whose maximum lets no container run: 1 % of 8 GiB.
func closedCase(t *testing.T) *scenario.Case {
	t.Helper()
	var set []yarnconf.Change
	for _, kv := range [][2]string{{"maximum-am-resource-percent", "1"}, {"root.queues", "a,b"},
		{"root.a.capacity", "99"}, {"root.b.capacity", "1"}, {"root.b.maximum-capacity", "1"},
		{"root.b.user-limit-factor", "100"}} {
		set = append(set, yarnconf.Change{Key: yarnconf.Prefix + kv[0], Value: kv[1]})
	}
	doc, err := yarnconf.Parse("closed.xml", yarnconf.Fragment("", set))
	if err != nil {
		t.Fatal(err)
	}
	w := &simcore.Workload{Name: "closed", Queues: []string{"root.b"}, Users: []string{"u"}}
	for i := range 2 {
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprint("job", i), Class: -1, Maps: 4, FirstTask: int32(4 * i),
			Slowstart: -1, MapDist: -1, ReduceDist: -1,
			AMAsk: simcore.Vec{1024, 1}, MapAsk: simcore.Vec{1024, 1}, Submit: simcore.Time(i) * simcore.Minute})
		for range 4 {
			w.Tasks.Duration = append(w.Tasks.Duration, 4*simcore.Minute)
		}
	}
	c := &simcore.Cluster{Racks: []string{"/r"}, Nodes: []simcore.Node{
		{Name: "n", Cores: 8, Capacity: simcore.Vec{8192, 8}}}}
	return &scenario.Case{Doc: doc, Props: doc, Cluster: c, Work: w, Calibration: yarn.Default()}
}

var open = []yarnconf.Change{{Key: yarnconf.Prefix + "root.b.maximum-capacity", Value: "100"}}

// every switches between closed and open, each for so long, from the opening at first.
func every(first, each simcore.Time) func(simcore.Time) (simcore.Time, []yarnconf.Change) {
	return func(after simcore.Time) (simcore.Time, []yarnconf.Change) {
		n := simcore.Time(0)
		if after >= first {
			n = (after-first)/each + 1
		}
		if n%2 == 0 {
			return first + n*each, open
		}
		return first + n*each, nil
	}
}

// A job that nothing lets start waits for the refresh that does, even for days; where
// the refreshes that come do not either, the run ends with an error, not never.
func TestRefreshLetsJobsStart(t *testing.T) {
	c := closedCase(t)
	r, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), Item{Slowstart: -1}); !errors.As(err, new(*yarn.StalledError)) {
		t.Errorf("without a refresh: %v", err)
	}
	for _, first := range []simcore.Time{10 * simcore.Minute, 30 * simcore.Hour} {
		res, err := r.Run(t.Context(), Item{Slowstart: -1, Refresh: every(first, 12*simcore.Hour)})
		if err != nil {
			t.Errorf("opened at %v: %v", first.Std(), err)
			continue
		}
		for _, j := range res.Jobs {
			if j.Start < first || j.Start > first+2*simcore.Minute {
				t.Errorf("opened at %v: a job starts at %v", first.Std(), j.Start.Std())
			}
		}
	}
	shut := func(after simcore.Time) (simcore.Time, []yarnconf.Change) { return after + 12*simcore.Hour, nil }
	if _, err := r.Run(t.Context(), Item{Slowstart: -1, Refresh: shut}); !errors.As(err, new(*yarn.StalledError)) {
		t.Errorf("with refreshes that change nothing: %v", err)
	}
}

// What a refresh refuses ends the run, and names the property.
func TestRefreshRefused(t *testing.T) {
	c := closedCase(t)
	r, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	small := []yarnconf.Change{{Key: yarnconf.Prefix + "root.a.maximum-allocation-mb", Value: "2048"}}
	_, err = r.Run(t.Context(), Item{Slowstart: -1, Changes: open, Refresh: func(after simcore.Time) (simcore.Time,
		[]yarnconf.Change) {
		if after >= simcore.Minute {
			return simcore.Never, nil
		}
		return simcore.Minute, small
	}})
	if err == nil || !strings.Contains(err.Error(), "refused") || !strings.Contains(err.Error(),
		"root.a.maximum-allocation-mb") {
		t.Errorf("%v", err)
	}
}

// Refreshes to the settings in force change no result.
func TestRefreshToTheSame(t *testing.T) {
	c := closedCase(t)
	r, err := New(c, Options{Jitter: Replications()})
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Run(t.Context(), Item{Slowstart: -1, Seed: 7, Changes: open})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(t.Context(), Item{Slowstart: -1, Seed: 7, Changes: open,
		Refresh: func(after simcore.Time) (simcore.Time, []yarnconf.Change) { return after + 30*simcore.Second, open }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Jobs {
		if want.Jobs[i] != got.Jobs[i] {
			t.Errorf("job %d: %+v with refreshes, %+v without", i, got.Jobs[i], want.Jobs[i])
		}
	}
}
