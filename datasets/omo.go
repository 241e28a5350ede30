package datasets

import (
	"fmt"
	"slices"

	"schedtune/simcore"
)

// The workloads of OMO: jobs of Purdue's benchmarks submitted two seconds
// apart, on nodes of four containers (table 4, table 5, section V).

// omoCluster is section V-B's CloudLab cluster: four containers per node, two
// map and two reduce slots where they are not dynamic. What four containers
// compute at a time is omoCores.
func omoCluster(nodes int) *simcore.Cluster {
	return uniform(nodes, simcore.Node{
		Slots: simcore.Vec{2, 2}, Capacity: simcore.Vec{40960, 8},
		Cores: omoCores, Disks: 1, DiskRate: omoDisk, NICRate: omoNIC,
	})
}

// omoSimple is a simple workload: eight jobs of one benchmark at 20 GB.
func omoSimple(name string) func() *Set {
	return func() *Set {
		b := newWorkloadBuilder()
		for range 8 {
			b.omoJob(name, 20e9, 80, 2, omoCost(name))
		}
		return &Set{Cluster: omoCluster(20), Workload: b.sorted(), Config: hadoop20Run()}
	}
}

// omoMixed is one of table 5's sets A to H. "All benchmarks" takes the six of
// table 4 in turn. Sets of 20 nodes, H of 40.
func omoMixed(set string) func() *Set {
	return func() *Set {
		t, b := published("omo", "5"), newWorkloadBuilder()
		for i, r := range t.Rows {
			if r[0] != set {
				continue
			}
			v := t.floats(i, 2)
			names := []string{"Terasort", "SeqCount", "WordCount", "InvertedIndex", "HistMovies", "Classification"}
			if r[1] != "all" {
				names = names[:2]
			}
			for j := range int(v[0]) {
				b.omoJob(names[j%len(names)], v[1], int(v[2]), int(v[3]), omoCost(names[j%len(names)]))
			}
		}
		nodes := 20
		if set == "H" {
			nodes = 40
		}
		return &Set{Cluster: omoCluster(nodes), Workload: b.sorted(), Config: hadoop20Run()}
	}
}

// omoTeraSort is the set-up of tables 2 and 3: one job on two nodes or three on
// ten, 8 GB, 80 maps and 4 reduces each, on EC2's m3.xlarge.
func omoTeraSort(jobs, nodes int) func() *Set {
	return func() *Set {
		b := newWorkloadBuilder()
		for range jobs {
			b.omoJob("Terasort", 8e9, 80, 4, benchmarks["Terasort"])
		}
		return &Set{
			Cluster: uniform(nodes, simcore.Node{
				Slots: simcore.Vec{2, 2}, Capacity: simcore.Vec{15360, 4},
				Speed: awsSpeed, Cores: 4, Disks: 2, DiskRate: awsDisk, NICRate: awsNIC,
			}),
			Workload: b.sorted(), Config: hadoop20Run(),
		}
	}
}

// omoCost is a benchmark's cost on the ARM processors.
func omoCost(name string) benchmark {
	c := benchmarks[name]
	return benchmark{omoMap * c.mapCPU, omoReduce * c.reduceCPU}
}

// omoJob appends a job two seconds after the one before; shuffle sizes scale
// with the input as in table 4, outputs are the shuffle's size for the sorts
// and a tenth of it otherwise.
func (b *workloadBuilder) omoJob(name string, input float64, maps, reduces int, cost benchmark) {
	t := published("omo", "4")
	row := t.Rows[slices.IndexFunc(t.Rows, func(r []string) bool { return r[0] == name })]
	s := jobSpec{
		name: name, class: name, queue: "default", user: fmt.Sprintf("user%02d", len(b.w.Jobs)+1),
		submit: 2 * float64(len(b.w.Jobs)), maps: maps, reduces: reduces,
		input: input, shuffle: input * number(row[3]) / number(row[2]), spread: taskSpread,
		mapCPU: cost.mapCPU / 1e6, reduceCPU: cost.reduceCPU / 1e6,
	}
	s.output = s.shuffle / 10
	if name == "Terasort" {
		s.output = s.shuffle
	}
	b.add(s)
}
