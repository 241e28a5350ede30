package datasets

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/trace/sparklog"
)

// This file makes the event logs in datasets/spark, the example of a Spark
// cluster: 16 nodes of 64 GiB and 16 vcores, an ETL chain, dashboards with a
// fixed number of executors, and notebooks that hold cached data between
// questions. Made for this project, no recorded data.

// sparkFlow is one user's stream of similar applications.
type sparkFlow struct {
	user, queue, name string
	apps              int
	first, gap        float64 // seconds: first start, mean gap (exponential)
	conf              map[string]string
	cores             int32
	steps             []sparkStep
	rounds            int // how often the steps behind the first are repeated
}

// sparkStep is one job, after a pause: stages one after another.
type sparkStep struct {
	pause  float64 // seconds, median; before the job
	stages []sparkWork
}

// sparkWork is one stage: tasks, median seconds of one, spread of the logarithm.
type sparkWork struct {
	tasks         int
	time, sigma   float64
	caches, reads bool // leaves its data in memory; reads what the first stage left
}

var sparkFlows = []sparkFlow{
	{user: "etl", queue: "etl", name: "nightly", apps: 7, first: 0, gap: 500, cores: 4, rounds: 1,
		conf: map[string]string{"spark.executor.memory": "12g", "spark.executor.cores": "4",
			"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true",
			"spark.dynamicAllocation.maxExecutors": "36"},
		steps: []sparkStep{{2, []sparkWork{{tasks: 480, time: 18, sigma: 0.35}, {tasks: 200, time: 14, sigma: 0.4},
			{tasks: 60, time: 22, sigma: 0.3}}},
			{5, []sparkWork{{tasks: 120, time: 10, sigma: 0.4}}}}},
	{user: "ann", queue: "bi", name: "dashboard", apps: 9, first: 40, gap: 300, cores: 2, rounds: 2,
		conf: map[string]string{"spark.executor.memory": "6g", "spark.executor.cores": "2", "spark.executor.instances": "6"},
		steps: []sparkStep{{1, []sparkWork{{tasks: 48, time: 4, sigma: 0.3}, {tasks: 12, time: 5, sigma: 0.3}}},
			{3, []sparkWork{{tasks: 24, time: 3, sigma: 0.3}}}}},
	{user: "ben", queue: "bi", name: "report", apps: 6, first: 90, gap: 450, cores: 2, rounds: 1,
		conf: map[string]string{"spark.executor.memory": "6g", "spark.executor.cores": "2",
			"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true",
			"spark.dynamicAllocation.minExecutors": "2", "spark.dynamicAllocation.maxExecutors": "16"},
		steps: []sparkStep{{1, []sparkWork{{tasks: 160, time: 6, sigma: 0.35}, {tasks: 40, time: 8, sigma: 0.3}}}}},
	{user: "carla", queue: "notebooks", name: "notebook", apps: 3, first: 15, gap: 700, cores: 4, rounds: 5,
		conf: map[string]string{"spark.executor.memory": "10g", "spark.executor.cores": "4",
			"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true",
			"spark.dynamicAllocation.maxExecutors": "14"},
		steps: []sparkStep{{10, []sparkWork{{tasks: 96, time: 8, sigma: 0.3, caches: true}}},
			{75, []sparkWork{{tasks: 96, time: 2.5, sigma: 0.3, reads: true}, {tasks: 16, time: 4, sigma: 0.3}}}}},
	{user: "dirk", queue: "notebooks", name: "notebook", apps: 3, first: 120, gap: 850, cores: 4, rounds: 4,
		conf: map[string]string{"spark.executor.memory": "10g", "spark.executor.cores": "4",
			"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true",
			"spark.dynamicAllocation.maxExecutors": "20", "spark.dynamicAllocation.cachedExecutorIdleTimeout": "600s"},
		steps: []sparkStep{{20, []sparkWork{{tasks: 128, time: 6, sigma: 0.3, caches: true}}},
			{110, []sparkWork{{tasks: 128, time: 3, sigma: 0.35, reads: true}, {tasks: 24, time: 3, sigma: 0.3}}}}},
}

const (
	sparkSeed  = 22
	sparkNodes = 16
	sparkEpoch = 1_780_000_000_000 // ms: when the first application started
	// Purposes of the draws.
	purposeSparkStart = 0x737061<<8 + iota
	purposeSparkTask
	purposeSparkPause
	purposeSparkLaunch
)

