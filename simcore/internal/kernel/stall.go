package kernel

import "schedtune/simcore"

// copying notes that a reduce on a node begins (1) or leaves (-1) its copy phase.
// Each of n such reduces slows what computes on the node, so that all of it runs at
// 1 / (1 + CopyStall n) of its rate (ResourceConfig.CopyStall). The time lost is no
// processor time: the cores stand idle for it.
func (x *Exec) copying(now simcore.Time, n simcore.NodeID, by int32) {
	stall := x.cfg.CopyStall
	if stall <= 0 {
		return
	}
	x.copiers[n] += by
	slowed := 1e6 * Factor(x.cluster.Nodes[n].Speed) / (1 + stall*float64(x.copiers[n]))
	res := x.at(n, resCPU)
	x.res[res].setUnit(now, resourceUnit(slowed))
	x.touch(res)
}
