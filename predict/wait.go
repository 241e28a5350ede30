package predict

// Wait scheduling of reduces (Tan, Meng, Zhang, Coupling, INFOCOM 2013,
// algorithm 2).
//
// One candidate job at a time waits for a heartbeat from a node near the
// centrality of its map output: through the first N heartbeats (N = nodes)
// only the first node of its list L will do, through the next N the second
// and third, through the third N the rest, then any node for N more; then it
// is dropped. A refused launch moves on to the next group.

// WaitScheduler is the state of Coupling's algorithm 2: which job waits for a heartbeat from
// a node near its map output, and for how many it has waited. The zero value has no
// candidate.
type WaitScheduler struct {
	candidate int // index + 1
	wait      int
}

// WaitEnv answers what algorithm 2 asks about the cluster. Jobs and nodes are
// numbered by the caller.
type WaitEnv interface {
	// MostLagging returns the job with the largest mismatch and that value;
	// job < 0 if there is none. Ties are the caller's to break (the paper:
	// at random).
	MostLagging() (job int, mismatch float64)
	// Group returns in which group of L(job) the node stands, 1 to 3, or 0;
	// see CentralityGroup.
	Group(job, node int) int
	// RunsReduceOf reports whether the node runs a reduce of the job.
	RunsReduceOf(job, node int) bool
	// Launch launches a reduce of the job on the node, or reports false.
	Launch(job, node int) bool
}

// Candidate returns the job that waits and the heartbeats it has skipped;
// job -1 if there is none.
func (w *WaitScheduler) Candidate() (job, skipped int) { return w.candidate - 1, w.wait }

// Drop forgets the candidate, for when its job has ended or has no reduce
// left to launch.
func (w *WaitScheduler) Drop() { *w = WaitScheduler{} }

// Heartbeat handles a heartbeat of node in a cluster of nodes nodes and
// returns the job of which a reduce was launched, or -1. As in the paper, the
// heartbeat that finds a candidate launches nothing. Without an env (nil) nothing happens.
func (w *WaitScheduler) Heartbeat(node, nodes int, env WaitEnv) int {
	if env == nil {
		return -1
	}
	if w.candidate == 0 {
		if j, m := env.MostLagging(); j >= 0 && m > 0 {
			w.candidate = j + 1
		}
		return -1
	}
	w.wait++
	j := w.candidate - 1
	if i := (w.wait-1)/max(nodes, 1) + 1; i <= 3 && env.Group(j, node) == i && !env.RunsReduceOf(j, node) {
		if env.Launch(j, node) {
			w.Drop()
			return j
		}
		w.wait = i*nodes + 1
	}
	if 3*nodes < w.wait && w.wait <= 4*nodes && env.Launch(j, node) {
		w.Drop()
		return j
	}
	if w.wait > 4*nodes {
		w.Drop()
	}
	return -1
}
