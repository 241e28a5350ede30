package mr1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// inOrder launches maps of the first job that has one waiting, else reduces of the
// first job whose maps are done.
type inOrder struct{}

func (inOrder) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if v.Free(n, simcore.Map) > 0 {
		if j := v.FirstWaiting(simcore.Map); j != simcore.None {
			return simcore.Task{Job: j, Kind: simcore.Map, Index: simcore.AnyTask}, true
		}
	}
	if v.Free(n, simcore.Reduce) > 0 {
		for j := range v.Waiting(simcore.Reduce) {
			if v.Done(j, simcore.Map) == v.Tasks(j, simcore.Map) {
				return simcore.Task{Job: j, Kind: simcore.Reduce, Index: simcore.AnyTask}, true
			}
		}
	}
	return simcore.Task{}, false
}

// naive is the second opinion on inOrder: it visits every heartbeat of every node in
// the order of time, with recorded task times and no state but lists.
type naive struct {
	cfg    mr1.Config
	c      *simcore.Cluster
	w      *simcore.Workload
	runs   []naiveRun
	next   [][2]int32 // by job and kind, the next task to launch
	done   [][2]int32
	events []string
}

type naiveRun struct {
	task       simcore.Task
	node       int
	start, end simcore.Time // end of the work, not of its report
}

func (s *naive) play() []string {
	key := rng.NewKey(s.cfg.Seed, kernel.PurposePhase)
	beats := make([]simcore.Time, len(s.c.Nodes)) // the next of each node
	for n := range beats {
		beats[n] = simcore.Time(key.IntN(uint64(n), int(s.cfg.Heartbeat)))
	}
	s.next, s.done = make([][2]int32, len(s.w.Jobs)), make([][2]int32, len(s.w.Jobs))
	left := schedtest.Tasks(s.w)
	for left > 0 {
		at, node, prompt := simcore.Never, -1, false
		for n, b := range beats {
			if b < at {
				at, node = b, n
			}
		}
		if s.cfg.OutOfBand { // an end is a heartbeat of its own
			for _, r := range s.runs {
				if r.end < at {
					at, node, prompt = r.end, r.node, true
				}
			}
		}
		left -= s.heartbeat(at, node)
		if !prompt {
			beats[node] += s.cfg.Heartbeat
		}
	}
	slices.Sort(s.events)
	return s.events
}

// heartbeat reports what has ended on the node and fills it; it returns the number of
// ended tasks.
func (s *naive) heartbeat(at simcore.Time, node int) (ended int) {
	var running [2]int64
	s.runs = slices.DeleteFunc(s.runs, func(r naiveRun) bool {
		if r.node != node {
			return false
		}
		if r.end <= at {
			ended++
			s.done[r.task.Job][r.task.Kind]++
			s.events = append(s.events, fmt.Sprintf("%015d end %v on %d after %d", at, r.task, node, at-r.start))
			return true
		}
		running[r.task.Kind]++
		return false
	})
	for {
		free := s.c.Nodes[node].Slots
		free[0], free[1] = free[0]-running[0], free[1]-running[1]
		if s.cfg.Pool {
			free[0] += free[1]
			free[1] = free[0]
		}
		task, ok := s.pick(at, free)
		if !ok {
			return ended
		}
		job := &s.w.Jobs[task.Job]
		i := job.FirstTask + task.Index
		if task.Kind == simcore.Reduce {
			i += job.Maps
		}
		s.next[task.Job][task.Kind]++
		running[task.Kind]++
		s.runs = append(s.runs, naiveRun{task, node, at, at + s.cfg.Launch + s.w.Tasks.Duration[i]})
		s.events = append(s.events, fmt.Sprintf("%015d start %v on %d", at, task, node))
	}
}

func (s *naive) pick(at simcore.Time, free simcore.Vec) (simcore.Task, bool) {
	for k := range simcore.Kind(2) {
		for j := range s.w.Jobs {
			job := &s.w.Jobs[j]
			if tasks := [2]int32{job.Maps, job.Reduces}[k]; free[k] > 0 && job.Submit+s.cfg.JobInit <= at &&
				s.next[j][k] < tasks && (k == simcore.Map || s.done[j][0] == job.Maps) {
				return simcore.Task{Job: simcore.JobID(j), Kind: k, Index: s.next[j][k]}, true
			}
		}
	}
	return simcore.Task{}, false
}

// The history of a run is that of the second opinion, launch for launch and end for
// end, with heartbeats of their own and after ends, pools, latencies, jobs without maps
// or reduces, and nodes without slots of a kind; with tasks counted and tracked, with
// all heartbeats simulated and only those that matter.
func TestHistoryIsTheNaiveOne(t *testing.T) {
	for seed := range uint64(60) {
		k := rng.NewKey(seed, 31)
		c := schedtest.Uniform(1+k.IntN(0, 7), 3, simcore.Vec{int64(1 + k.IntN(1, 4)), int64(1 + k.IntN(2, 3))})
		for n := range c.Nodes {
			switch k.IntN(uint64(20+n), 5) {
			case 0:
				c.Nodes[n].Slots[0]++
			case 1:
				if n > 0 {
					c.Nodes[n].Slots = simcore.Vec{0, 0}
				}
			}
		}
		w := schedtest.Mixed(seed, 1+k.IntN(3, 12))
		for j := range w.Jobs {
			if k.IntN(uint64(40+j), 6) == 0 && w.Jobs[j].Reduces > 0 {
				w.Jobs[j].Maps = 0
			}
		}
		record(w, seed)
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Replay, Seed: seed},
			OutOfBand: k.IntN(4, 2) == 0, Pool: k.IntN(5, 3) == 0,
			JobInit: simcore.Time(k.IntN(6, 3)) * simcore.Second, Launch: simcore.Time(k.IntN(7, 3000)) * simcore.Millisecond,
			Heartbeat: simcore.Time(500+k.IntN(8, 4000)) * simcore.Millisecond}
		want := (&naive{cfg: cfg, c: c, w: w}).play()
		for variant := range 4 {
			cfg.TrackOutput, cfg.EveryBeat = variant&1 != 0, variant&2 != 0
			var got []string
			cfg.Trace = func(at simcore.Time, e mr1.Event) {
				switch e.Kind {
				case mr1.TaskStarted:
					got = append(got, fmt.Sprintf("%015d start %v on %d", at, e.Task, e.Node))
				case mr1.TaskFinished:
					got = append(got, fmt.Sprintf("%015d end %v on %d after %d", at, e.Task, e.Node, e.Took))
				}
			}
			if _, err := mr1.Run(cfg, c, w, inOrder{}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("seed %d, variant %d, %+v: %s", seed, variant, cfg, firstDifference(strings.Join(got, "\n"),
					strings.Join(want, "\n")))
			}
		}
	}
}
