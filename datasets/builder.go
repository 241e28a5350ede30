package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/internal/rng"
	"schedtune/simcore"
)

// jobSpec describes one job of a paper's workload in the paper's units.
type jobSpec struct {
	name, queue, user, class string
	priority                 int32
	submit                   float64 // seconds
	maps, reduces            int
	input, shuffle, output   float64 // bytes over the job
	mapCPU, reduceCPU        float64 // seconds of a reference core per input byte
	// mapTime and reduceTime are mean task times in seconds, of which the
	// resource model takes the processor's part; spread is their coefficient of
	// variation.
	mapTime, reduceTime, spread float64
}

// spreads turns work per byte, which is the same for equal tasks, into task
// times with the spread asked for.
func (s *jobSpec) spreads() {
	if s.spread <= 0 {
		return
	}
	if s.mapCPU > 0 && s.maps > 0 {
		s.mapTime, s.mapCPU = s.mapCPU*s.input/float64(s.maps), 0
	}
	if s.reduceCPU > 0 && s.reduces > 0 {
		s.reduceTime, s.reduceCPU = s.reduceCPU*s.shuffle/float64(s.reduces), 0
	}
}

// workloadBuilder collects jobs and puts them into order of submission.
type workloadBuilder struct {
	w                      *simcore.Workload
	queues, users, classes fileio.Index
}

func newWorkloadBuilder() *workloadBuilder { return &workloadBuilder{w: &simcore.Workload{}} }

// add appends a job.
func (b *workloadBuilder) add(s jobSpec) {
	s.spreads()
	w := b.w
	w.Jobs = append(w.Jobs, simcore.Job{
		Name: s.name, Priority: s.priority, Submit: simcore.Seconds(s.submit),
		Queue: b.queues.ID(&w.Queues, s.queue), User: b.users.ID(&w.Users, s.user),
		Class: b.classes.ID(&w.Classes, s.class),
		Maps:  int32(s.maps), Reduces: int32(s.reduces), FirstTask: -1, Slowstart: -1,
		InputBytes: int64(s.input), ShuffleBytes: int64(s.shuffle), OutputBytes: int64(s.output),
		MapCPU: s.mapCPU, ReduceCPU: s.reduceCPU,
		MapDist: b.dist(s.mapTime, s.spread), ReduceDist: b.dist(s.reduceTime, s.spread),
	})
}

// dist returns the index of a lognormal distribution with the given mean and
// coefficient of variation, or a constant without spread; -1 without a mean.
func (b *workloadBuilder) dist(mean, spread float64) int32 {
	if mean <= 0 {
		return -1
	}
	d := simcore.Dist{Kind: simcore.Constant, A: mean}
	if spread > 0 {
		s2 := math.Log1p(spread * spread)
		d = simcore.Dist{Kind: simcore.LogNormal, A: math.Log(mean) - s2/2, B: math.Sqrt(s2)}
	}
	same := func(e simcore.Dist) bool { return e.Kind == d.Kind && e.A == d.A && e.B == d.B }
	if i := slices.IndexFunc(b.w.Dists, same); i >= 0 {
		return int32(i)
	}
	b.w.Dists = append(b.w.Dists, d)
	return int32(len(b.w.Dists) - 1)
}

// sorted puts the jobs into order of submission and names them.
func (b *workloadBuilder) sorted() *simcore.Workload {
	w := b.w
	slices.SortStableFunc(w.Jobs, func(x, y simcore.Job) int { return cmp.Compare(x.Submit, y.Submit) })
	for j := range w.Jobs {
		w.Jobs[j].ID = fmt.Sprintf("job_%04d", j+1)
	}
	return w
}

// Placed returns the workload with the inputs of Coupling's jobs placed anew by a seed: each
// file, which its size tells, is stored once, a block on one of the nodes [0, Holders)
// (section III). Other sets return their workload.
func (s *Set) Placed(seed uint64) *simcore.Workload {
	if s.Holders == 0 {
		return s.Workload
	}
	out := *s.Workload
	w := &out
	w.Jobs, w.Tasks = slices.Clone(w.Jobs), simcore.Tasks{}
	t := &w.Tasks
	t.HostAt = []int32{0}
	first := int32(0)
	for j := range w.Jobs {
		job := &w.Jobs[j]
		job.FirstTask = first
		first += job.Maps + job.Reduces
		k := rng.NewKey(seed, purposeHosts).At(uint64(job.InputBytes))
		for i := range int(job.Maps + job.Reduces) {
			if i < int(job.Maps) && job.InputBytes > 0 {
				t.Hosts = AppendReplicas(t.Hosts, k, i, s.Holders, 1)
			}
			t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
		}
	}
	return w
}

// uniform is a cluster of equal nodes on one switch.
func uniform(nodes int, model simcore.Node) *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"/default-rack"}}
	for i := range nodes {
		n := model
		n.Name = fmt.Sprintf("node%02d", i)
		if n.Speed == 0 {
			n.Speed = 1
		}
		c.Nodes = append(c.Nodes, n)
	}
	return c
}
