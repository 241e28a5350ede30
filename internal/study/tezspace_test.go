package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// starvedCase is a session with eight DAGs, a minute of thought before each, and beside it in another queue
// applications of one DAG each, on four nodes with room for either: what the session holds idle keeps the
// others waiting.
func starvedCase(t *testing.T) *scenario.Case {
	t.Helper()
	c := modeCase(t, []string{"40", "40", "10", "10"}, []string{"", "", "", ""})
	var err error
	if c.Doc, err = c.Doc.EditValid([]yarnconf.Change{{Key: yarnconf.Prefix + "root.prod.user-limit-factor", Value: "4"},
		{Key: yarnconf.Prefix + "root.batch.user-limit-factor", Value: "4"}}); err != nil {
		t.Fatal(err)
	}
	w := &simcore.Workload{Queues: []string{"root.prod", "root.batch"}, Users: []string{"u", "v"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 3}}}
	add := func(queue int32, submit simcore.Time, dags int32) {
		app := &simcore.TezApp{Settings: simcore.DefaultTezSettings(), Session: queue == 0}
		app.Settings.IdleMin, app.Settings.IdleMax = 20*simcore.Second, 40*simcore.Second
		for g := range dags {
			size := simcore.Vec{1024, 1}
			d := simcore.TezDAG{FirstVertex: 2 * g, Vertices: 2}
			if app.Session {
				d.Delay = simcore.Minute
			}
			app.DAGs = append(app.DAGs, d)
			app.Vertices = append(app.Vertices, simcore.TezVertex{Tasks: 12, FirstTask: -1, Size: size},
				simcore.TezVertex{Tasks: 4, FirstTask: -1, Size: size, Sources: []simcore.TezSource{{Vertex: 2 * g}}})
		}
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprint("job", len(w.Jobs)), Queue: queue, User: queue, Submit: submit,
			FirstTask: -1, MapDist: -1, ReduceDist: -1, Slowstart: -1, Class: -1, AMAsk: simcore.Vec{1024, 1}, Tez: app})
	}
	add(0, 0, 8)
	for i := range simcore.Time(12) {
		add(1, (20+37*i)*simcore.Second, 1)
	}
	c.Work, c.Recorded = w, nil
	c.Cluster = &simcore.Cluster{Racks: []string{"/r"}}
	for _, name := range []string{"n1", "n2", "n3", "n4"} {
		c.Cluster.Nodes = append(c.Cluster.Nodes, simcore.Node{Name: name, Capacity: simcore.Vec{4096, 8}})
	}
	return c
}

// Tez's defaults move only where --params names them; the upper end of a range follows the lower one.
func TestTezParams(t *testing.T) {
	c := starvedCase(t)
	s, have, notes := engineSpace(t, c, "tez")
	if d := cmp.Diff([]string{tezIdle + "=20000", tezHeld + "=0", tezSlow + "=0.25"}, have); d != "" {
		t.Error(d)
	}
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "tez.*: 13 applications") }) {
		t.Errorf("notes %v", notes)
	}
	if s.DefaultsOf(s.PresentSettings()) != nil || s.Companions(s.PresentSettings()) != nil {
		t.Error("the current settings move something")
	}
	change := func(key, value string) yarnconf.Change { return yarnconf.Change{Key: key, Value: value} }
	for _, x := range []struct {
		name     string
		set      tune.Settings
		to, back []yarnconf.Change
	}{
		{"the maximum follows", tune.Settings{{Name: tezIdle, Value: "1000"}},
			[]yarnconf.Change{change(tezIdle, "1000"), change(tezIdleMax, "2000")},
			[]yarnconf.Change{change(tezIdle, "20000"), change(tezIdleMax, "40000")}},
		{"up to 1", tune.Settings{{Name: tezSlow, Value: "0.5"}},
			[]yarnconf.Change{change(tezSlow, "0.5"), change(tezSlowMax, "1")},
			[]yarnconf.Change{change(tezSlow, "0.25"), change(tezSlowMax, "0.75")}},
		{"held containers alone", tune.Settings{{Name: tezHeld, Value: "3"}}, []yarnconf.Change{change(tezHeld, "3")},
			[]yarnconf.Change{change(tezHeld, "0")}},
	} {
		if d := cmp.Diff([]Companion{{Name: FileTez, To: x.to, Back: x.back}}, s.Companions(x.set)); d != "" {
			t.Errorf("%s: %s", x.name, d)
		}
		if changes, _ := s.Changes(x.set); len(changes) != 0 {
			t.Errorf("%s: the queue file changes: %v", x.name, changes)
		}
	}
}

// An idle time without end may come to one, and no other default may become without end.
func TestTezWithoutEnd(t *testing.T) {
	c := starvedCase(t)
	for i := range c.Work.Jobs {
		s := &c.Work.Jobs[i].Tez.Settings
		s.IdleMin, s.IdleMax = simcore.Never, simcore.Never
	}
	s, _, err := NewSpace(c, []string{tezIdle})
	if err != nil {
		t.Fatal(err)
	}
	if now, _ := s.PresentSettings().Get(tezIdle); now != "-1" {
		t.Errorf("present value %s, want -1", now)
	}
	set := tune.Settings{{Name: tezIdle, Value: "3000"}}
	if d := cmp.Diff([]Companion{{Name: FileTez,
		To:   []yarnconf.Change{{Key: tezIdle, Value: "3000"}, {Key: tezIdleMax, Value: "6000"}},
		Back: []yarnconf.Change{{Key: tezIdle, Value: "-1"}, {Key: tezIdleMax, Value: "-1"}}}}, s.Companions(set)); d != "" {
		t.Error(d)
	}
	moved := c.Work.Jobs[0].Tez.Settings
	s.DefaultsOf(set).Tez(&moved)
	if moved.IdleMin != 3*simcore.Second || moved.IdleMax != 6*simcore.Second {
		t.Errorf("idle time %v to %v, want 3 to 6 s", moved.IdleMin.Std(), moved.IdleMax.Std())
	}
}

// A study that may move the idle time finds that a shorter one helps those who wait; one that may not,
// writes no file of Tez.
func TestTezStudy(t *testing.T) {
	for _, x := range []struct {
		params []string
		moves  bool
	}{{[]string{tezIdle}, true}, {nil, false}} {
		s, err := PrepareCase(t.Context(), starvedCase(t), Request{
			Objectives: []string{"queue.root.batch.mean-dag-completion"},
			Params:     x.params, Windows: 1, Options: tune.Options{Budget: 200, Seed: 1}, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(t.Context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		files := s.Space.Companions(r.Best.Settings)
		if !x.moves {
			if files != nil {
				t.Errorf("params %v: files %v", x.params, files)
			}
			continue
		}
		text, _ := r.Best.Settings.Get(tezIdle)
		if idle, err := strconv.Atoi(text); err != nil || idle >= 20_000 {
			t.Errorf("idle time %s ms, want less than the current 20000", text)
		}
		if len(files) != 1 || files[0].Name != FileTez || files[0].To[0].Value != text {
			t.Errorf("files %+v, want %s with %s", files, FileTez, text)
		}
	}
}
