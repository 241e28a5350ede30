package forecast

import (
	"fmt"
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Kind is what the current configuration of a case is.
type Kind string

// Kinds of cases.
const (
	KindDrawn   Kind = "drawn"           // a file drawn at random
	KindTuned   Kind = "tuned"           // that file, tuned by a study of the period before
	KindNothing Kind = "nothing to gain" // no other setting is better in any period (nothing.go)
)

// kinds are those of the cases that decisions are judged by, in turn.
var kinds = []Kind{KindDrawn, KindTuned, KindNothing}

// Case is one draw: a cluster and a queue file with two parts of one workload, what
// is known when a study runs, and what comes next.
type Case struct {
	Name      string // its number, workload and file
	Kind      Kind
	Objective string
	Periods   int // that Now is long; Next is one
	Now, Next *scenario.Case
	Before    *scenario.Case // the period before, of KindTuned
	key       rng.Key
}

// objectives that cases are tuned for.
var objectives = []string{"mean-completion", "makespan", "p95-completion", "mean-wait", "mean-response-ratio",
	"p50-completion"}

// Bounds of a period, so that a case costs seconds.
const (
	leastJobs = 15
	mostJobs  = 600
	mostTasks = 20000
	mostJob   = 1500 // tasks of one job; larger ones are left out
	mostNodes = 400
)

// shape is how many periods a case has before the next one: recorded, and before these.
type shape struct{ now, before int }

// shapeOf draws it: one recorded period or three.
func shapeOf(kind Kind, k rng.Key) shape {
	s := shape{now: 1 + 2*k.At(purposePeriods).IntN(0, 2)}
	if kind == KindTuned {
		s.before = 1
	}
	return s
}

// draw makes the case of a number; ok is false where its periods hold too little.
func draw(all []source, k rng.Key, s shape) (Case, bool) {
	d := rng.NewStream(k.At(purposeCase))
	u := func() float64 { return float64(d.Uint64()>>11) / (1 << 53) }
	src := all[int(u()*float64(len(all)))]
	w := src.make(k)
	length := simcore.Seconds(3600 * (2 + 2*u()))
	last := w.Jobs[len(w.Jobs)-1].Submit
	if room := last - simcore.Time(s.before+s.now+1)*length; room > 0 {
		start := simcore.Time(u() * float64(room))
		parts, length := s.cut(w, start, length)
		if !slices.ContainsFunc(parts, func(p *simcore.Workload) bool { return len(p.Jobs) < leastJobs }) {
			return s.assemble(src.name, k, u, parts, length)
		}
	}
	return Case{}, false
}

// cut returns the recorded periods, the next and those before, as short as bounds the work in
// them, and the length of a period.
func (s shape) cut(w *simcore.Workload, start, length simcore.Time) ([]*simcore.Workload, simcore.Time) {
	for {
		now := start + simcore.Time(s.before)*length
		next := now + simcore.Time(s.now)*length
		parts := []*simcore.Workload{period(w, now, next), period(w, next, next+length)}
		if s.before > 0 {
			parts = append(parts, period(w, start, now))
		}
		most := func(p, periods int) bool {
			return len(parts[p].Jobs) > periods*mostJobs || tasks(parts[p]) > periods*mostTasks
		}
		if !most(0, s.now) && !most(1, 1) && (s.before == 0 || !most(2, s.before)) {
			return parts, length
		}
		length = length * 4 / 5
	}
}

// period is the part of a workload with submissions in [from, to).
func period(w *simcore.Workload, from, to simcore.Time) *simcore.Workload {
	out := *w
	out.Jobs = nil
	for _, j := range w.Jobs {
		if j.Submit >= from && j.Submit < to && j.Maps+j.Reduces <= mostJob {
			j.Submit -= from
			out.Jobs = append(out.Jobs, j)
		}
	}
	return &out
}

func tasks(w *simcore.Workload) int {
	n := 0
	for i := range w.Jobs {
		n += int(w.Jobs[i].Maps + w.Jobs[i].Reduces)
	}
	return n
}

// assemble adds users, queues and a cluster on which what is recorded and what comes next
// together offer a load that is drawn.
func (s shape) assemble(name string, k rng.Key, u func() float64, parts []*simcore.Workload,
	length simcore.Time) (Case, bool) {
	now, next := parts[0], parts[1]
	doc, leaves := tree(u)
	users, deal := max(len(now.Users), 1), false
	if users < 4 {
		users, deal = 8, true
	}
	queueOf := make([]int32, users)
	for i := range queueOf {
		queueOf[i] = int32(u() * float64(len(leaves)))
	}
	for i := range min(users, len(leaves)) {
		queueOf[i] = int32(i)
	}
	for p, w := range parts {
		w.Queues = leaves
		if deal {
			w.Users = nil
			for i := range users {
				w.Users = append(w.Users, fmt.Sprintf("user%02d", i))
			}
		}
		for i := range w.Jobs {
			j := &w.Jobs[i]
			if deal { // a user submits jobs of like size more often than others
				size := int(math.Log2(float64(j.Maps+j.Reduces)+1)) + k.At(uint64(p)).IntN(uint64(i), 4)
				j.User = int32(size % users)
			}
			j.Queue = queueOf[j.User]
			askForSome(j)
		}
	}
	load := 0.35 * math.Pow(1.3/0.35, u()) // offered memory-time over the cluster's
	nodes := int(math.Round((area(now) + area(next)) / (float64(s.now+1) * length.Seconds() * 8192 * load)))
	if nodes < 2 || nodes > mostNodes {
		return Case{}, false
	}
	c := equalNodes(nodes)
	t := Case{Kind: KindDrawn, Periods: s.now, key: k, Objective: objectives[int(u()*float64(len(objectives)))]}
	of := func(w *simcore.Workload) *scenario.Case {
		return &scenario.Case{Doc: doc, Cluster: c, Work: w, Calibration: yarn.Default()}
	}
	t.Now, t.Next = of(now), of(next)
	if s.before > 0 {
		t.Kind, t.Before = KindTuned, of(parts[2])
	}
	t.Name = fmt.Sprintf("%s, %d and %d jobs in %d and 1 periods of %.1f h, %d nodes, %d queues, %s", name,
		len(now.Jobs), len(next.Jobs), s.now, length.Seconds()/3600, nodes, len(leaves), t.Objective)
	return t, true
}

// area is the memory-time of a workload in MiB-seconds.
func area(w *simcore.Workload) (sum float64) {
	memory := func(ask simcore.Vec) float64 { return float64(max(ask[simcore.Memory], 1024)) }
	for i := range w.Jobs {
		j := &w.Jobs[i]
		sum += memory(j.MapAsk)*w.StageSeconds(j, simcore.Map) + memory(j.ReduceAsk)*w.StageSeconds(j, simcore.Reduce)
	}
	return sum
}

// askForSome gives containers without a size one of 1 GiB, and none more than a node has.
func askForSome(j *simcore.Job) {
	for _, ask := range []*simcore.Vec{&j.AMAsk, &j.MapAsk, &j.ReduceAsk} {
		if ask[simcore.Memory] == 0 {
			*ask = simcore.Vec{1024, 1}
		}
		ask[simcore.Memory] = min(ask[simcore.Memory], 8192)
	}
}

// equalNodes are n nodes of 8 GiB and 8 cores in a rack.
func equalNodes(n int) *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"/rack"}}
	for i := range n {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%03d", i), Cores: 8, Capacity: simcore.Vec{8192, 8}})
	}
	return c
}

// clone returns a case whose current configuration can change without changing c's.
func (c *Case) clone() Case {
	out := *c
	for _, p := range []**scenario.Case{&out.Now, &out.Next} {
		own, work := **p, *(*p).Work
		work.Jobs = slices.Clone(work.Jobs)
		own.Work = &work
		*p = &own
	}
	return out
}
