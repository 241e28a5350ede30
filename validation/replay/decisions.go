package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"sort"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/yarnconf"
)

// Decisions compares allocations, container by container: given the recorded
// heartbeats, asks and releases, is the same kind of container of the same job
// allocated on the same node at the same heartbeat, or, with asynchronous
// scheduling, by the same commit?
type Decisions struct {
	Agreeing  int `json:"agreeing"`
	Total     int `json:"total"`
	Reordered int `json:"reordered"` // steps moved within the records' resolution
	// Asynchronous says that the run scheduled in rounds.
	Asynchronous bool `json:"asynchronous"`
	// Modelled names jobs whose AM log is missing: when they asked for reduces
	// follows from the AM's rules.
	Modelled   []string    `json:"modelled_masters,omitempty"`
	Exceptions []Exception `json:"exceptions"`
}

// Same reports whether every decision is the recorded one.
func (d *Decisions) Same() bool { return d.Agreeing == d.Total && len(d.Exceptions) == 0 }

// Exception is an allocation on which the two differ.
type Exception struct {
	At       float64 `json:"t_s"`
	Node     string  `json:"node"`
	Recorded string  `json:"recorded"` // "-" = nothing
	Decided  string  `json:"decided"`
	Reason   string  `json:"reason"`
	step     int
}

// step is one call of the scheduler.
type step struct {
	at       simcore.Time
	kind     stepKind
	job      int32
	node     int32
	asks     []yarn.Ask // Where is AnyPlace, or -1 - node for a host, or anyRack
	release  []*Container
	done     []*Container
	gone     []*Container // their processes, which outlived them
	expected []*Container // allocated at this heartbeat or commit
	arrived  simcore.Time // of a heartbeat
	try      int32        // application attempt
	decided  simcore.Time // of an ask: when the master had decided on reduces; 0 = not known
	counted  int32        // of an ask with decided: finished maps it counted, -1 = not told
}

type stepKind uint8

const (
	stepSubmit stepKind = iota
	stepAsk
	stepModel // an ask of a master whose log is missing
	stepEnd
	stepKill // the preemption policy ends containers
	stepBeat
	stepCommit // asynchronous scheduling: a proposal for the node is made and committed
	stepQuiet  // asynchronous scheduling: a round that is recorded to have come to nothing
	stepJoin   // a node registers
	stepDrain  // it is being decommissioned
	stepGone   // the ResourceManager lets it go
)

var errNoBeats = errors.New("decisions need heartbeats.csv, which this folder lacks")

// Decisions replays the recorded calls into a fresh scheduler.
func (r *Run) Decisions() (*Decisions, error) {
	calls, err := r.settle()
	if err != nil {
		return nil, err
	}
	return calls.Decisions, nil
}

// judged compares the decisions of a fresh scheduler at the calls that list gives, and returns
// them in the order that explains most; modelled names the jobs whose AM log is missing.
func (r *Run) judged(list func(rounds bool, t0 int64) (steps []step, modelled []string, err error)) (*Settled, error) {
	if len(r.Beats) == 0 {
		return nil, fmt.Errorf("%s: %w", r.Dir, errNoBeats)
	}
	conf, err := yarnconf.Evaluate(r.Queues)
	if err != nil {
		return nil, err
	}
	t0, err := runlog.Epoch(r.Dir)
	if err != nil {
		return nil, err
	}
	steps, modelled, err := list(conf.Asynchronous, t0)
	if err != nil {
		return nil, err
	}
	d := &decider{run: r, conf: conf, steps: steps, cpu: conf.Calculator.Dominant, rounds: conf.Asynchronous,
		modelled: len(modelled)}
	out, err := d.decide()
	if err != nil {
		return nil, err
	}
	out.Modelled = modelled
	return r.settled(d.steps, out), nil
}

// steps builds the sequence of calls from all records, for scheduling by
// heartbeats or by rounds.
//
// It also names the jobs whose AM log is missing.
func (r *Run) steps(rounds bool, t0 int64) (_ []step, modelled []string, err error) {
	steps, err := r.applicationSteps(t0)
	if err != nil {
		return nil, nil, err
	}
	for i, j := range r.Jobs {
		for k, v := range j.views() {
			asks, err := r.asks(int32(i), &v, t0)
			if errors.Is(err, fs.ErrNotExist) {
				asks, err = r.modelSteps(int32(i), &v), nil
				modelled = append(modelled, j.Name)
			}
			if err != nil {
				return nil, nil, err
			}
			for n := range asks {
				asks[n].try = int32(k)
			}
			steps = append(steps, asks...)
		}
	}
	steps, err = r.nodeSteps(steps, rounds, t0)
	return steps, modelled, err
}

