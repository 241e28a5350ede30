package simcore

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SparkProperties reads the settings, the executor of the default resource profile and the
// driver's container from Spark's properties, as in spark-defaults.conf, a spark-submit call or
// an event log's environment. It ignores properties that it does not know. Errors name the
// property and its range.
func SparkProperties(props map[string]string) (s SparkSettings, e SparkExecutor, driver Vec, err error) {
	p := sparkProps{props: props}
	s = DefaultSparkSettings()
	p.dynamic(&s)
	p.tasks(&s)
	e.Cores = max(p.count("spark.executor.cores", 1), 1)
	e.TaskCPUs = max(p.count("spark.task.cpus", 1), 1)
	e.Container = Vec{p.memory("executor").Total(), int64(e.Cores)}
	driver = Vec{p.memory("driver").Total(), int64(max(p.count("spark.driver.cores", 1), 1))}
	if p.err == nil {
		p.err = s.validate()
	}
	return s, e, driver, p.err
}

// dynamic reads the properties of dynamic allocation.
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

// tasks reads the properties of task scheduling and of the requests for containers.
func (p *sparkProps) tasks(s *SparkSettings) {
	s.Fair = strings.EqualFold(p.props["spark.scheduler.mode"], "FAIR")
	wait := p.span("spark.locality.wait", Millisecond, 3*Second)
	s.WaitProcess = p.span("spark.locality.wait.process", Millisecond, wait)
	s.WaitNode = p.span("spark.locality.wait.node", Millisecond, wait)
	s.WaitRack = p.span("spark.locality.wait.rack", Millisecond, wait)
	s.MinRegistered = p.number("spark.scheduler.minRegisteredResourcesRatio", s.MinRegistered)
	s.MaxRegisteredWait = p.span("spark.scheduler.maxRegisteredResourcesWaitingTime", Millisecond, s.MaxRegisteredWait)
	s.MaxStageAttempts = p.count("spark.stage.maxConsecutiveAttempts", s.MaxStageAttempts)
	s.Speculation = p.flag("spark.speculation", false)
	s.SpeculationInterval = p.span("spark.speculation.interval", Millisecond, s.SpeculationInterval)
	s.SpeculationMultiplier = p.number("spark.speculation.multiplier", s.SpeculationMultiplier)
	s.SpeculationQuantile = p.number("spark.speculation.quantile", s.SpeculationQuantile)
	s.SpeculationMinRuntime = p.span("spark.speculation.minTaskRuntime", Millisecond, s.SpeculationMinRuntime)
	s.Heartbeat = p.span("spark.yarn.scheduler.heartbeat.interval-ms", Millisecond, s.Heartbeat)
	s.FastBeat = min(p.span("spark.yarn.scheduler.initial-allocation.interval", Millisecond, s.FastBeat), s.Heartbeat)
	s.ReducePreference = p.flag("spark.shuffle.reduceLocality.enabled", true)
}

// sparkProps reads properties and keeps the first error.
type sparkProps struct {
	props map[string]string
	err   error
}

// read returns a property as parse reads it, or def where it is not set or wrong.
func read[T any](p *sparkProps, name string, def T, must string, parse func(string) (T, bool)) T {
	text := strings.TrimSpace(p.props[name])
	if text == "" {
		return def
	}
	v, ok := parse(text)
	if !ok {
		p.err = cmp.Or(p.err, fmt.Errorf("%s %q: must be %s", name, text, must))
		return def
	}
	return v
}

// flag reads true or false.
func (p *sparkProps) flag(name string, def bool) bool {
	return read(p, name, def, "true or false", func(v string) (yes, ok bool) {
		yes = strings.EqualFold(v, "true")
		return yes, yes || strings.EqualFold(v, "false")
	})
}

// count reads a whole number; the default of maxExecutors is sometimes written "infinity".
func (p *sparkProps) count(name string, def int32) int32 {
	return read(p, name, def, "a whole number of 0 or more", func(v string) (int32, bool) {
		if strings.EqualFold(v, "infinity") {
			return math.MaxInt32, true
		}
		n, err := strconv.ParseInt(v, 10, 32)
		return int32(n), err == nil && n >= 0
	})
}

// number reads a finite number.
func (p *sparkProps) number(name string, def float64) float64 {
	return read(p, name, def, "a number", func(v string) (float64, bool) {
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	})
}

// withUnit splits a value into its whole number and its unit in lower case.
func withUnit(v string) (n int64, unit string, ok bool) {
	v = strings.ToLower(v)
	digits := strings.TrimRight(v, "abcdefghijklmnopqrstuvwxyz ")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, strings.TrimSpace(v[len(digits):]), err == nil && n >= 0
}

// sparkUnits holds the suffixes of spans (JavaUtils.timeStringAs).
var sparkUnits = map[string]Time{"us": 1, "ms": Millisecond, "s": Second, "m": Minute, "min": Minute, "h": Hour,
	"d": 24 * Hour}

// span reads a time with a unit, or in the given one; a time that Time cannot hold is Never.
func (p *sparkProps) span(name string, unit, def Time) Time {
	return read(p, name, def, "a whole number of 0 or more with us, ms, s, m, min, h or d", func(v string) (Time, bool) {
		n, suffix, ok := withUnit(v)
		if suffix != "" {
			unit = sparkUnits[suffix]
		}
		switch {
		case unit == 0 || !ok:
			return 0, false
		case n >= math.MaxInt32 && unit >= Second || n > int64(Never)/int64(unit):
			return Never, true
		}
		return Time(n) * unit, true
	})
}

// SparkMemory holds the parts of a Spark container in MiB
// (ResourceProfile.getResourcesForClusterManager).
type SparkMemory struct {
	Heap     int64 // spark.executor.memory
	Overhead int64 // beside the heap: a tenth of it, at least 384 MiB, unless set
	OffHeap  int64 // spark.memory.offHeap.size, where it is enabled
	Python   int64 // spark.executor.pyspark.memory
}

// Total returns the size of the container in MiB.
func (m SparkMemory) Total() int64 { return m.Heap + m.Overhead + m.OffHeap + m.Python }

// SparkExecutorMemory reads the memory of an executor of the default resource profile, from
// which other profiles take what they leave out. A wrong value reads as Spark's default.
func SparkExecutorMemory(props map[string]string) SparkMemory {
	return (&sparkProps{props: props}).memory("executor")
}

// memory reads the memory of the driver's or an executor's container.
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

// mebibytes reads a size in MiB.
func (p *sparkProps) mebibytes(name string, def int64) int64 {
	return p.bytes(name, 1<<20, def<<20) >> 20
}

// bytes reads a size with a unit of binary multiples, or in the given one.
func (p *sparkProps) bytes(name string, unit, def int64) int64 {
	return read(p, name, def, "a whole number of 0 or more with k, m, g, t or p", func(v string) (int64, bool) {
		n, suffix, ok := withUnit(v)
		if suffix != "" {
			power := strings.TrimSuffix(strings.TrimSuffix(suffix, "b"), "i")
			i := strings.Index(" kmgtp", cmp.Or(power, " "))
			if len(power) > 1 || i < 0 {
				return 0, false
			}
			unit = 1 << (10 * i)
		}
		return n * unit, ok && n <= math.MaxInt64/2/unit
	})
}
