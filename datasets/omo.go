package datasets

import (
	"fmt"
	"strconv"

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
func omoSimple(name string) func() (*Set, error) {
	return func() (*Set, error) {
		b := newWorkloadBuilder("omo-" + name)
		for range 8 {
			if err := b.omoJob(name, 20e9, 80, 2, omoCost(name)); err != nil {
				return nil, err
			}
		}
		return &Set{Cluster: omoCluster(20), Workload: b.sorted(), Config: hadoop20Run()}, nil
	}
}

// omoMixed is one of table 5's sets A to H. "All benchmarks" takes the six of
// table 4 in turn. Sets of 20 nodes, H of 40.
func omoMixed(set string) func() (*Set, error) {
	return func() (*Set, error) {
		t, err := Published("omo", "5")
		if err != nil {
			return nil, err
		}
		b := newWorkloadBuilder("omo-" + set)
		for i, r := range t.Rows {
			if r[0] != set {
				continue
			}
			v, err := t.floats(i, 2)
			if err != nil {
				return nil, err
			}
			names := []string{"Terasort", "SeqCount", "WordCount", "InvertedIndex", "HistMovies", "Classification"}
			if r[1] != "all" {
				names = names[:2]
			}
			for j := range int(v[0]) {
				if err := b.omoJob(names[j%len(names)], v[1], int(v[2]), int(v[3]), omoCost(names[j%len(names)])); err != nil {
					return nil, err
				}
			}
		}
		nodes := 20
		if set == "H" {
			nodes = 40
		}
		return &Set{Cluster: omoCluster(nodes), Workload: b.sorted(), Config: hadoop20Run()}, nil
	}
}

// omoTeraSort is the set-up of tables 2 and 3: one job on two nodes or three on
// ten, 8 GB, 80 maps and 4 reduces each, on EC2's m3.xlarge.
func omoTeraSort(jobs, nodes int) func() (*Set, error) {
	return func() (*Set, error) {
		b := newWorkloadBuilder(fmt.Sprintf("omo-terasort-%d", jobs))
		for range jobs {
			if err := b.omoJob("Terasort", 8e9, 80, 4, benchmarks["Terasort"]); err != nil {
				return nil, err
			}
		}
		return &Set{
			Cluster: uniform(nodes, simcore.Node{
				Slots: simcore.Vec{2, 2}, Capacity: simcore.Vec{15360, 4},
				Speed: awsSpeed, Cores: 4, Disks: 2, DiskRate: awsDisk, NICRate: awsNIC,
			}),
			Workload: b.sorted(), Config: hadoop20Run(),
		}, nil
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
func (b *workloadBuilder) omoJob(name string, input float64, maps, reduces int, cost benchmark) error {
	t, err := Published("omo", "4")
	if err != nil {
		return err
	}
	for _, r := range t.Rows {
		if r[0] != name {
			continue
		}
		in, err := strconv.ParseFloat(r[2], 64)
		if err != nil {
			return err
		}
		sh, err := strconv.ParseFloat(r[3], 64)
		if err != nil {
			return err
		}
		s := jobSpec{
			name: name, class: name, queue: "default", user: fmt.Sprintf("user%02d", len(b.w.Jobs)+1),
			submit: 2 * float64(len(b.w.Jobs)), maps: maps, reduces: reduces,
			input: input, shuffle: input * sh / in, mapCPU: cost.mapCPU / 1e6, reduceCPU: cost.reduceCPU / 1e6,
			spread: taskSpread,
		}
		s.output = s.shuffle / 10
		if name == "Terasort" {
			s.output = s.shuffle
		}
		b.add(s)
		return nil
	}
	return fmt.Errorf("benchmark %q: not in table 4", name)
}
