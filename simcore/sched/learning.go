package sched

import (
	"fmt"
	"math"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Learning is the learning scheduler (Dhok, Varma, "Using Pattern Classification for Task
// Assignment in MapReduce", CCGRID 2010).
//
// On a heartbeat of a node (figure 3):
//
//  1. the decisions of the node's last heartbeat are judged by the overload rule and
//     taught to the classifier;
//  2. each job in the queue gives a candidate for its maps and one for its
//     reduces; the classifier labels them good or bad by the job's and the
//     node's features;
//  3. of the good ones the task with the largest E.U.*(J) = U(J) P(good) prod P(F_i | good)
//     is assigned (section IV-C), local input first; of bad ones none.
//
// At most k tasks are assigned per heartbeat, and as many decisions are kept for each
// node until they are judged (V-A: k = 1). The node's slot limit is ignored
// (acceptNewTasks is disregarded): give the nodes more slots than they can use. Hints
// that a job does not give are the mode of those that the jobs before it gave.
//
// The paper's histogram counts without smoothing, which cannot decide where a level was
// never seen with either class; smoothing adds that little to every count.
//
// What differs: a node that runs nothing gets its best candidate even if that
// is labelled bad (idle=assign), because a job that overloads an idle node
// could otherwise never end; idle=wait follows the paper. Equal candidates go
// to the job with fewer tasks, then the earlier one.
type Learning struct {
	opt Options
	judge
	utility   classify.Utility
	slowstart float64
	k         int
	idleTask  bool
	sensor    sensor

	modes  *classify.Modes
	last   []decisions // by node
	beat   int64
	node   simcore.NodeID
	given  int
	loads  []LoadSample
	hint   [jobFeatures]float64
	window []bool // judged decisions: was "good" right?
	best   []float64
}

// decisions are what was assigned to a node in its last heartbeat and has not been judged.
type decisions struct {
	x []float64 // feature vectors, one after the other

	sampled bool         // the node's load has been recorded
	at      simcore.Time // when
}

// loadInterval is the least time between two recorded loads of a node.
const loadInterval = 5 * simcore.Second

func newLearning(o Options, p Values) (mr1.Scheduler, error) {
	s := &Learning{
		opt: o, slowstart: p.float("slowstart"), k: p.int("per-heartbeat"),
		idleTask: p["idle"] == "assign", beat: -1,
		sensor: sensor{hints: o.Hints, noise: p.float("noise"), draw: drawKey(&o, purposeError)},
	}
	var err error
	target := p.float("target")
	if s.judge, err = newJudge(p["classifier"], target, p.float("smoothing"),
		file[modelfile.Model](o.files, "model"), p.bool("learn")); err != nil {
		return nil, err
	}
	u, err := classify.NewUtility(p["utility"])
	if err != nil {
		return nil, fmt.Errorf("utility: %w", err)
	}
	// Every policy is combined with "map before reduce" at the slowstart.
	s.utility = classify.Product{u, classify.MapFirst{Share: s.slowstart}}
	s.modes = classify.NewModes(loadSchema(target))
	s.best = make([]float64, len(s.x))
	return s, nil
}

// Name returns "learning".
func (*Learning) Name() string { return "learning" }

// Start prepares a run; mr1 calls it.
func (s *Learning) Start(v *mr1.View) {
	s.last = make([]decisions, v.Nodes())
	s.sensor.start(v)
}

// Wants names the events that Observe looks at.
func (*Learning) Wants() uint32 { return 1 << mr1.JobArrived }

// Observe counts the hints that a job gives.
func (s *Learning) Observe(v *mr1.View, e mr1.Event) {
	if e.Kind != mr1.JobArrived {
		return
	}
	for _, k := range kinds {
		if v.Tasks(e.Task.Job, k) > 0 {
			s.hints(v, e.Task.Job)
			s.modes.Observe(s.hint[:])
		}
	}
}

// Heartbeat judges the decisions of the node's last heartbeat.
func (s *Learning) Heartbeat(v *mr1.View, n simcore.NodeID) {
	state := s.sensor.read(v, n)
	d := &s.last[n]
	if !d.sampled || v.Now()-d.at >= loadInterval {
		d.sampled, d.at = true, v.Now()
		s.loads = append(s.loads, LoadSample{v.Now(), n, state.Load1 / math.Max(state.CPUs, 1)})
	}
	label := classify.Label(s.rule, state)
	for x := d.x; len(x) > 0; x = x[len(s.x):] {
		s.window = append(s.window, label == classify.Good)
		s.learn(x[:len(s.x)], label)
	}
	d.x = d.x[:0]
}

// Pick assigns the good candidate with the largest expected utility (steps 2 and 3).
func (s *Learning) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if v.Beat() != s.beat || n != s.node {
		s.beat, s.node, s.given = v.Beat(), n, 0
	}
	if s.given >= s.k {
		return simcore.Task{}, false
	}
	t, ok := s.choose(v, n)
	if ok {
		s.given++
		s.last[n].x = append(s.last[n].x, s.best...)
	}
	return t, ok
}

// choose returns the good candidate with the largest expected utility.
func (s *Learning) choose(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	idle := s.idleTask && v.RunningOn(n, simcore.Map)+v.RunningOn(n, simcore.Reduce) == 0
	state := s.sensor.state(v, n)
	var best simcore.Task
	found, most := false, 0.0
	for _, k := range kinds {
		if v.Free(n, k) == 0 {
			continue
		}
		for j := v.FirstWaiting(k); j != simcore.None; j = v.NextWaiting(j, k) {
			u := s.utility.Utility(s.candidate(v, j, k))
			if u <= 0 {
				continue
			}
			s.hints(v, j)
			s.modes.Fill(s.hint[:])
			s.features(int32(n), s.hint[:], state, v.Load(n))
			eu, good := classify.JointUtility(s.model, s.x, u, s.prob)
			if s.vector != nil {
				good = s.good()
			}
			if !good && !idle {
				continue
			}
			if !found || eu > most || eu == most && held(v, j) < held(v, best.Job) {
				best, most, found = anyTask(j, k), eu, true
				copy(s.best, s.x)
			}
		}
	}
	return best, found
}

// hints fills in what the job says of its tasks; NaN is unknown.
func (s *Learning) hints(v *mr1.View, j simcore.JobID) {
	copy(s.hint[:], unhinted)
	if c := int(v.Class(j)); c >= 0 && c < len(s.opt.Hints) {
		for i, u := range s.opt.Hints[c].Usage {
			if u > 0 {
				s.hint[i] = u
			}
		}
	}
}

func (s *Learning) candidate(v *mr1.View, j simcore.JobID, k simcore.Kind) classify.Candidate {
	g := s.opt.grant(v.User(j))
	slots := float64(max(v.TotalSlots(simcore.Map)+v.TotalSlots(simcore.Reduce), 1))
	return classify.Candidate{
		Reduce: k == simcore.Reduce, Maps: int(v.Tasks(j, simcore.Map)), CompletedMaps: int(v.Done(j, simcore.Map)),
		// A job submitted this instant has age 0 and so no utility (IV-B 2); a second more
		// keeps it eligible and the order by age as it is.
		Age: (v.Now() - v.Submit(j)).Seconds() + 1,
		// A user's weight is the money left and the offer; the minimum share
		// is the promise. A user without a grant has unit weight.
		Balance: g.Weight, Offer: g.Weight,
		Allocated: float64(held(v, j)) / slots, Promised: math.Max(float64(g.MinShare), 1) / slots,
	}
}

// LoadSample is a node's load at a heartbeat.
type LoadSample struct {
	At    simcore.Time   // of the heartbeat
	Node  simcore.NodeID // that sent it
	Ratio float64        // load average of a minute per processor
}

// Loads returns the nodes' loads at heartbeats at least five seconds apart, in order of
// time: the series behind the paper's figures 8a and 9.
func (s *Learning) Loads() []LoadSample { return s.loads }

// Judged returns, for every judged decision in order, whether the overload
// rule confirmed it: the series behind the paper's figure 10.
func (s *Learning) Judged() []bool { return s.window }
