package simcore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// SparkApp describes one Spark application: the jobs of its driver's program, its executors and
// its settings. The driver occupies the application master's container (Job.AMAsk: driver
// memory with overhead, driver cores) until the end; Job.Maps and Job.Reduces are 0.
type SparkApp struct {
	Settings SparkSettings // of the application
	// Ready is the least time from the registration of an executor to its first task, as for
	// plugins that start in it; 0 = as the calibration says.
	Ready Time
	// Executors are the resource profiles; 0 is the default profile.
	Executors []SparkExecutor
	// Jobs in order of their first possible submission; a job may wait only for
	// jobs before it.
	Jobs []SparkJob
	// Stages of all jobs. A stage's parents stand before it.
	Stages []SparkStage
	// Pools of FAIR scheduling; nil = one pool, "default", of FIFO order,
	// weight 1 and minimum share 0.
	Pools []SparkPool
}

// SparkExecutor describes an executor of a resource profile.
type SparkExecutor struct {
	// Container is the request to YARN: executor memory with overhead (and off-heap and Python
	// memory) in MiB, and cores.
	Container Vec
	Cores     int32 // tasks' cores (spark.executor.cores); 0 reads as 1
	TaskCPUs  int32 // cores of one task (spark.task.cpus); 0 reads as 1
}

// Slots returns how many tasks an executor of the profile runs at a time.
func (e *SparkExecutor) Slots() int32 { return max(max(e.Cores, 1)/max(e.TaskCPUs, 1), 1) }

// SparkJob is one action of the driver's program. One without stages only
// waits (think time), or drops cached data.
type SparkJob struct {
	// After lists the jobs that must end before, as indices into Jobs; if empty, the job
	// counts from the start of the user's code.
	After []int32
	// Delay is the driver's own time from the last of these ends to the submission: for
	// computing, or for a person to react.
	Delay Time
	// Stages[FirstStage:FirstStage+Stages] of the application are this job's.
	FirstStage, Stages int32
	Pool               int32 // index into Pools
	// Unpersist lists data sets (SparkStage.Caches) to drop when the job begins.
	Unpersist []int32
}

// SparkStage is one stage of a job. Stages that Spark skips, because their output exists, are
// left out.
type SparkStage struct {
	Job int32 // index into Jobs
	// Parents lists the stages, of this job or of jobs that ended before, whose output the
	// tasks read in a shuffle.
	Parents []int32
	Tasks   int32
	// FirstTask is the index of the first task into Workload.Tasks: Duration (from launch at
	// the executor to the end, without the extra time of an executor's first task), Input
	// (bytes read), Output (shuffle bytes written), Hosts (preferred nodes). -1: single tasks
	// are not described; their times follow Dist.
	FirstTask int32
	Dist      int32 // index into Workload.Dists, -1 = none
	Profile   int32 // index into Executors

	// ShuffleWrite reports whether the tasks write shuffle output, which stays on the executor
	// or, with the external shuffle service, on the node. OutputBytes is the total over the
	// stage, where single tasks are not described.
	ShuffleWrite bool
	OutputBytes  int64
	// Parts holds the bytes that each task writes for each reducer: for each task a row with
	// one entry per task of the reading stage; nil = equal parts. They determine the
	// executors near to a reducer.
	Parts []int32
	// Reads is the data set (see Caches) that the tasks read, -1 = none. Task i prefers the
	// executor with block i; it recomputes a lost block, in the time of the task that made it.
	Reads int32
	// Caches is the number, from 0 within the application, of the data set that the tasks
	// leave in executor memory, -1 = none. OnDisk: it is kept on disk only, so that the
	// shuffle service can serve it.
	Caches int32
	OnDisk bool
}

// SparkPool is a pool of the FAIR scheduler inside an application
// (fairscheduler.xml).
type SparkPool struct {
	Name     string // as jobs name it
	Fair     bool   // the pool's own stages are in FAIR order instead of FIFO
	Weight   int32
	MinShare int32 // cores
}