// applicationSteps are when applications, or their attempts, enter and leave their
// queues.
func (r *Run) applicationSteps(t0 int64) ([]step, error) {
	added, removed, err := r.applicationTimes(t0)
	if err != nil {
		return nil, err
	}
	var steps []step
	for i, j := range r.Jobs {
		for k, v := range j.views() {
			at := v.Submit + 4*simcore.Millisecond
			if k > 0 {
				at = j.Tries[k-1].Released + 4*simcore.Millisecond
			}
			if list := added[v.ID]; k < len(list) {
				at = list[k]
			}
			steps = append(steps, step{at: at, kind: stepSubmit, job: int32(i), try: int32(k)})
			end := v.Released
			if list := removed[v.ID]; k < len(list) {
				end = list[k]
			}
			if end != simcore.Never {
				steps = append(steps, step{at: end, kind: stepEnd, job: int32(i), try: int32(k)})
			}
		}
	}
	return steps, nil
}

// nodeSteps adds the nodes' heartbeats, and the threads' commits if scheduling is
// by rounds, and puts all in order of time.
func (r *Run) nodeSteps(steps []step, rounds bool, t0 int64) ([]step, error) {
	steps = append(append(steps, r.turns()...), r.nodeBeats(rounds)...)
	if rounds {
		commits, err := r.commits(t0)
		if err != nil {
			return nil, err
		}
		steps = append(steps, commits...)
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	if rounds {
		steps = quiet(steps)
	}
	return steps, nil
}

var leafLine = regexp.MustCompile(`LeafQueue: Application (added|removed) - appId: application_(\d+_\d+)`)

// applicationTimes reads when leaf queues took the attempts of applications in and
// let them go; without the log the times of jobs.csv are used.
func (r *Run) applicationTimes(t0 int64) (added, removed map[string][]simcore.Time, err error) {
	added, removed = map[string][]simcore.Time{}, map[string][]simcore.Time{}
	last, same := simcore.Time(math.MinInt64), simcore.Time(0)
	err = runlog.Lines(r.Dir, "cluster-events.log", t0, func(at simcore.Time, text string) {
		if m := leafLine.FindStringSubmatch(text); m != nil {
			if same++; at != last {
				last, same = at, 0
			}
			at += same * simcore.Microsecond // equal milliseconds in the order of the log
			if m[1] == "added" {
				added["job_"+m[2]] = append(added["job_"+m[2]], at)
			} else {
				removed["job_"+m[2]] = append(removed["job_"+m[2]], at)
			}
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		r.note("no cluster-events.log: applications enter their queue 4 ms after their submission")
		err = nil
	}
	return added, removed, err
}

// asks turns the AM's heartbeats into steps. A heartbeat that picked up
// containers, or gave some back, is dated by the ResourceManager's note of that.
func (r *Run) asks(job int32, j *Job, t0 int64) ([]step, error) {
	located, mapRows := false, int32(1)
	if r.readsFiles(j) {
		located, mapRows = true, 3 // host, rack, "*"
	}
	beats, err := r.masterLog(j, t0, mapRows)
	if err != nil {
		return nil, err
	}
	var steps []step
	for i := range beats {
		b := &beats[i]
		st := step{at: b.at - 2*simcore.Millisecond, kind: stepAsk, job: job, decided: b.last, counted: b.done}
		if at, ok := j.acquiredNear(b.at, b.last); ok {
			st.at = at
		}
		if b.maps >= 0 {
			st.asks = append(st.asks, r.mapRows(b.maps, j.MapMiB, located)...)
		}
		if b.failed >= 0 {
			st.asks = append(st.asks, yarn.Ask{Priority: 5, Size: yarn.Resource{Memory: j.MapMiB, VCores: 1}, Count: b.failed})
		}
		if b.reduces >= 0 {
			st.asks = append(st.asks, yarn.Ask{Priority: 10, Size: yarn.Resource{Memory: j.ReduceMiB, VCores: 1},
				Count: b.reduces})
		}
		for _, id := range b.releases {
			if c := j.Container(id); c != nil {
				st.release = append(st.release, c)
				if c.Released <= st.at && st.at-c.Released < sameBeat {
					st.at = c.Released
				}
			}
		}
		steps = append(steps, st)
	}
	return steps, nil
}

// mapRows are the rows of a map request. Local files lie on the one host that
// all nodes share, so every node is asked for.
func (r *Run) mapRows(n int32, mib int64, located bool) []yarn.Ask {
	row := yarn.Ask{Priority: 20, Size: yarn.Resource{Memory: mib, VCores: 1}, Count: n}
	rows := []yarn.Ask{}
	if located {
		for i := range r.Nodes {
			local := row
			local.Where = yarn.Place(-1 - i)
			rows = append(rows, local)
		}
		rack := row
		rack.Where = yarn.Place(-1 - len(r.Nodes))
		rows = append(rows, rack)
	}
	return append(rows, row)
}

// acquiredNear finds the ResourceManager's time of a heartbeat in which the AM
// picked up containers, by the times of its log lines.
func (j *Job) acquiredNear(at, last simcore.Time) (simcore.Time, bool) {
	for _, c := range j.Containers {
		if c.Kind != "AM" && c.Acquired != simcore.Never && c.Acquired <= max(at, last)+5*simcore.Millisecond &&
			at-c.Acquired < sameBeat {
			return c.Acquired, true
		}
	}
	return 0, false
}

// handled moves a heartbeat to when the ResourceManager came to handle it, as
// the containers it freed or allocated show.
func (s *step) handled(at simcore.Time) { s.at = max(s.at, at-simcore.Millisecond) }

// nodeBeats gives every node heartbeat the containers that it freed and those
// it was given: the last heartbeat of the node before the record.
// With rounds it is given none: they have commits of their own.
func (r *Run) nodeBeats(rounds bool) []step {
	s := beatSteps{r: r, steps: make([]step, len(r.Beats)), byNode: make([][]int, len(r.Nodes))}
	for i, b := range r.Beats {
		s.steps[i] = step{at: b.At, arrived: b.At, kind: stepBeat, node: b.Node}
		s.byNode[b.Node] = append(s.byNode[b.Node], i)
	}
	for j, c := range r.containers() {
		if c.Node < 0 || c.Allocated == simcore.Never {
			continue
		}
		if in := s.upTo(c.Node, c.Allocated); in != nil && !rounds {
			in.expected = append(in.expected, c)
			in.handled(c.Allocated)
		}
		if c.Released == simcore.Never || c.Over != 0 || c.Kind == "UNUSED" || r.goneWith(c) || j.endedWith(c) {
			continue
		}
		if in := s.upTo(c.Node, c.Released); in != nil {
			in.done = append(in.done, c)
			in.handled(c.Released)
		}
	}
	for _, c := range r.containers() {
		if c.Node < 0 || c.Allocated == simcore.Never || c.Gone == simcore.Never {
			continue
		}
		late := simcore.Time(0)
		if c.End == "released" { // by a call handled first, else the container would have ended with the heartbeat
			late = resolution
		}
		if k := slices.IndexFunc(s.byNode[c.Node], func(i int) bool {
			return s.steps[i].arrived >= c.Gone && s.steps[i].at+late >= c.Over
		}); k >= 0 {
			x := &s.steps[s.byNode[c.Node][k]]
			x.gone, x.at = append(x.gone, c), max(x.at, c.Over)
		}
	}
	return s.inOrder()
}

// inOrder has one thread handle the heartbeats in the order of their arrival
// (EventDispatcher): behind a late one all are late. One that arrives before that of its
// node before it is handled is part of it (RMNodeImpl.nextHeartBeat).
func (s *beatSteps) inOrder() []step {
	waits := make([]*step, len(s.byNode)) // by node: its last one
	out := make([]step, 0, len(s.steps))
	last := simcore.Time(math.MinInt64)
	for i := range s.steps {
		x := &s.steps[i]
		if w := waits[x.node]; w != nil && w.at > s.r.Beats[i].At {
			takeOver(w, x)
			w.arrived = x.arrived
			continue
		}
		last = max(last, x.at)
		x.at = last
		out = append(out, *x)
		waits[x.node] = &out[len(out)-1]
	}
	return out
}

// beatSteps are the heartbeats of the nodes as steps, one for each of r.Beats.
type beatSteps struct {
	r      *Run
	steps  []step
	byNode [][]int // indices of a node's
}

// upTo is the last heartbeat of a node up to an instant, nil where there is none.
func (s *beatSteps) upTo(node int32, at simcore.Time) *step {
	if k := s.r.beatsUpTo(s.byNode[node], at); k > 0 {
		return &s.steps[s.byNode[node][k-1]]
	}
	return nil
}

// beatsUpTo counts the heartbeats of a list, ascending indices of Beats, that were
// recorded up to an instant; those of one millisecond lie microseconds apart.
func (r *Run) beatsUpTo(list []int, at simcore.Time) int {
	at += simcore.Millisecond - 1
	return sort.Search(len(list), func(k int) bool { return r.Beats[list[k]].At > at })
}
