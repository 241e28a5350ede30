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
	// The users of the workload are in the order of table 5.
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
			b.users.ID(&b.w.Users, r[1])
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
