package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// CoshhReading is one way to read what COSHH leaves open or states against itself: how
// the jobs of table 4 are divided into tasks, how much of their work six resources do,
// and how fast the storages are whose rate is printed as 40 Kbit/s. Every table and
// figure can be run under every reading (validation/papers).
type CoshhReading struct {
	Key  string  // short name
	Doc  string  // one line
	Work float64 // factor on the jobs' work: see CoshhTasks
	// Slow is the rate of those storages, bytes/s.
	Slow  float64
	Tasks CoshhTasks
}

// CoshhTasks is how a reading divides a job.
type CoshhTasks int

// Divisions.
const (
	// CoshhShorter: a map per block and a reduce per gigabyte of shuffle, but as many as
	// fit the job's task-seconds into its duration; Work scales their lengths.
	CoshhShorter CoshhTasks = iota
	// CoshhFewer: the same, but Work scales their number; lengths are the trace's.
	CoshhFewer
	// CoshhLonger: as few as fit the job's task-seconds into its duration; Work scales
	// their number.
	CoshhLonger
	// CoshhOne: one map and one reduce of the job's duration together, divided as its
	// task-seconds are; Work is not used.
	CoshhOne
)

// CoshhReadings lists the readings, the primary one first (choices.csv says why).
func CoshhReadings() []CoshhReading { return slices.Clone(coshhReadings) }

func coshhPrimary() *CoshhReading { return &coshhReadings[0] }

var coshhReadings = func() (out []CoshhReading) {
	tasks := map[string]CoshhTasks{"shorter": CoshhShorter, "fewer": CoshhFewer, "longer": CoshhLonger, "one": CoshhOne}
	for _, r := range list("readings.csv") {
		reading := CoshhReading{Key: r[0], Doc: r[1], Tasks: tasks[r[4]]}
		if _, err := fmt.Sscan(r[2]+" "+r[3], &reading.Work, &reading.Slow); err != nil {
			panic("datasets: readings.csv: " + err.Error())
		}
		out = append(out, reading)
	}
	return out
}()

// Printed reports whether the slow storages read at the printed rate.
func (r *CoshhReading) Printed() bool { return r.Slow == coshhSlowPrinted/8 }

// Load builds a set under the reading:
//
//	coshh-TRACE[-homogeneous]  figures 5 to 12: 100 jobs of a trace, yahoo or facebook, on
//	                           the six resources of table 3
//	coshh-jobs-TRACE-N         figures 13 to 16: the same mix with N jobs, arriving at the
//	                           same rate
//	coshh-resources-TRACE-N    figures 17 to 20: 100 jobs on N resources of table 10's six
//	                           types, added in turn
//	coshh-real[-users]         section 7: Facebook jobs on the four nodes of table 11, whose
//	                           storages all have one rate
func (r *CoshhReading) Load(name string) (*Set, error) {
	parts := append(strings.Split(name, "-"), "", "", "")
	if parts[1] == "real" {
		return r.set("coshh-real", "11", 4, "Facebook", coshhJobs, parts[2] == "")
	}
	traces := map[string]string{"yahoo": "Yahoo!", "facebook": "Facebook"}
	if trace, ok := traces[parts[1]]; ok {
		return r.set("coshh-"+r.Key, "3", 6, trace, coshhJobs, parts[2] == "homogeneous")
	}
	trace, ok := traces[parts[2]]
	n, err := strconv.Atoi(parts[3])
	switch {
	case !ok || err != nil:
	case parts[1] == "jobs":
		return r.set("coshh-jobs", "3", 6, trace, n, false)
	case parts[1] == "resources":
		return r.set("coshh-resources", "10", n, trace, coshhJobs, false)
	}
	return nil, fmt.Errorf("data set %q: not one of COSHH", name)
}

func (r *CoshhReading) set(name, table string, resources int, trace string, jobs int, homogeneous bool) (*Set, error) {
	c, err := coshhCluster(table, resources, r.Slow)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: name, Cluster: c, Config: coshhRun()}
	if s.Workload, err = coshhWorkload(trace, jobs, coshhSpan*float64(jobs)/coshhJobs, r.job); err != nil {
		return nil, err
	}
	return s, s.coshhPools(trace, homogeneous)
}

// job turns a row of table 4 (duration, jobs, input, shuffle, output, map time, reduce
// time) into a job.
func (r *CoshhReading) job(v []float64) jobSpec {
	duration, input, shuffle, output, mapSec, redSec := v[0], v[2], v[3], v[4], v[5], v[6]
	if r.Tasks == CoshhOne {
		return coshhOneTask(duration, input, mapSec, redSec)
	}
	number, length, unit := 1.0, 1.0, 1.0
	switch r.Tasks {
	case CoshhShorter:
		length = r.Work
	case CoshhFewer:
		number = r.Work
	case CoshhLonger:
		number, unit = r.Work, 0
	}
	maps, ofMaps, mapTime := coshhTasks(unit*input/coshhBlock, mapSec, duration, number)
	reduces, ofReduces, reduceTime := coshhTasks(unit*shuffle/coshhReduceBytes, redSec, duration, number)
	// Fewer tasks read, copy and write less, none more than its unit.
	scale := func(bytes, n, of, unit float64) float64 {
		if number == 1 {
			return bytes
		}
		return math.Min(bytes*n/of, n*unit)
	}
	s := jobSpec{
		maps: int(maps), reduces: int(reduces), spread: taskSpread, mapTime: length * mapTime, reduceTime: length *
			reduceTime,
		input: scale(input, maps, ofMaps, coshhBlock), shuffle: scale(shuffle, maps, ofMaps, coshhReduceBytes),
	}
	if reduces > 0 {
		s.output = scale(output, reduces, ofReduces, coshhReduceBytes)
	} else {
		s.output = scale(output, maps, ofMaps, coshhReduceBytes)
	}
	return s
}

// coshhTasks is how many tasks do the seconds, of how many, and how long each is: one per
// unit of data, or as many as fit into the duration, of which a share is run, at least one
// and at most coshhMaxTasks.
func coshhTasks(units, seconds, duration, share float64) (n, of, length float64) {
	if seconds == 0 {
		return 0, 1, 0
	}
	of = math.Max(math.Max(math.Ceil(units), math.Ceil(seconds/duration)), 1)
	n = math.Min(math.Max(math.Ceil(share*of), 1), coshhMaxTasks)
	return n, of, seconds / of * math.Max(share*of/n, 1)
}

// coshhOneTask is a job of one map and one reduce, its input one block at most.
func coshhOneTask(duration, input, mapSec, redSec float64) jobSpec {
	s := jobSpec{maps: 1, input: math.Min(input, coshhBlock), spread: taskSpread}
	s.mapTime = duration * mapSec / (mapSec + redSec)
	if redSec > 0 {
		s.reduces, s.reduceTime = 1, duration-s.mapTime
	}
	return s
}