// SparkSettings holds the properties of an application that the simulation follows. A time of
// Never stands for infinity.
type SparkSettings struct {
	Dynamic bool // spark.dynamicAllocation.enabled
	// Instances is spark.executor.instances: the executors of a static application (2 unless
	// set); with dynamic allocation it only raises Initial.
	Instances         int32
	Min, Initial, Max int32   // spark.dynamicAllocation.{min,initial,max}Executors
	Ratio             float64 // .executorAllocationRatio, above 0 to 1

	Backlog, Sustained      Time    // .schedulerBacklogTimeout, .sustainedSchedulerBacklogTimeout
	Idle, CachedIdle        Time    // .executorIdleTimeout, .cachedExecutorIdleTimeout
	ShuffleTracking         bool    // .shuffleTracking.enabled, counts only without ShuffleService
	ShuffleTimeout          Time    // .shuffleTracking.timeout
	ShuffleService          bool    // spark.shuffle.service.enabled
	FetchCached             bool    // spark.shuffle.service.fetch.rdd.enabled
	Fair                    bool    // spark.scheduler.mode = FAIR
	WaitProcess             Time    // spark.locality.wait.process
	WaitNode, WaitRack      Time    // spark.locality.wait.node, .rack
	MinRegistered           float64 // spark.scheduler.minRegisteredResourcesRatio, 0 to 1
	MaxRegisteredWait       Time    // spark.scheduler.maxRegisteredResourcesWaitingTime
	MaxStageAttempts        int32   // spark.stage.maxConsecutiveAttempts
	Speculation             bool    // spark.speculation
	SpeculationInterval     Time    // spark.speculation.interval
	SpeculationMultiplier   float64 // spark.speculation.multiplier, of the median run time
	SpeculationQuantile     float64 // spark.speculation.quantile, share of tasks that have to be done, 0 to 1
	SpeculationMinRuntime   Time    // spark.speculation.minTaskRuntime
	Heartbeat, FastBeat     Time    // spark.yarn.scheduler.heartbeat.interval-ms, .initial-allocation.interval
	ReducePreference        bool    // spark.shuffle.reduceLocality.enabled
	ReducePreferredShare    float64 // of a reducer's input that makes an executor preferred; 0.2 in the source
	ReducePreferredMaxTasks int32   // stages of at least as many maps or reducers have no preference; 1000 in the source
}

// DefaultSparkSettings returns the defaults of Spark 3.5.5
// (core/internal/config/package.scala, resource-managers/yarn/config.scala).
// Dynamic allocation is off.
func DefaultSparkSettings() SparkSettings {
	return SparkSettings{
		Instances: 2, Max: math.MaxInt32, Ratio: 1,
		Backlog: Second, Sustained: Second,
		Idle: Minute, CachedIdle: Never,
		ShuffleTracking: true, ShuffleTimeout: Never,
		WaitProcess: 3 * Second, WaitNode: 3 * Second, WaitRack: 3 * Second,
		MinRegistered: 0.8, MaxRegisteredWait: 30 * Second,
		MaxStageAttempts:    4,
		SpeculationInterval: 100 * Millisecond, SpeculationMultiplier: 1.5, SpeculationQuantile: 0.75,
		SpeculationMinRuntime: 100 * Millisecond,
		Heartbeat:             3 * Second, FastBeat: 200 * Millisecond,
		ReducePreference: true, ReducePreferredShare: 0.2, ReducePreferredMaxTasks: 1000,
	}
}

// Start returns the number of executors that an application requests before its first stage
// (Utils.getDynamicAllocationInitialExecutors,
// SchedulerBackendUtils.getInitialTargetExecutorNumber).
func (s *SparkSettings) Start() int32 {
	if !s.Dynamic {
		return s.Instances
	}
	return max(s.Min, s.Initial, s.Instances)
}

// TaskCount returns the number of tasks of an application's stages.
func (a *SparkApp) TaskCount() int32 {
	n := int32(0)
	for i := range a.Stages {
		n += a.Stages[i].Tasks
	}
	return n
}

// Tasks returns the number of tasks of a job: maps and reduces, or the tasks of all stages of a
// Spark application or vertices of a Tez application.
func (j *Job) Tasks() int32 {
	switch {
	case j.Spark != nil:
		return j.Spark.TaskCount()
	case j.Tez != nil:
		return j.Tez.TaskCount()
	}
	return j.Maps + j.Reduces
}

// Validate returns an error for the first value of an application that is out of range. The
// workload has the tasks and distributions that its stages refer to.
func (a *SparkApp) Validate(w *Workload) error {
	if len(a.Executors) == 0 {
		return fmt.Errorf("executor profiles: there must be at least one")
	}
	for i := range a.Executors {
		e := &a.Executors[i]
		err := Checks{
			{e.Container[Memory] > 0, "memory", e.Container[Memory], "above 0 MiB"},
			{min(e.Container[VCores], int64(e.Cores), int64(e.TaskCPUs)) >= 0, "cores", e.Cores, "0 or more"},
			{max(e.TaskCPUs, 1) <= max(e.Cores, 1), "cores per task", e.TaskCPUs, "within the executor's"},
		}.Err("")
		if err != nil {
			return fmt.Errorf("executor profile %d: %w", i, err)
		}
	}
	if err := a.Settings.validate(); err != nil {
		return err
	}
	next := int32(0)
	for i := range a.Jobs {
		if err := a.validateJob(i, next); err != nil {
			return fmt.Errorf("job %d: %w", i, err)
		}
		next += a.Jobs[i].Stages
	}
	if int(next) != len(a.Stages) {
		return fmt.Errorf("stages %d: the jobs have %d; each stage must be in one job, in order", len(a.Stages), next)
	}
	made := map[int32]bool{}
	for i := range a.Stages {
		if err := a.validateStage(w, i, made); err != nil {
			return fmt.Errorf("stage %d: %w", i, err)
		}
	}
	return nil
}

