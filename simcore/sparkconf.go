package simcore

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Properties of Spark, as they stand in spark-defaults.conf, a spark-submit
// call or an event log's environment, and what they make of an application.

// SparkProperties reads the properties that matter here: settings, the default
// resource profile's executor, and the driver's container. Unknown ones are
// left alone. An error names the property and what is allowed.
func SparkProperties(props map[string]string) (s SparkSettings, e SparkExecutor, driver Vec, err error) {
	p := sparkProps{props: props}
	s = DefaultSparkSettings()
	p.dynamic(&s)
	p.tasks(&s)
	e.Cores = max(p.count("spark.executor.cores", 1), 1)
	e.TaskCPUs = max(p.count("spark.task.cpus", 1), 1)
	e.Container = Vec{p.container("executor"), int64(e.Cores)}
	driver = Vec{p.container("driver"), int64(max(p.count("spark.driver.cores", 1), 1))}
	if p.err == nil {
		p.err = s.validate()
	}
	return s, e, driver, p.err
}

// dynamic reads what decides how many executors there are.
func (p *sparkProps) dynamic(s *SparkSettings) {
	s.Dynamic = p.flag("spark.dynamicAllocation.enabled", false)
	s.Instances = p.count("spark.executor.instances", 2)
	if s.Dynamic {
		s.Instances = p.count("spark.executor.instances", 0)
	}
	s.Min = p.count("spark.dynamicAllocation.minExecutors", 0)
	s.Initial = p.count("spark.dynamicAllocation.initialExecutors", s.Min)
	s.Max = p.count("spark.dynamicAllocation.maxExecutors", math.MaxInt32)
	s.Ratio = p.number("spark.dynamicAllocation.executorAllocationRatio", 1)
	s.Backlog = p.span("spark.dynamicAllocation.schedulerBacklogTimeout", Second, s.Backlog)
	s.Sustained = p.span("spark.dynamicAllocation.sustainedSchedulerBacklogTimeout", Second, s.Backlog)
	s.Idle = p.span("spark.dynamicAllocation.executorIdleTimeout", Second, s.Idle)
	s.CachedIdle = p.span("spark.dynamicAllocation.cachedExecutorIdleTimeout", Second, s.CachedIdle)
	s.ShuffleTracking = p.flag("spark.dynamicAllocation.shuffleTracking.enabled", true)
	s.ShuffleTimeout = p.span("spark.dynamicAllocation.shuffleTracking.timeout", Millisecond, s.ShuffleTimeout)
	s.ShuffleService = p.flag("spark.shuffle.service.enabled", false)
	s.FetchCached = p.flag("spark.shuffle.service.fetch.rdd.enabled", false)
}

// tasks reads what decides where tasks run and how often, and how containers are asked
// for.
func (p *sparkProps) tasks(s *SparkSettings) {
	s.Fair = strings.EqualFold(p.props["spark.scheduler.mode"], "FAIR")
	wait := p.span("spark.locality.wait", Millisecond, 3*Second)
	s.WaitProcess = p.span("spark.locality.wait.process", Millisecond, wait)
	s.WaitNode = p.span("spark.locality.wait.node", Millisecond, wait)
	s.WaitRack = p.span("spark.locality.wait.rack", Millisecond, wait)
	s.MinRegistered = p.number("spark.scheduler.minRegisteredResourcesRatio", s.MinRegistered)
	s.MaxRegisteredWait = p.span("spark.scheduler.maxRegisteredResourcesWaitingTime", Millisecond, s.MaxRegisteredWait)
	s.MaxFailures = p.count("spark.task.maxFailures", s.MaxFailures)
	s.MaxStageAttempts = p.count("spark.stage.maxConsecutiveAttempts", s.MaxStageAttempts)
	s.Speculation = p.flag("spark.speculation", false)
	s.SpeculationInterval = p.span("spark.speculation.interval", Millisecond, s.SpeculationInterval)
	s.SpeculationMultiplier = p.number("spark.speculation.multiplier", s.SpeculationMultiplier)
	s.SpeculationQuantile = p.number("spark.speculation.quantile", s.SpeculationQuantile)
	s.SpeculationMinRuntime = p.span("spark.speculation.minTaskRuntime", Millisecond, s.SpeculationMinRuntime)
	s.Heartbeat = p.span("spark.yarn.scheduler.heartbeat.interval-ms", Millisecond, s.Heartbeat)
	s.FastBeat = min(p.span("spark.yarn.scheduler.initial-allocation.interval", Millisecond, s.FastBeat), s.Heartbeat)
	s.LauncherThreads = p.count("spark.yarn.containerLauncherMaxThreads", s.LauncherThreads)
	s.ReducePreference = p.flag("spark.shuffle.reduceLocality.enabled", true)
}

type sparkProps struct {
	props map[string]string
	err   error
}

