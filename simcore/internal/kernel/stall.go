package kernel

import "schedtune/simcore"

// What slows all tasks that compute on a node. The lost time is no processor time: the cores are
// idle.

// copying counts a reduce that begins (1) or ends (-1) its copy phase on a node.
func (x *Exec) copying(now simcore.Time, n simcore.NodeID, by int32) {
	if x.cfg.CopyStall > 0 {
		x.copiers[n] += by
		x.slow(now, n)
	}
}

// holding counts the memory that an attempt begins (1) or ceases (-1) to hold on its node.
func (x *Exec) holding(now simcore.Time, a *execAttempt, by int64) {
	if x.cfg.Contention.Memory > 0 && x.cluster.Nodes[a.node].Physical > 0 {
		x.asked[a.node] += by * x.work.Jobs[a.task.Job].Ask(a.task.Kind)[simcore.Memory]
		x.slow(now, a.node)
	}
}

// slow sets the rate of a node's cores: with n reduces that copy 1 / (1 + CopyStall n) of it
// (ResourceConfig.CopyStall), with more memory asked than there is as Contention.Memory says.
func (x *Exec) slow(now simcore.Time, n simcore.NodeID) {
	node := &x.cluster.Nodes[n]
	rate := 1e6 * Factor(node.Speed) / (1 + x.cfg.CopyStall*float64(x.copiers[n]))
	if over := x.asked[n] - node.Physical; over > 0 && node.Physical > 0 {
		rate /= 1 + x.cfg.Contention.Memory*float64(over)/float64(node.Physical)
	}
	res := x.at(n, resCPU)
	x.res[res].setUnit(now, resourceUnit(rate))
	x.touch(res)
}
