package sched

import (
	"math"

	"schedtune/cluster"
	"schedtune/internal/rng"
	"schedtune/lp"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// COSHH (Rasooli, Down, "COSHH: A Classification and Optimization based
// Scheduler for Heterogeneous Hadoop Systems").
//
// Queuing process (algorithm 1), when a job arrives: its mean execution time
// on every resource is estimated; if it fits a class it joins its queue, else
// both classifications are made anew by k-means and both linear programs (1)
// to (6) are solved. Their solutions are the suggested classes SC_R of each
// resource for minimum shares and SC'_R for fairness.
//
// Routing process (algorithm 2), when resource R has a free slot:
//
//  1. of the jobs in SC_R whose users are below their minimum share, one with
//     the largest (minShare - currentShare) * weight;
//  2. else of the jobs in SC'_R, one with the smallest currentShare / weight.
//
// Equal users are chosen between at random; a user's first job goes first.
// Packages cluster and lp have the classes and linear programs.
//
// Input is replicated on three of the resources suggested for the job.
//
// With a charge the master is busy that long with each linear program and the
// classification before it, and gives nothing to the heartbeats that come meanwhile
// (the scheduling overhead of sections 5.3 and 6.2.1).
//
// With classes of a file a job belongs to the class of that file that its sizes are nearest to,
// and the programs are solved when a class has its first job and whenever the number of jobs
// has doubled.
//
// What differs: mean_execTime(J_i, R_j) is the time resource R_j would need for
// the whole job with all its slots, so that delta_ij is a share of the
// resource; a resource without slots for a kind of task the job has counts as
// very slow, and where none suggested has such slots every resource may run it.
// A priority is the user's weight, in thousandths where some are no whole numbers. Classes are found by the
// logarithms of the
// rates and without the arrival rate of the single job, which nobody knows.
type coshh struct {
	opt       Options
	slowstart float64
	err       float64 // I, largest relative error of estimates
	place     bool
	charge    simcore.Time // that the master answers no heartbeat after each linear program
	busy      simcore.Time // until when it answers none
	draw, tie rng.Key
	draws     uint64
	learns    bool        // estimates come from history
	history   *jobHistory // nil: they are given

	queues *cluster.Queues
	saved  *cluster.Saved // classes that are given; nil = they are found
	sc     [2][][]bool    // primary, secondary: [node][class] suggested
	open   [2][][2]bool   // [class][kind] no suggested node has slots for it
	class  [2][]int32     // of each job, -1 = none
	known  []simcore.JobID
	ready  []simcore.JobID // scratch
	jobs   []cluster.Job   // by job id
	homes  homes

	current, least []int32  // by user: tasks running, minimum share
	priority       []int    // by user
	seen           []uint64 // by user: the last search that came by a job of the user
	searches       uint64
}

func newCOSHH(o Options, p Values) (mr1.Scheduler, error) {
	saved := file[cluster.Saved](o.files, "classes")
	return &coshh{
		opt: o, saved: saved, slowstart: p.float("slowstart"), err: p.float("error") / 100, place: p.bool("place"),
		charge: p.seconds("charge"), learns: p["estimates"] == "history",
		draw: drawKey(&o, purposeError), tie: drawKey(&o, purposeTie),
		queues: cluster.NewQueues(cluster.ClassOptions{
			K: p.int("classes"), Seed: uint64(drawKey(&o, purposeCluster)), LogRates: true, Given: saved != nil,
		}, 0),
	}, nil
}

func (*coshh) Name() string { return "coshh" }

func (s *coshh) Start(v *mr1.View) {
	n := v.JobCount()
	s.class = [2][]int32{make([]int32, n), make([]int32, n)}
	s.jobs = make([]cluster.Job, n)
	if s.learns {
		s.history, _ = newJobHistory(v) // the number of classes is at least one
	}
	users := len(v.UserNames())
	s.current, s.least, s.seen = make([]int32, users), make([]int32, users), make([]uint64, users)
	s.priority = make([]int, users)
	unit := 1.0
	for u := range users {
		if w := s.opt.grant(int32(u)).Weight; w != math.Trunc(w) {
			unit = 1000
		}
	}
	for u := range s.least {
		g := s.opt.grant(int32(u))
		s.least[u], s.priority[u] = g.MinShare, int(math.Round(math.Min(unit*g.Weight, 1e15)))
	}
}

// Observe runs the queuing process for an arrival and keeps the users' shares.
func (s *coshh) Observe(v *mr1.View, e mr1.Event) {
	switch e.Kind {
	case mr1.JobArrived:
		s.arrive(v, e.Task.Job)
	case mr1.TaskStarted:
		s.current[v.User(e.Task.Job)]++
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		s.current[v.User(e.Task.Job)]--
		if s.history != nil && e.Kind == mr1.TaskFinished {
			s.history.observe(v, e)
		}
	}
}

// arrive is algorithm 1.
func (s *coshh) arrive(v *mr1.View, j simcore.JobID) {
	u := v.User(j)
	s.jobs[j] = cluster.Job{
		User: int(u), MinShare: s.least[u] > 0, Priority: s.priority[u], Times: s.execTimes(v, j),
	}
	if s.saved != nil {
		job := v.Job(j)
		s.jobs[j].Class = s.saved.Class(cluster.Sizes{Input: float64(job.InputBytes), Shuffle: float64(job.ShuffleBytes),
			Output: float64(job.OutputBytes), Maps: float64(job.Maps), Reduces: float64(job.Reduces),
			MapSeconds: v.StageSeconds(j, simcore.Map), ReduceSeconds: v.StageSeconds(j, simcore.Reduce)})
	}
	s.known = append(s.known, j)
	a, err := s.queues.Arrive(s.jobs[j])
	if err != nil {
		// Times are positive and finite, so that only a workload without any
		// work comes here; such jobs are served without classes.
		s.class[0][j], s.class[1][j] = -1, -1
		return
	}
	s.class[0][j], s.class[1][j] = int32(a.Primary), int32(a.Secondary)
	if a.PrimaryChanged {
		s.renew(v, 0, s.queues.Primary)
	}
	if a.SecondaryChanged {
		s.renew(v, 1, s.queues.Secondary)
	}
}

// execTimes estimates mean_execTime(J, R) for every resource, what a node alone would need for
// the job or what the history gives for it, with the error of section 6.3: L * (1 + E), E
// uniform in [-I, I].
func (s *coshh) execTimes(v *mr1.View, j simcore.JobID) []float64 {
	times, execTime := make([]float64, v.Nodes()), v.JobTime
	if h := s.history; h != nil {
		execTime = func(j simcore.JobID, n simcore.NodeID) float64 { return h.time(v, j, n) }
	}
	for n := range times {
		e := s.err * (2*s.draw.At(uint64(j)).Float64(uint64(n)) - 1)
		times[n] = max(execTime(j, simcore.NodeID(n))*(1+e), 1e-6)
		for _, k := range kinds {
			if v.Tasks(j, k) > 0 && v.Slots(simcore.NodeID(n), k) == 0 {
				times[n] = verySlow
			}
		}
	}
	return times
}

// verySlow is the time of a job on a resource that cannot run it, in seconds.
const verySlow = 1e12

// renew solves a program after its classification was made anew, and puts all
// known jobs into the new classes.
func (s *coshh) renew(v *mr1.View, which int, c *cluster.Classes) {
	for _, j := range s.known {
		s.class[which][j] = -1
		if which == 1 || s.jobs[j].MinShare {
			s.class[which][j] = int32(c.Nearest(s.jobs[j]))
		}
	}
	s.sc[which] = make([][]bool, v.Nodes())
	for n := range s.sc[which] {
		s.sc[which][n] = make([]bool, len(c.List))
	}
	defer s.openKinds(v, which, len(c.List))
	alpha, mu := c.Rates(v.Now().Seconds())
	a, err := lp.MaxLambda(alpha, mu)
	s.busy = max(s.busy, v.Now()) + s.charge
	if err != nil {
		// Every class arrives and every rate is positive, so that this is
		// numerical trouble; suggesting everything keeps the cluster working.
		for n := range s.sc[which] {
			for i := range s.sc[which][n] {
				s.sc[which][n][i] = true
			}
		}
		return
	}
	for n, classes := range a.Suggested() {
		for _, i := range classes {
			s.sc[which][n][i] = true
		}
	}
}

// openKinds finds the classes and kinds for which no suggested node has slots.
func (s *coshh) openKinds(v *mr1.View, which, classes int) {
	s.open[which] = make([][2]bool, classes)
	for i := range s.open[which] {
		for _, k := range kinds {
			s.open[which][i][k] = true
			for n := range s.sc[which] {
				if s.sc[which][n][i] && v.Slots(simcore.NodeID(n), k) > 0 {
					s.open[which][i][k] = false
				}
			}
		}
	}
}

// suggested reports whether the node may run tasks of the kind of the job's
// class.
func (s *coshh) suggested(which int, j simcore.JobID, n simcore.NodeID, k simcore.Kind) bool {
	c := s.class[which][j]
	return c >= 0 && (s.sc[which][n][c] || s.open[which][c][k])
}

// Ready spares the kernel heartbeats while no node with a free slot is
// suggested for a job that waits.
func (s *coshh) Ready(v *mr1.View, k simcore.Kind) bool {
	if v.TotalFree(k) == 0 {
		return false
	}
	if s.ready = dueJobs(s.ready[:0], v, k, s.slowstart); len(s.ready) == 0 {
		return false
	}
	for n := range v.Nodes() {
		id := simcore.NodeID(n)
		if v.Free(id, k) == 0 {
			continue
		}
		for _, j := range s.ready {
			u := v.User(j)
			if s.least[u] > s.current[u] && s.suggested(0, j, id, k) || s.suggested(1, j, id, k) || s.class[1][j] < 0 {
				return true
			}
		}
	}
	return false
}

// Pick is algorithm 2 for one free slot.
func (s *coshh) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if v.Now() < s.busy {
		return simcore.Task{}, false
	}
	for _, k := range kinds {
		if v.Free(n, k) == 0 {
			continue
		}
		j := s.best(v, n, k, 0, func(u int32) (float64, bool) { // the first stage: minimum shares
			lack := s.least[u] - s.current[u]
			return -float64(lack) * s.opt.grant(u).Weight, lack > 0
		})
		if j == simcore.None { // the second: fairness
			j = s.best(v, n, k, 1, func(u int32) (float64, bool) {
				return float64(s.current[u]) / s.opt.grant(u).Weight, true
			})
		}
		if j != simcore.None {
			return anyTask(j, k), true
		}
	}
	return simcore.Task{}, false
}

// best returns the first job of the user with the smallest key among the jobs
// suggested for the node. Of n users with equal keys each has a chance of 1/n,
// however many jobs it has: a later one takes the place with a chance of one in as
// many as there are so far.
func (s *coshh) best(v *mr1.View, n simcore.NodeID, k simcore.Kind, which int,
	key func(user int32) (float64, bool)) simcore.JobID {
	best, least, ties := simcore.JobID(simcore.None), 0.0, 0
	s.searches++
	for j := v.FirstWaiting(k); j != simcore.None; j = v.NextWaiting(j, k) {
		u := v.User(j)
		if s.seen[u] == s.searches || !due(v, j, k, s.slowstart) || !s.suggested(which, j, n, k) &&
			!(which == 1 && s.class[1][j] < 0) {
			continue
		}
		s.seen[u] = s.searches
		x, ok := key(u)
		switch {
		case !ok:
		case best == simcore.None || x < least:
			best, least, ties = j, x, 1
		case x == least:
			ties++
			s.draws++
			if s.tie.IntN(s.draws, ties) == 0 {
				best = j
			}
		}
	}
	return best
}
