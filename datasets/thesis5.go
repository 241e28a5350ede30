package datasets

import (
	"fmt"

	"schedtune/simcore"
)

// The clusters and workloads of the thesis's chapter 5.

// thesisSensitivity is section 4.1.1 and 4.3.1: five Socrates workers of two
// map and two reduce slots; in every queue a Sort, a TeraSort and a WordCount
// of 5 GB, one second apart, all queues at the same time. Each job has a map
// per 64 MB block ("between 70 and 80") and one reduce.
func thesisSensitivity(queues, reduces int) func() *Set {
	return func() *Set {
		b := newWorkloadBuilder()
		for i, name := range []string{"Sort", "Terasort", "WordCount"} {
			for q := range queues {
				j := thesis5Job(name, 5e9, 78, reduces)
				j.queue, j.user, j.submit = fmt.Sprintf("queue%d", q+1), fmt.Sprintf("user%d", 3*q+i+1), float64(i)
				j.priority = []int32{-2, 0, 2}[i] // VERY_LOW, NORMAL, VERY_HIGH; used where Supports-Priority is on
				b.add(j)
			}
		}
		return &Set{Cluster: thesis5Cluster(5, 2, 8), Workload: b.sorted(), Config: thesis5Run()}
	}
}

// thesisUserLimit is the Minimum-User-Limit-Percent experiment: one queue, four
// users with a TeraSort each.
func thesisUserLimit(reduces int) func() *Set {
	return func() *Set {
		b := newWorkloadBuilder()
		for u := range 4 {
			j := thesis5Job("Terasort", 5e9, 78, reduces)
			j.queue, j.user = "queue1", fmt.Sprintf("user%d", u+1)
			b.add(j)
		}
		return &Set{Cluster: thesis5Cluster(5, 2, 8), Workload: b.sorted(), Config: thesis5Run()}
	}
}

// thesisValidation is section 4.1.2 and 4.3.2: four workers, two queues of two
// users; TeraSort of 2 GB by the first user, five seconds later by the second,
// Sort of 1 GB by each once its TeraSort has ended, which is taken to be 350 s
// after its start.
func thesisValidation(slots int64) func() *Set {
	return func() *Set {
		b := newWorkloadBuilder()
		for u := range 4 {
			q, at := fmt.Sprintf("queue%d", u/2+1), 5*float64(u%2)
			ts, so := thesis5Job("Terasort", 2e9, 32, 1), thesis5Job("Sort", 1e9, 16, 1)
			ts.queue, ts.user, ts.submit = q, fmt.Sprintf("user%d", u+1), at
			so.queue, so.user, so.submit = q, ts.user, at+350
			b.add(ts)
			b.add(so)
		}
		return &Set{Cluster: thesis5Cluster(4, slots, 2), Workload: b.sorted(), Config: thesis5Run()}
	}
}

func thesis5Cluster(nodes int, reduceSlots int64, cores int32) *simcore.Cluster {
	return uniform(nodes, simcore.Node{
		Slots: simcore.Vec{2, reduceSlots}, Capacity: simcore.Vec{8192, int64(cores)},
		Cores: cores, Disks: 1, DiskRate: thesis5Disk, NICRate: thesisNIC,
	})
}

// thesis5Job is a benchmark job: the sorts shuffle all their input, WordCount a
// tenth of it. Reduces of the sorts work on network and disk alone: two on a node take
// twice as long (sections 5.1.1 and 5.2.2), and the processor is no bottleneck (4.2.1).
func thesis5Job(name string, input float64, maps, reduces int) jobSpec {
	cost := benchmarks[name]
	j := jobSpec{
		name: name, class: name, maps: maps, reduces: reduces, input: input, shuffle: input, output: input,
		mapCPU: cost.mapCPU / 1e6, reduceCPU: cost.reduceCPU / 1e6, spread: taskSpread,
	}
	if name == "WordCount" {
		j.shuffle, j.output = input/10, input/50
	} else {
		j.reduceCPU = 0
	}
	return j
}
