package sched

import (
	"math"

	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// OMO: Optimize MapReduce Overlap with a good start (reduce) and a good finish
// (map) (Yang, Wang, Mao, Yao, Mi, Sheng, IEEE Access 2021), on dynamic
// containers: a container serves a map or a reduce as the scheduler decides.
//
// Algorithm 3, for every released container:
//
//	i = LazyStartReduce();  if i >= 0: a reduce of J_i
//	i = BatchFinishMap();   if i >= 0: a map of J_i
//	else FairScheduler()
//
// LazyStartReduce (algorithm 1) and BatchFinishMap (algorithm 2) are in
// package predict, as is the container release frequency they read, which is
// measured in windows of T_w seconds.
//
// What differs: once a job's reduce stage has begun, its other reduces follow
// before anything else (principle 1, which algorithm 3 leaves out); without a
// finished map T_m is unknown and the job is no candidate for either. Windows in which
// nothing was released nor available say nothing of the ratio of the two and are left
// out. d is the job's map output over its maps, which write equally here; the paper
// measures it on those that have finished. The fair default counts a job's maps and
// reduces together (section V-A).
type omo struct {
	*fair
	lazy      predict.LazyStart
	doLazy    bool
	doBatch   bool
	window    simcore.Time
	release   *predict.Release
	released  int
	bandwidth float64 // B, bytes/s; 0 = the node's NIC

	started []bool // reduce stage begun, by job
	jobs    []simcore.JobID
	stages  []predict.MapStage
}

func newOMO(o Options, p Values) (mr1.Scheduler, error) {
	r, err := predict.NewRelease(p.float("beta"))
	if err != nil {
		return nil, err
	}
	window := p.seconds("window")
	if f := file[release](o.files, "release"); f != nil {
		state := f.State
		r, window = &state, simcore.Seconds(f.Windows.Seconds)
	}
	f := &fair{opt: o, pool: "job", total: true, one: newPerBeat(p), even: spread(p.bool("spread"))}
	return &omo{
		fair: f, release: r,
		lazy: predict.LazyStart{BatchFollows: p.bool("batch")}, doLazy: p.bool("lazy"),
		doBatch: p.bool("batch"),
		window:  window, bandwidth: p.float("bandwidth") * 1e6,
	}, nil
}

func (*omo) Name() string { return "omo" }

// Ready holds idle heartbeats back only where no container could be given.
// Which of them a prediction turns away changes with time.
func (s *omo) Ready(v *mr1.View, k simcore.Kind) bool { return v.FirstWaiting(k) != simcore.None }

func (s *omo) Start(v *mr1.View) {
	s.started = make([]bool, v.JobCount())
	if s.bandwidth == 0 {
		s.bandwidth = v.Node(0).NICRate
	}
	if s.bandwidth == 0 {
		s.bandwidth = math.Inf(1) // a cluster without network: shuffling takes no time
	}
}

// Period is the length T_w of a historical window.
func (s *omo) Period() simcore.Time { return s.window }

// Observe counts the containers released in the window.
func (s *omo) Observe(_ *mr1.View, e mr1.Event) {
	switch e.Kind {
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		s.released++
	}
}

// Tick closes a window: R_t containers were released while a_t were available,
// those of maps and of the reduces of jobs whose maps are done.
func (s *omo) Tick(v *mr1.View) {
	available := 0
	for j := v.FirstJob(); j != simcore.None; j = v.NextJob(j) {
		available += int(v.Running(j, simcore.Map))
		if v.Done(j, simcore.Map) == v.Tasks(j, simcore.Map) {
			available += int(v.Running(j, simcore.Reduce))
		}
	}
	if available > 0 || s.released > 0 {
		// The arguments are counts and a positive window: no error is possible.
		_ = s.release.Observe(float64(s.released), float64(available), s.window.Seconds())
	}
	s.released = 0
}

func (s *omo) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	mapFree := s.one.room(v, n, simcore.Map) && !s.even.full(v, n, simcore.Map, anyJob)
	reduceFree := s.one.room(v, n, simcore.Reduce) && !s.even.full(v, n, simcore.Reduce, anyJob)
	if reduceFree {
		if t, ok := s.one.launch(v, n, simcore.Reduce, s.begun(v)); ok {
			return t, true
		}
	}
	s.observeJobs(v)
	if reduceFree {
		if i := s.lazyStartReduce(); i >= 0 {
			s.started[s.jobs[i]] = true
			return s.one.launch(v, n, simcore.Reduce, s.jobs[i])
		}
	}
	if !mapFree {
		return simcore.Task{}, false
	}
	if s.doBatch {
		if i := predict.BatchFinish(s.stages, s.release.Estimate()); i >= 0 {
			return s.one.launch(v, n, simcore.Map, s.jobs[i])
		}
	}
	return s.one.launch(v, n, simcore.Map, s.fair.next(v, simcore.Map))
}

func anyJob(simcore.JobID) bool { return true }

// lazyStartReduce is algorithm 1. A job without maps left starts in any case
// (slowstart 1), which is all that happens when the technique is switched off.
func (s *omo) lazyStartReduce() int {
	if s.doLazy {
		if i := s.lazy.Pick(s.stages, s.release.Estimate()); i >= 0 {
			return i
		}
	}
	for i, st := range s.stages {
		if !st.ReducesStarted && st.Reduces > 0 && st.Pending == 0 && st.Held == 0 {
			return i
		}
	}
	return -1
}

// begun returns the first job whose reduce stage has begun and that has
// reduces to launch.
func (s *omo) begun(v *mr1.View) simcore.JobID {
	for j := v.FirstWaiting(simcore.Reduce); j != simcore.None; j = v.NextWaiting(j, simcore.Reduce) {
		if s.started[j] {
			return j
		}
	}
	return simcore.None
}

// observeJobs describes the active jobs as the two algorithms read them.
func (s *omo) observeJobs(v *mr1.View) {
	s.jobs, s.stages = s.jobs[:0], s.stages[:0]
	for j := v.FirstJob(); j != simcore.None; j = v.NextJob(j) {
		m, r := int(v.Tasks(j, simcore.Map)), int(v.Tasks(j, simcore.Reduce))
		st := predict.MapStage{
			Running: true, ReducesStarted: s.started[j],
			Pending: int(v.Pending(j, simcore.Map)), Reduces: r, Held: held(v, j),
			MapTime: v.MeanTask(j, simcore.Map).Seconds(),
		}
		switch {
		case r > 0 && v.Pending(j, simcore.Reduce) == 0:
			st.ReducesStarted = true
		case m > 0 && v.Done(j, simcore.Map) == 0:
			st.Reduces, st.Pending = 0, 0 // T_m is unknown: no candidate
		}
		if m > 0 {
			d := float64(v.ShuffleBytes(j)) / float64(m)
			st.ShuffleTime = predict.ShuffleTime(d, m, r, s.bandwidth)
		}
		s.jobs, s.stages = append(s.jobs, j), append(s.stages, st)
	}
}