// validateJob checks a job whose first stage must be the given one.
func (a *SparkApp) validateJob(i int, first int32) error {
	j, pools := &a.Jobs[i], max(len(a.Pools), 1)
	outside := slices.IndexFunc(j.After, func(p int32) bool { return p < 0 || int(p) >= i })
	return Checks{
		{j.Delay >= 0, "delay", j.Delay.Std(), "0 or more"},
		{j.FirstStage == first, "first stage", j.FirstStage, fmt.Sprintf("%d", first)},
		{j.Stages >= 0 && int(j.FirstStage)+int(j.Stages) <= len(a.Stages), "stages", j.Stages,
			"within the stages described"},
		{j.Pool >= 0 && int(j.Pool) < pools, "pool", j.Pool, fmt.Sprintf("from 0 to %d", pools-1)},
		{outside < 0, "waits for", j.After, "earlier jobs"},
	}.Err("")
}

// validateStage checks a stage; made holds the data sets that earlier stages cache.
func (a *SparkApp) validateStage(w *Workload, i int, made map[int32]bool) error {
	st := &a.Stages[i]
	in := func(x int32, n int) bool { return x >= 0 && int(x) < n }
	own := in(st.Job, len(a.Jobs))
	if own {
		job := &a.Jobs[st.Job]
		own = i >= int(job.FirstStage) && i < int(job.FirstStage+job.Stages)
	}
	single, hosts, end := st.FirstTask >= 0, len(w.Tasks.HostAt), int(st.FirstTask)+int(st.Tasks)
	outside := slices.IndexFunc(st.Parents, func(p int32) bool { return !in(p, i) })
	err := Checks{
		{own, "job", st.Job, "the job that lists the stage"},
		{st.Tasks >= 1, "tasks", st.Tasks, "1 or more"},
		{in(st.Profile, len(a.Executors)), "profile", st.Profile, fmt.Sprintf("from 0 to %d", len(a.Executors)-1)},
		{int(st.Dist) < len(w.Dists) && (single || st.Dist >= 0), "distribution", st.Dist, "one of the workload's"},
		{!single || end <= len(w.Tasks.Duration), "end of tasks", end, "within the tasks described"},
		{!single || hosts == 0 || end < hosts, "end of tasks", end, "within the tasks with hosts"},
		{len(st.Parts)%int(max(st.Tasks, 1)) == 0, "parts", len(st.Parts), "a multiple of the number of tasks"},
		{st.Reads < 0 || made[st.Reads], "reads data set", st.Reads, "cached by an earlier stage"},
		{outside < 0, "parents", st.Parents, "earlier stages"},
	}.Err("")
	if st.Caches >= 0 {
		made[st.Caches] = true
	}
	return err
}

// validate checks the settings.
func (s *SparkSettings) validate() error {
	err := Checks{
		{s.Dynamic || s.Instances > 0, "executor.instances", s.Instances, "1 or more"},
		{s.MinRegistered >= 0 && s.MinRegistered <= 1, "scheduler.minRegisteredResourcesRatio", s.MinRegistered,
			"from 0 to 1"},
		{s.MaxRegisteredWait >= 0, "scheduler.maxRegisteredResourcesWaitingTime", s.MaxRegisteredWait.Std(), "0 or more"},
		{min(s.WaitProcess, s.WaitNode, s.WaitRack) >= 0, "locality.wait", s.WaitNode.Std(), "0 or more"},
		{s.MaxStageAttempts > 0, "stage.maxConsecutiveAttempts", s.MaxStageAttempts, "1 or more"},
		{min(s.Heartbeat, s.FastBeat) > 0, "yarn.scheduler.heartbeat.interval-ms", s.Heartbeat.Std(), "above 0"},
	}.Err("spark.")
	if err == nil && s.Speculation {
		q := s.SpeculationQuantile
		err = Checks{
			{s.SpeculationInterval > 0, "interval", s.SpeculationInterval.Std(), "above 0"},
			{s.SpeculationMultiplier >= 0, "multiplier", s.SpeculationMultiplier, "0 or more"},
			{q >= 0 && q <= 1, "quantile", q, "from 0 to 1"},
		}.Err("spark.speculation.")
	}
	if err != nil {
		return err
	}
	return Checks{
		{min(s.Min, s.Initial, s.Instances) >= 0, "minExecutors", cmp.Or(s.Min, s.Initial), "0 or more"},
		{!s.Dynamic || s.Max > 0 && s.Min <= s.Max, "maxExecutors", s.Max, "1 or more, and at least minExecutors"},
		{!s.Dynamic || s.Ratio > 0 && s.Ratio <= 1, "executorAllocationRatio", s.Ratio, "above 0 and at most 1"},
		{!s.Dynamic || min(s.Backlog, s.Sustained) > 0, "schedulerBacklogTimeout", s.Backlog.Std(), "above 0"},
		{min(s.Idle, s.CachedIdle, s.ShuffleTimeout) >= 0, "executorIdleTimeout", s.Idle.Std(), "0 or more"},
	}.Err("spark.dynamicAllocation.")
}
