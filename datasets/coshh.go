package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// The workloads, users and clusters of COSHH.

// coshhSet builds one of COSHH's sets:
//
//	coshh-TRACE[-homogeneous]  figures 5 to 12: 100 jobs of a trace, yahoo or facebook, on
//	                           the six resources of table 3
//	coshh-jobs-TRACE-N         figures 13 to 16: the same mix with N jobs, arriving at the
//	                           same rate
//	coshh-resources-TRACE-N    figures 17 to 20: 100 jobs on N resources of table 10's six
//	                           types, added in turn
//	coshh-real[-users]         section 7: Facebook jobs on the four nodes of table 11
func coshhSet(name string) (*Set, error) {
	parts := append(strings.Split(name, "-"), "", "", "")
	table, resources, jobs, homogeneous := "3", 6, coshhJobs, parts[2] == "homogeneous"
	trace := parts[1]
	switch n, err := strconv.Atoi(parts[3]); {
	case trace == "real":
		table, resources, trace, homogeneous = "11", 4, "facebook", parts[2] == ""
	case trace == "jobs" && err == nil && n > 0 && n <= coshhMost:
		trace, jobs = parts[2], n
	case trace == "resources" && err == nil && n > 0 && n <= coshhMost:
		table, trace, resources = "10", parts[2], n
	}
	trace, ok := map[string]string{"yahoo": "Yahoo!", "facebook": "Facebook"}[trace]
	if !ok || parts[0] != "coshh" {
		return nil, fmt.Errorf("not one of COSHH")
	}
	s := &Set{Cluster: coshhCluster(table, resources), Workload: coshhWorkload(trace, jobs), Config: coshhRun(), ByLack: true}
	users := published("coshh", "5") // the users of the workload are in its order
	for i, r := range users.Rows {
		if r[0] != trace {
			continue
		}
		v := users.floats(i, 2)
		share := simcore.UserShare{MinShare: int32(v[0]), Weight: v[1]}
		if homogeneous {
			share = simcore.UserShare{Weight: 1}
		}
		s.Shares = append(s.Shares, share)
	}
	return s, nil
}

// coshhCluster reads a table of resources; types repeat in turn. Of a node's
// slots a share runs maps such that table 3 gives the paper's 31 and 23.
func coshhCluster(table string, resources int) *simcore.Cluster {
	t := published("coshh", table)
	c := &simcore.Cluster{Racks: []string{"/default-rack"}}
	var slots, maps int
	for i := range resources {
		v := t.floats(i%len(t.Rows), 1)
		mhz, retrieve, nic := v[1], v[3]/8, coshhNIC
		if table == "11" {
			retrieve, nic = v[3], coshhRealNIC
		}
		slots += int(v[0])
		m := max(int(math.Round(float64(slots)*31/54))-maps, 1)
		m = min(m, int(v[0])-1)
		maps += m
		c.Nodes = append(c.Nodes, simcore.Node{
			Name: "R" + strconv.Itoa(i+1), Slots: simcore.Vec{int64(m), int64(v[0]) - int64(m)},
			Speed: mhz / coshhReferenceMHz, Cores: int32(v[0]), Disks: 1, DiskRate: retrieve, NICRate: nic,
		})
	}
	return c
}

// coshhWorkload makes jobs in the proportions of table 4: every category gets
// its rounded share, of 50 jobs or more at least one, so that 100 asked for are
// 102 in either trace. The smaller half is submitted first, each half at times
// uniform over half of the span, of an hour per 100 jobs: the paper's larger jobs start "around job 50"
// (section 5.3).
func coshhWorkload(trace string, jobs int) *simcore.Workload {
	t, users := published("coshh", "4"), published("coshh", "5")
	b := newWorkloadBuilder()
	for _, r := range users.Rows {
		if r[0] == trace {
			b.users.ID(&b.w.Users, r[1])
		}
	}
	var specs []jobSpec
	category := 0
	for i, r := range t.Rows {
		if r[0] != trace {
			continue
		}
		v := t.floats(i, 2)
		spec := coshhJob(v)
		spec.name, spec.class, spec.user, spec.queue = r[1], r[1], b.w.Users[category], "default"
		n := max(int(math.Round(v[1]*float64(jobs)/200)), min(1, jobs/50))
		specs = append(specs, slices.Repeat([]jobSpec{spec}, n)...)
		category++
	}
	slices.SortStableFunc(specs, func(a, b jobSpec) int { return cmp.Compare(a.seconds(), b.seconds()) })
	k := rng.NewKey(defaultSeed, purposeArrival)
	for n := range specs {
		at := k.Float64(uint64(n))
		if n >= len(specs)/2 {
			at++
		}
		specs[n].submit = coshhSpan / 2 * float64(jobs) / coshhJobs * at
		b.add(specs[n])
	}
	return b.sorted()
}

// seconds is the size of the job, in task-seconds.
func (s *jobSpec) seconds() float64 {
	return float64(s.maps)*s.mapTime + float64(s.reduces)*s.reduceTime
}

// coshhJob turns a row of table 4 (duration, jobs, input, shuffle, output, map time, reduce
// time) into a job: a map per block and a reduce per gigabyte of shuffle, but as many as fit
// the job's task-seconds into its duration.
func coshhJob(v []float64) jobSpec {
	duration, input, shuffle, output, mapSec, redSec := v[0], v[2], v[3], v[4], v[5], v[6]
	maps, mapTime := coshhTasks(input/coshhBlock, mapSec, duration)
	reduces, reduceTime := coshhTasks(shuffle/coshhReduceBytes, redSec, duration)
	return jobSpec{
		maps: maps, reduces: reduces, spread: taskSpread, mapTime: mapTime, reduceTime: reduceTime,
		input: input, shuffle: shuffle, output: output,
	}
}

// coshhTasks is how many tasks do the seconds, at most coshhMaxTasks, and how long each is.
func coshhTasks(units, seconds, duration float64) (n int, length float64) {
	if seconds == 0 {
		return 0, 0
	}
	most := math.Max(math.Max(math.Ceil(units), math.Ceil(seconds/duration)), 1)
	n = int(math.Min(most, coshhMaxTasks))
	return n, seconds / float64(n)
}