// sparkLogs returns the applications of the example in order of their starts.
// Each is recorded as if it had run alone: executors come as dynamic allocation
// asks for them, stay to the end, and tasks go to the core that is free first.
func sparkLogs() []*sparklog.App {
	var apps []*sparklog.App
	for f := range sparkFlows {
		flow := &sparkFlows[f]
		key := rng.NewKey(sparkSeed, purposeSparkStart).At(uint64(f))
		at := flow.first
		for i := range flow.apps {
			if i > 0 {
				at += flow.gap * key.Exp(uint64(i))
			}
			m := &sparkMaker{flow: flow, id: uint64(f)<<16 | uint64(i)}
			apps = append(apps, m.app(sparkEpoch+sparklog.Millis(at*1000), i))
		}
	}
	slices.SortStableFunc(apps, func(a, b *sparklog.App) int { return int(a.Start - b.Start) })
	for i, a := range apps {
		a.ID = fmt.Sprintf("application_%d_%04d", int64(sparkEpoch-60_000), i+1)
		a.DriverContainer = fmt.Sprintf("container_%d_%04d_01_000001", int64(sparkEpoch-60_000), i+1)
		for k := range a.Executors {
			a.Executors[k].Container = fmt.Sprintf("container_%d_%04d_01_%06d", int64(sparkEpoch-60_000), i+1, k+2)
		}
	}
	return apps
}

// sparkMaker makes one application.
type sparkMaker struct {
	flow  *sparkFlow
	id    uint64 // keys its draws
	a     *sparklog.App
	free  []sparklog.Millis // by core of all executors: when it is free
	tasks uint64
}

func (m *sparkMaker) draw(purpose uint64) rng.Key { return rng.NewKey(sparkSeed, purpose).At(m.id) }

func (m *sparkMaker) app(start sparklog.Millis, n int) *sparklog.App {
	flow := m.flow
	conf := map[string]string{"spark.master": "yarn", "spark.submit.deployMode": "cluster", "spark.yarn.queue": flow.queue,
		"spark.driver.memory": "3g", "spark.scheduler.mode": "FIFO"}
	maps.Copy(conf, flow.conf)
	m.a = &sparklog.App{Attempt: "1", Name: fmt.Sprintf("%s-%d", flow.name, n+1), User: flow.user, Version: "3.5.5",
		Start: start, Ready: start + 400, DriverHost: m.host(0), Conf: conf,
		Profiles: []sparklog.Profile{{Cores: int64(flow.cores), Memory: m.memory(), Overhead: sparklog.Unknown, TaskCPUs: 1}}}
	at := start + 700
	if want := m.number("spark.executor.instances"); want > 0 { // the code waits for 80 % of them
		at = m.grow(want, at) + 100
	} else if least := m.number("spark.dynamicAllocation.minExecutors"); least > 0 {
		at = m.grow(least, at) + 100
	}
	at = m.step(&flow.steps[0], at)
	for range flow.rounds {
		for s := 1; s < len(flow.steps); s++ {
			at = m.step(&flow.steps[s], at)
		}
	}
	m.a.End = at + 20
	m.a.Last = m.a.End
	return m.a
}

func (m *sparkMaker) number(property string) int {
	n := 0
	fmt.Sscanf(m.flow.conf[property], "%d", &n)
	return n
}

func (m *sparkMaker) memory() int64 {
	n := int64(0)
	fmt.Sscanf(m.flow.conf["spark.executor.memory"], "%dg", &n)
	return n << 10
}

func (m *sparkMaker) host(i int) string {
	return fmt.Sprintf("worker%d", (int(m.id)+5*i)%sparkNodes)
}

// grow adds executors until there are n, asked for at one time, and returns
// when four fifths of them are there.
func (m *sparkMaker) grow(n int, asked sparklog.Millis) sparklog.Millis {
	key := m.draw(purposeSparkLaunch)
	var added []sparklog.Millis
	for len(m.a.Executors) < n {
		i := len(m.a.Executors)
		at := asked + 2200 + sparklog.Millis(key.IntN(uint64(i), 1400))
		m.a.Executors = append(m.a.Executors, sparklog.Executor{ID: fmt.Sprint(i + 1), Host: m.host(i + 1),
			Cores:     m.flow.cores,
			Requested: asked, Added: at, Storage: at + 60, Removed: sparklog.Unknown})
		added = append(added, at)
		for range m.flow.cores {
			m.free = append(m.free, at+100)
		}
	}
	if len(added) == 0 {
		return asked
	}
	slices.Sort(added)
	return added[int(math.Ceil(0.8*float64(len(added))))-1]
}

