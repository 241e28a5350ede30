package datasets

import "math"

// Another reading of COSHH's experiments, for the rows that the first one misses: a job
// is one map and one reduce of its published duration, its input one block at most, and
// the storages read as slowly as printed. For it speaks that completion times begin to
// differ where the jobs reach the number of map slots (section 6.2.1), that improvements
// are of the order of the printed durations on slow resources, and that fairness is of
// the order of one slot; against it localities above 90 % (tables 6 to 9) and minimum
// shares of up to 15 slots (table 5).

// CoshhSingle is the experiment of figures 5 to 16 in this reading.
func CoshhSingle(trace string, homogeneous bool, jobs int) (*Set, error) {
	return coshhSingle(trace, homogeneous, jobs, "3", 6)
}

// CoshhSingleResources is that of figures 17 to 20.
func CoshhSingleResources(trace string, resources int) (*Set, error) {
	return coshhSingle(trace, false, coshhJobs, "10", resources)
}

func coshhSingle(trace string, homogeneous bool, jobs int, table string, resources int) (*Set, error) {
	c, err := coshhCluster(table, resources, coshhSlowPrinted/8)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "coshh-single", Cluster: c, Config: coshhRun()}
	if s.Workload, err = coshhWorkload(trace, jobs, coshhSpan*float64(jobs)/coshhJobs, coshhSingleJob); err != nil {
		return nil, err
	}
	return s, s.coshhPools(trace, homogeneous)
}

// coshhSingleJob is coshhJob in this reading: the duration is divided as the
// task-seconds of maps and reduces are.
func coshhSingleJob(v []float64) jobSpec {
	duration, input, mapSec, redSec := v[0], v[2], v[5], v[6]
	s := jobSpec{maps: 1, input: math.Min(input, 128e6), spread: taskSpread}
	s.mapTime = duration * mapSec / (mapSec + redSec)
	if redSec > 0 {
		s.reduces, s.reduceTime = 1, duration-s.mapTime
	}
	return s
}
