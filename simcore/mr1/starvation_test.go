package mr1_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// mapsFirst launches maps, then reduces from a share of completed maps on.
type mapsFirst struct{ early bool }

func (s mapsFirst) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	for _, k := range []simcore.Kind{simcore.Map, simcore.Reduce} {
		for j := range v.Waiting(k) {
			if v.Free(n, k) > 0 && (k == simcore.Map || s.early || v.Done(j, simcore.Map) == v.Tasks(j, simcore.Map)) {
				return simcore.Task{Job: j, Kind: k, Index: simcore.AnyTask}, true
			}
		}
	}
	return simcore.Task{}, false
}

// Of two reduces on one slot the first starts with the report of the last map and does not
// starve; the second waits for the 20 s of the first. Started early, the first ends 20 s after
// the map, and the second starts then.
func TestStarvation(t *testing.T) {
	cluster := &simcore.Cluster{Racks: []string{"/rack"},
		Nodes: []simcore.Node{{Name: "n1", Slots: simcore.Vec{1, 1}}}}
	w := stageOf(1, simcore.Dist{Kind: simcore.Constant, A: 10})
	w.Dists = append(w.Dists, simcore.Dist{Kind: simcore.Constant, A: 20})
	w.Jobs[0].Reduces, w.Jobs[0].ReduceDist = 2, 1
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, OutOfBand: true}
	for _, c := range []struct {
		name string
		s    mapsFirst
	}{{"after the maps", mapsFirst{}}, {"early", mapsFirst{early: true}}} {
		t.Run(c.name, func(t *testing.T) {
			res, err := mr1.Run(cfg, cluster, w, c.s)
			if err != nil {
				t.Fatal(err)
			}
			got := res.Jobs[0].Starvation().Seconds()
			if res.Jobs[0].StarvedReduces != 1 || got < 20 || got > 21 {
				t.Errorf("got %d reduces, %.1f s, want 1 and about 20", res.Jobs[0].StarvedReduces, got)
			}
			if v, err := res.Value("mean-starvation"); err != nil || v != got {
				t.Errorf("metric: got %v, %v, want %v", v, err, got)
			}
		})
	}
}