// step runs a job and returns its end.
func (m *sparkMaker) step(s *sparkStep, at sparklog.Millis) sparklog.Millis {
	id := int32(len(m.a.Jobs))
	pause := s.pause * math.Exp(0.4*m.draw(purposeSparkPause).Norm(uint64(id)))
	at += sparklog.Millis(pause * 1000)
	job := sparklog.Job{ID: id, Submit: at, Execution: sparklog.Unknown, Result: sparklog.Succeeded}
	for i := range s.stages {
		at += 8
		st := m.stage(&s.stages[i], id, at)
		if i > 0 {
			st.Parents = []int32{st.ID - 1}
		}
		st.Writes = i+1 < len(s.stages)
		for k := range st.Attempts {
			t := &st.Attempts[k]
			t.ShuffleWrite, t.ShuffleRead = 0, 0
			if st.Writes {
				t.ShuffleWrite = 4 << 20
			}
			if i > 0 {
				t.ShuffleRead, t.ShuffleRemote = 6<<20, 5<<20
			}
		}
		job.Stages = append(job.Stages, st.ID)
		at = st.End
		m.a.Stages = append(m.a.Stages, st)
	}
	job.End = at + 1
	m.a.Jobs = append(m.a.Jobs, job)
	return job.End
}

// stage runs its tasks on the cores that are free first.
func (m *sparkMaker) stage(w *sparkWork, job int32, at sparklog.Millis) sparklog.Stage {
	id := int32(len(m.a.Stages))
	st := sparklog.Stage{ID: id, Job: job, Name: fmt.Sprintf("stage %d of %s", id, m.flow.name), Tasks: int32(w.tasks),
		RDD: 2 * id, Submit: at,
		Result: sparklog.Succeeded, Started: int32(w.tasks)}
	if w.caches {
		m.a.Caches = append(m.a.Caches, sparklog.Cache{RDD: st.RDD, Name: "questions", Memory: true, Partitions: st.Tasks,
			Replicas: 1})
	}
	if w.caches || w.reads {
		st.Cached = []int32{m.a.Caches[0].RDD}
	}
	m.ramp(w.tasks, at)
	key := m.draw(purposeSparkTask)
	for i := range w.tasks {
		core := 0
		for c, t := range m.free {
			if max(t, at) < max(m.free[core], at) {
				core = c
			}
		}
		exec := int32(core) / m.flow.cores
		run := sparklog.Millis(1000 * w.time * math.Exp(w.sigma*key.Norm(m.tasks)))
		t := sparklog.Task{ID: int64(m.tasks), Index: int32(i), Executor: exec, Locality: sparklog.ProcessLocal,
			Launch:  max(m.free[core], at) + 3,
			Getting: sparklog.Unknown, Run: run, Deserialize: 8, Reason: sparklog.Success, Input: 64 << 20}
		over := sparklog.Millis(30)
		if m.free[core] == m.a.Executors[exec].Added+100 {
			over, t.Deserialize = 330, 250 // classes are loaded
		}
		t.Finish = t.Launch + run + over
		m.free[core] = t.Finish
		m.tasks++
		st.Attempts = append(st.Attempts, t)
		st.End = max(st.End, t.Finish)
	}
	slices.SortStableFunc(st.Attempts, func(a, b sparklog.Task) int { return int(a.Finish - b.Finish) })
	return st
}

// ramp adds executors as dynamic allocation does while tasks wait: one, two,
// four, eight … a second, up to what the tasks need and the limit allows.
func (m *sparkMaker) ramp(tasks int, at sparklog.Millis) {
	if m.flow.conf["spark.dynamicAllocation.enabled"] != "true" {
		return
	}
	need := min((tasks+int(m.flow.cores)-1)/int(m.flow.cores), m.number("spark.dynamicAllocation.maxExecutors"))
	asked := at + 100
	for step := 1; len(m.a.Executors) < need; step *= 2 {
		m.grow(min(len(m.a.Executors)+step, need), asked)
		asked += 1000
	}
}
