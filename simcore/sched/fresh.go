package sched

import (
	"math"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// FRESH: fair and efficient slot configuration and scheduling (Wang, Yao, Mao,
// Sheng, Mi, CLOUD 2014; OMO [12], section V-D). Containers are dynamic, and
// reduces start after the last map (slowstart 1).
//
// A free container becomes a map or a reduce so that the running ones stay in
// proportion to what is left of the active jobs:
//
//	running maps / running reduces -> w_m / w_r
//
// where w_m and w_r are the remaining tasks times the mean task time, and the
// job is the one with the fewest containers of both kinds (overall fairness).
// OMO's text gives the mechanism and slowstart only; the remaining-workload
// rule is FRESH's own.
type fresh struct{ *fair }

func newFresh(o Options, p Values) (mr1.Scheduler, error) {
	return &fresh{&fair{opt: o, slowstart: p.float("slowstart"), pool: "job", total: true, one: newPerBeat(p),
		even: spread(p.bool("spread"))}}, nil
}

func (*fresh) Name() string { return "fresh" }

func (s *fresh) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if s.first = simcore.Map; s.wantsReduce(v) {
		s.first = simcore.Reduce
	}
	return s.fair.Pick(v, n)
}

// wantsReduce reports whether reduces run below their share of the remaining
// work.
func (s *fresh) wantsReduce(v *mr1.View) bool {
	var left [2]float64 // seconds of remaining work by kind
	for j := v.FirstJob(); j != simcore.None; j = v.NextJob(j) {
		for _, k := range kinds {
			if due(v, j, k, s.slowstart) {
				t := math.Max(v.MeanTask(j, k).Seconds(), 1)
				left[k] += float64(v.Tasks(j, k)-v.Done(j, k)) * t
			}
		}
	}
	maps, reduces := float64(v.TotalRunning(simcore.Map)), float64(v.TotalRunning(simcore.Reduce))
	return reduces*left[simcore.Map] < maps*left[simcore.Reduce] || maps > 0 && left[simcore.Map] == 0
}
