package kernel

import "schedtune/simcore"

// What slows all tasks that compute on a node. The lost time is no processor time: the cores are
// idle.

// holding counts the memory that an attempt begins (1) or ceases (-1) to hold on its node.
func (x *Exec) holding(now simcore.Time, a *execAttempt, by int64) {
	if x.cfg.Contention.Memory > 0 && x.cluster.Nodes[a.node].Physical > 0 {
		x.asked[a.node] += by * x.work.Jobs[a.task.Job].Ask(a.task.Kind)[simcore.Memory]
		x.slow(now, a.node)
	}
}

// slow sets the rate of a node's cores with more memory asked than there is
// (Contention.Memory).
func (x *Exec) slow(now simcore.Time, n simcore.NodeID) {
	node := &x.cluster.Nodes[n]
	rate := 1e6 * Factor(node.Speed)
	if over := x.asked[n] - node.Physical; over > 0 && node.Physical > 0 {
		rate /= 1 + x.cfg.Contention.Memory*float64(over)/float64(node.Physical)
	}
	res := x.at(n, resCPU)
	x.res[res].setUnit(now, resourceUnit(rate))
	x.touch(res)
}
