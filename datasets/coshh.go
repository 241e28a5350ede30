package datasets

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// The workloads, users and clusters of COSHH.

// coshhSet builds the Facebook or the Yahoo! experiment: 100 jobs in the
// proportions of table 4, user k submitting category k with the grants of table
// 5, on the six resources of table 3.
func coshhSet(trace string, homogeneous bool) func() (*Set, error) {
	return func() (*Set, error) {
		c, err := coshhCluster("3", 6, coshhSlowStorage)
		if err != nil {
			return nil, err
		}
		s := &Set{Cluster: c, Config: coshhRun()}
		if s.Workload, err = coshhWorkload(trace, coshhJobs, coshhSpan, coshhJob); err != nil {
			return nil, err
		}
		return s, s.coshhPools(trace, homogeneous)
	}
}

// CoshhJobs is the experiment of figures 13 to 16: the same mix with another
// number of jobs, arriving at the same rate. trace is "Facebook" or "Yahoo!".
func CoshhJobs(trace string, jobs int) (*Set, error) {
	c, err := coshhCluster("3", 6, coshhSlowStorage)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "coshh-jobs", Cluster: c, Config: coshhRun()}
	if s.Workload, err = coshhWorkload(trace, jobs, coshhSpan*float64(jobs)/coshhJobs, coshhJob); err != nil {
		return nil, err
	}
	return s, s.coshhPools(trace, false)
}

// CoshhResources is the experiment of figures 17 to 20: the workload of 100
// jobs on resources of table 10's six types, added in turn.
func CoshhResources(trace string, resources int) (*Set, error) {
	c, err := coshhCluster("10", resources, coshhSlowStorage)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "coshh-resources", Cluster: c, Config: coshhRun()}
	if s.Workload, err = coshhWorkload(trace, coshhJobs, coshhSpan, coshhJob); err != nil {
		return nil, err
	}
	return s, s.coshhPools(trace, false)
}

// coshhRealSet is section 7: Facebook jobs on the four nodes of table 11.
func coshhRealSet(homogeneous bool) func() (*Set, error) {
	return func() (*Set, error) {
		c, err := coshhCluster("11", 4, coshhSlowStorage)
		if err != nil {
			return nil, err
		}
		s := &Set{Cluster: c, Config: coshhRun()}
		if s.Workload, err = coshhWorkload("Facebook", coshhJobs, coshhSpan, coshhJob); err != nil {
			return nil, err
		}
		return s, s.coshhPools("Facebook", homogeneous)
	}
}

func (s *Set) coshhPools(trace string, homogeneous bool) error {
	s.ByLack = true
	t, err := Published("coshh", "5")
	if err != nil {
		return err
	}
	for i, r := range t.Rows {
		if r[0] != trace {
			continue
		}
		v, err := t.floats(i, 2)
		if err != nil {
			return err
		}
		p := Pool{User: r[1], MinShare: int(v[0]), Weight: v[1]}
		if homogeneous {
			p.MinShare, p.Weight = 0, 1
		}
		s.Pools = append(s.Pools, p)
	}
	// The users of the workload stand in the order of table 5.
	return nil
}

// coshhCluster reads a table of resources; types repeat in turn; the slow storages
// read at slow bytes/s. Of a node's
// slots a share runs maps such that table 3 gives the paper's 31 and 23.
func coshhCluster(table string, resources int, slow float64) (*simcore.Cluster, error) {
	t, err := Published("coshh", table)
	if err != nil {
		return nil, err
	}
	c := &simcore.Cluster{Racks: []string{"/default-rack"}}
	var slots, maps int
	for i := range resources {
		r := i % len(t.Rows)
		v, err := t.floats(r, 1)
		if err != nil {
			return nil, err
		}
		mhz, retrieve, nic := v[1], v[3]/8, coshhNIC
		if v[3] == coshhSlowPrinted {
			retrieve = slow
		}
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
	return c, nil
}

// coshhWorkload makes jobs in the proportions of table 4: every category gets
// its rounded share, of 50 jobs or more at least one, so that 100 asked for are
// 102 in either trace. The smaller half is submitted first, each half at times
// uniform over half of the span: the paper's larger jobs start "around job 50"
// (section 5.3).
func coshhWorkload(trace string, jobs int, span float64, job func([]float64) jobSpec) (*simcore.Workload, error) {
	t, err := Published("coshh", "4")
	if err != nil {
		return nil, err
	}
	users, err := Published("coshh", "5")
	if err != nil {
		return nil, err
	}
	b := newWorkloadBuilder("coshh-" + trace)
	for _, r := range users.Rows {
		if r[0] == trace {
			intern(&b.w.Users, b.users, r[1])
		}
	}
	var specs []jobSpec
	category := 0
	for i, r := range t.Rows {
		if r[0] != trace {
			continue
		}
		v, err := t.floats(i, 2)
		if err != nil {
			return nil, err
		}
		spec := job(v)
		spec.name, spec.class, spec.user, spec.queue = r[1], r[1], b.w.Users[category], "default"
		for range max(int(math.Round(v[1]*float64(jobs)/200)), min(1, jobs/50)) {
			specs = append(specs, spec)
		}
		category++
	}
	slices.SortStableFunc(specs, func(a, b jobSpec) int { return cmp.Compare(a.seconds(), b.seconds()) })
	k := rng.NewKey(defaultSeed, purposeArrival)
	for n := range specs {
		at := k.Float64(uint64(n))
		if n >= len(specs)/2 {
			at++
		}
		specs[n].submit = span / 2 * at
		b.add(specs[n])
	}
	return b.sorted(), nil
}

// seconds is the size of the job, in task-seconds.
func (s *jobSpec) seconds() float64 {
	return float64(s.maps)*s.mapTime + float64(s.reduces)*s.reduceTime
}

// coshhJob turns a row of table 4 (duration, jobs, input, shuffle, output, map
// time, reduce time) into a job. It has a map per 128 MB and a reduce per
// gigabyte of shuffle, but at least as many as its task-seconds need to fit
// into its published duration.
func coshhJob(v []float64) jobSpec {
	duration, input, shuffle, output, mapSec, redSec := v[0], v[2], v[3], v[4], v[5], v[6]
	tasks := func(bytes, unit, seconds float64) int {
		if seconds == 0 {
			return 0
		}
		n := math.Max(math.Ceil(bytes/unit), math.Ceil(seconds/duration))
		return int(math.Min(math.Max(n, 1), coshhMaxTasks))
	}
	s := jobSpec{
		maps: tasks(input, 128e6, mapSec), reduces: tasks(shuffle, coshhReduceBytes, redSec),
		input: input, shuffle: shuffle, output: output, spread: taskSpread,
	}
	s.mapTime = coshhWork * mapSec / float64(s.maps)
	if s.reduces > 0 {
		s.reduceTime = coshhWork * redSec / float64(s.reduces)
	}
	return s
}
