package mr1_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
	"schedtune/validation/testdata"
)

// killer has the newest attempt of every third heartbeat's node killed.
type killer struct {
	schedtest.FIFO
	beats, killed int
}

func (k *killer) Preempt(v *mr1.View, n simcore.NodeID, dst []mr1.Attempt) []mr1.Attempt {
	k.beats++
	if k.beats%3 != 0 || k.killed >= 200 {
		return dst
	}
	var newest mr1.Attempt
	for a := range v.Attempts(n) {
		if newest.Start <= a.Start {
			newest = a
		}
	}
	if newest.Node != n || newest.Start == 0 {
		// none of them runs
		return append(dst, mr1.Attempt{Node: -1}, mr1.Attempt{Node: 9999}, mr1.Attempt{Task: simcore.Task{Index: 12345},
			Node: n})
	}
	k.killed++
	return append(dst, newest)
}

// What is preempted is pending again and runs to its end later: the book agrees, the
// kills are counted, and all tasks finish once.
func TestPreemptedTasksRunAgain(t *testing.T) {
	t.Parallel()
	seeds, killed := testdata.Cases(24), 0
	for seed := range uint64(seeds) {
		_, c, w := scene(seed)
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Model(1 + seed%2), Seed: seed},
			Replication: int(seed % 3)}
		k := &killer{FIFO: schedtest.FIFO{Slowstart: 0.3}}
		book := newLedger(t, cfg, c, w, k)
		r, err := mr1.Run(cfg, c, w, preempting{book, k})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := int(r.Total.Killed[0] + r.Total.Killed[1]); got != k.killed {
			t.Errorf("seed %d: %d attempts counted as killed, %d were", seed, got, k.killed)
		}
		if got, want := int(r.Total.Finished[0]+r.Total.Finished[1]), schedtest.Tasks(w); got != want {
			t.Errorf("seed %d: %d tasks finished of %d", seed, got, want)
		}
		killed += k.killed
	}
	if killed < 8*seeds {
		t.Errorf("%d attempts killed: too few to tell", killed)
	}
}

type preempting struct {
	*ledger
	*killer
}

func (p preempting) Start(v *mr1.View) { p.ledger.Start(v) }
func (p preempting) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	return p.ledger.Pick(v, n)
}
func (p preempting) Observe(v *mr1.View, e mr1.Event)       { p.ledger.Observe(v, e) }
func (p preempting) Wants() uint32                          { return ^uint32(0) }
func (p preempting) Ready(v *mr1.View, k simcore.Kind) bool { return true }
func (p preempting) Name() string                           { return "killer" }

// A job that fails leaves nothing behind: its attempts are killed, its pending tasks
// are no longer, and the other jobs go on; the book says so at every pick.
func TestFailedJobsLeaveNothing(t *testing.T) {
	failed := 0
	for seed := range uint64(30) {
		_, c, w := scene(seed)
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Model(1 + seed%2), Seed: seed},
			Replication: 2, Pool: seed%3 == 0}
		cfg.Failures = mr1.Failures{Attempt: 0.3, MaxAttempts: 2}
		if seed%2 == 1 {
			cfg.Speculation = mr1.Speculation{On: true, After: 5 * simcore.Second, Cap: 0.3}
		}
		l := newLedger(t, cfg, c, w, scheduler(int(seed%2), seed))
		r, err := mr1.Run(cfg, c, w, l)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range r.Jobs {
			if r.Jobs[i].Failed {
				failed++
				over := false
				for _, n := range l.jobs[i].failed {
					over = over || n == 2
				}
				if !over {
					t.Errorf("seed %d: job %d failed without a task that failed twice", seed, i)
				}
			}
			for task, n := range l.jobs[i].failed {
				if n > 2 || n == 2 && !r.Jobs[i].Failed {
					t.Errorf("seed %d: %v failed %d times, the job failed: %v", seed, task, n, r.Jobs[i].Failed)
				}
			}
		}
		for n, as := range l.attempts {
			if len(as) > 0 {
				t.Errorf("seed %d: node %d still runs %v", seed, n, as)
			}
		}
	}
	if failed < 30 {
		t.Errorf("%d jobs failed: too few to tell", failed)
	}
}

// Where output is not tracked, none is told.
func TestOutputUntracked(t *testing.T) {
	s := &untracked{}
	if _, err := mr1.Run(ideal(simcore.Sampled, 1), schedtest.Uniform(2, 2, simcore.Vec{1, 1}), schedtest.Mixed(4, 3),
		s); err != nil {
		t.Fatal(err)
	}
	if s.asked == 0 || s.told != 0 {
		t.Errorf("%d bytes told in %d answers", s.told, s.asked)
	}
}

type untracked struct {
	schedtest.FIFO
	asked int
	told  int64
}

func (s *untracked) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	dst := make([]int64, v.Nodes())
	for j := range v.Jobs() {
		v.Output(j, dst)
		s.asked++
	}
	for _, b := range dst {
		s.told += b
	}
	return s.FIFO.Pick(v, n)
}
