package kernel

import "schedtune/simcore"

// copying counts a reduce that begins (1) or ends (-1) its copy phase on a node. With n such
// reduces, all tasks that compute on the node run at 1 / (1 + CopyStall n) of their rate
// (ResourceConfig.CopyStall). The lost time is no processor time: the cores are idle.
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