func (p *sparkProps) get(name string) (string, bool) {
	v, ok := p.props[name]
	v = strings.TrimSpace(v)
	return v, ok && v != ""
}

func (p *sparkProps) fail(name, value, allowed string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s is %q; allowed: %s", name, value, allowed)
	}
}

func (p *sparkProps) flag(name string, def bool) bool {
	v, ok := p.get(name)
	if !ok {
		return def
	}
	switch strings.ToLower(v) {
	case "true":
		return true
	case "false":
		return false
	}
	p.fail(name, v, "true or false")
	return def
}

func (p *sparkProps) count(name string, def int32) int32 {
	v, ok := p.get(name)
	if !ok {
		return def
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 0 {
		// The default of maxExecutors is written "infinity" in places.
		if strings.EqualFold(v, "infinity") {
			return math.MaxInt32
		}
		p.fail(name, v, "a whole number of 0 or more")
		return def
	}
	return int32(n)
}

func (p *sparkProps) number(name string, def float64) float64 {
	v, ok := p.get(name)
	if !ok {
		return def
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		p.fail(name, v, "a number")
		return def
	}
	return f
}

// sparkUnits are the suffixes of spans (JavaUtils.timeStringAs).
var sparkUnits = map[string]Time{"us": 1, "ms": Millisecond, "s": Second, "m": Minute, "min": Minute, "h": Hour, "d": 24 * Hour}

// span reads a span with or without a unit; what does not fit is for ever.
func (p *sparkProps) span(name string, unit, def Time) Time {
	v, ok := p.get(name)
	if !ok {
		return def
	}
	digits := strings.TrimRight(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz ")
	if suffix := strings.TrimSpace(strings.ToLower(v)[len(digits):]); suffix != "" {
		u, known := sparkUnits[suffix]
		if !known {
			p.fail(name, v, "a whole number with us, ms, s, m, min, h or d")
			return def
		}
		unit = u
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		p.fail(name, v, "a whole number of 0 or more with us, ms, s, m, min, h or d")
		return def
	}
	if n >= math.MaxInt32 && unit >= Second || n > int64(Never)/int64(unit) {
		return Never
	}
	return Time(n) * unit
}

// SparkMemory are the parts of a container of Spark in MiB (ResourceProfile.
// getResourcesForClusterManager).
type SparkMemory struct {
	Heap     int64 // spark.executor.memory
	Overhead int64 // beside the heap: a tenth of it, at least 384 MiB, unless set
	OffHeap  int64 // spark.memory.offHeap.size, where it is enabled
	Python   int64 // spark.executor.pyspark.memory
}

// Total is the size of the container.
func (m SparkMemory) Total() int64 { return m.Heap + m.Overhead + m.OffHeap + m.Python }

// SparkExecutorMemory reads the parts of an executor of the default resource profile, of
// which other profiles take what they do not say. What cannot be read is Spark's default.
func SparkExecutorMemory(props map[string]string) SparkMemory {
	p := sparkProps{props: props}
	return p.memory("executor")
}

// container is the size in MiB of the driver's or an executor's container.
func (p *sparkProps) container(who string) int64 { return p.memory(who).Total() }

func (p *sparkProps) memory(who string) SparkMemory {
	m := SparkMemory{Heap: p.mebibytes("spark."+who+".memory", 1024)}
	factor := p.number("spark."+who+".memoryOverheadFactor", 0.1)
	least := p.mebibytes("spark."+who+".minMemoryOverhead", 384)
	m.Overhead = p.mebibytes("spark."+who+".memoryOverhead", max(int64(factor*float64(m.Heap)), least))
	if who == "executor" {
		if p.flag("spark.memory.offHeap.enabled", false) {
			m.OffHeap = (p.bytes("spark.memory.offHeap.size", 1, 0) + 1<<20 - 1) >> 20
		}
		m.Python = p.mebibytes("spark.executor.pyspark.memory", 0)
	}
	return m
}

func (p *sparkProps) mebibytes(name string, def int64) int64 {
	return p.bytes(name, 1<<20, def<<20) >> 20
}

// bytes reads a size with or without a unit of binary multiples.
func (p *sparkProps) bytes(name string, unit, def int64) int64 {
	v, ok := p.get(name)
	if !ok {
		return def
	}
	digits := strings.TrimRight(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz ")
	suffix := strings.TrimSuffix(strings.TrimSpace(strings.ToLower(v)[len(digits):]), "b")
	if suffix = strings.TrimSuffix(suffix, "i"); suffix != "" {
		i := strings.Index("kmgtp", suffix)
		if len(suffix) != 1 || i < 0 {
			p.fail(name, v, "a whole number with k, m, g, t or p")
			return def
		}
		unit = 1 << (10 * (i + 1))
	} else if len(digits) < len(v) {
		unit = 1 // "b"
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/2/unit {
		p.fail(name, v, "a whole number of 0 or more with k, m, g, t or p")
		return def
	}
	return n * unit
}
