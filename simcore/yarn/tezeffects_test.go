package yarn_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// tezSessions is a workload of two sessions in two queues with six DAGs each, which follow one another half a
// minute after the end of the one before: twelve maps and four tasks that read them, 3 s each. The sessions
// take turns, since the second one begins a quarter of a minute later.
func tezSessions() *simcore.Workload {
	w := &simcore.Workload{Queues: []string{"root.a", "root.b"}, Users: []string{"u", "v"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 3}}}
	for i := range int32(2) {
		app := &simcore.TezApp{Settings: simcore.DefaultTezSettings(), Session: true}
		for g := range int32(6) {
			size := simcore.Vec{1024, 1}
			app.DAGs = append(app.DAGs, simcore.TezDAG{Delay: 30 * simcore.Second, FirstVertex: 2 * g, Vertices: 2})
			app.Vertices = append(app.Vertices, simcore.TezVertex{Tasks: 12, FirstTask: -1, Size: size},
				simcore.TezVertex{Tasks: 4, FirstTask: -1, Size: size, Sources: []simcore.TezSource{{Vertex: 2 * g}}})
		}
		w.Jobs = append(w.Jobs, simcore.Job{ID: "s", Queue: i, User: i, Submit: simcore.Time(i) * 15 * simcore.Second,
			FirstTask: -1, MapDist: -1, ReduceDist: -1, Class: -1, AMAsk: simcore.Vec{1024, 1}, Tez: app})
	}
	return w
}

// tezEffect is what runs of tezSessions show in the mean over seeds, in seconds: the completion of DAGs, of
// those of the second session, and the time in containers.
type tezEffect struct{ dag, second, containers float64 }

// effectOfTez simulates tezSessions on so many nodes of 4 GiB with moved defaults.
func effectOfTez(t *testing.T, nodes int, moves ...simcore.DefaultMove) (e tezEffect) {
	t.Helper()
	conf := evaluate(t, effectsQueues(50, 50, false))
	w := tezSessions()
	w.Jobs[1].Tez.Settings.Held = 1 // its own
	sim, err := yarn.NewSim(tezNodes(nodes), w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const seeds = 6
	for seed := range uint64(seeds) {
		s, err := capacity.New(conf)
		if err != nil {
			t.Fatal(err)
		}
		res, err := sim.Run(yarn.RunConfig{Seed: seed + 1, Slowstart: -1, Defaults: moves,
			Jitter: yarn.Jitter{Launch: true, Phases: true}}, s)
		if err != nil {
			t.Fatal(err)
		}
		for name, sum := range map[string]*float64{"mean-dag-completion": &e.dag,
			"queue.root.b.mean-dag-completion": &e.second} {
			v, err := res.Value(name)
			if err != nil {
				t.Fatal(err)
			}
			*sum += v / seeds
		}
		for _, x := range sim.JobTimes() {
			e.containers += x.ExecutorTime.Seconds() / seeds
		}
	}
	return e
}

// TestTezEffects: the signs of the effects that Tez's rules have. On a cluster for one of two sessions, idle
// containers of one keep the other waiting: with shorter idle times DAGs end earlier, with longer ones later,
// and those of the second one with containers that the first one holds. On a cluster for both, held containers are
// there when the next DAG comes,
// which ends earlier, and cost time in containers; a later slow start costs less time in containers, and
// DAGs end later.
func TestTezEffects(t *testing.T) {
	idle := func(least, most float64) []simcore.DefaultMove {
		return []simcore.DefaultMove{
			{Of: simcore.DefaultOf{Tez: func(s *simcore.TezSettings) any { return &s.IdleMin }}, From: 5e6, To: least},
			{Of: simcore.DefaultOf{Tez: func(s *simcore.TezSettings) any { return &s.IdleMax }}, From: 10e6, To: most}}
	}
	held := simcore.DefaultMove{Of: simcore.DefaultOf{Tez: func(s *simcore.TezSettings) any { return &s.Held }}, To: 12}
	late := []simcore.DefaultMove{
		{Of: simcore.DefaultOf{Tez: func(s *simcore.TezSettings) any { return &s.MinSource }}, From: 0.25, To: 1},
		{Of: simcore.DefaultOf{Tez: func(s *simcore.TezSettings) any { return &s.MaxSource }}, From: 0.75, To: 1}}
	const narrow, wide = 4, 16
	check := func(what string, less, more float64) {
		if !(less < more) {
			t.Errorf("%s: got %.2f and %.2f s, want the first less", what, less, more)
		}
	}
	base := effectOfTez(t, narrow)
	check("completion with shorter idle times", effectOfTez(t, narrow, idle(0.5e6, 1e6)...).dag, base.dag)
	check("completion with longer idle times", base.dag, effectOfTez(t, narrow, idle(25e6, 50e6)...).dag)
	check("completion of the second session with containers held by the first", base.second,
		effectOfTez(t, narrow, held).second)
	base = effectOfTez(t, wide)
	kept, slow := effectOfTez(t, wide, held), effectOfTez(t, wide, late...)
	check("with room for both, completion with held containers", kept.dag, base.dag)
	check("time in held containers", base.containers, kept.containers)
	check("time in containers with a late slow start", slow.containers, base.containers)
	check("completion with a late slow start", base.dag, slow.dag)
	if own := effectOfTez(t, wide, simcore.DefaultMove{Of: held.Of, From: 3, To: 12}); own != base {
		t.Errorf("another default than the applications have: got %+v, want %+v", own, base)
	}
}
