package datasets

import (
	"fmt"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// The workloads of Coupling, on sets A (7 nodes), B (15 nodes, 7 with data) and
// C (62 nodes), each node with four map and two reduce slots and inputs stored
// once (section III). The ten-Grep experiment of figures 5 and 6 ran on eight.

func couplingCluster(nodes int) *simcore.Cluster {
	return uniform(nodes, simcore.Node{
		Slots: simcore.Vec{4, 2}, Capacity: simcore.Vec{6144, 4},
		Cores: 4, Disks: 1, DiskRate: couplingDisk, NICRate: couplingNIC,
	})
}

// couplingBuilder collects jobs over the input files of section III.
type couplingBuilder struct {
	*workloadBuilder
	files map[string]float64 // sizes in bytes
}

func newCouplingBuilder() *couplingBuilder {
	t, sizes := published("coupling", "files"), map[string]float64{}
	for i, r := range t.Rows {
		sizes[r[0]] = 1e9 * t.floats(i, 1)[0]
	}
	return &couplingBuilder{newWorkloadBuilder(), sizes}
}

// job appends a job of one of the programs over an input file.
// A map of QuasiMonteCarlo reads a file of a few bytes of its own, which has a place as
// any other; RandomWriter reads nothing and writes 64 MB a map. Grep and WordCount hand
// little to their reduces, Sort everything.
func (b *couplingBuilder) job(program, file string, submit float64, maps, reduces int) {
	input := b.files[file]
	cost := benchmarks[program]
	if program == "WordCount" {
		cost = benchmarks["WordCountB"]
	}
	s := jobSpec{
		name: program, class: program, queue: "default", user: fmt.Sprintf("user%03d", len(b.w.Jobs)+1),
		submit: submit, maps: maps, reduces: reduces, input: input,
		mapCPU: cost.mapCPU / 1e6, reduceCPU: cost.reduceCPU / 1e6, spread: couplingSpread,
	}
	switch program {
	case "Sort":
		s.shuffle, s.output = input, input
	case "RandomWriter":
		s.output = couplingBlock * float64(maps)
		s.mapCPU, s.mapTime = 0, cost.mapCPU/1e6*couplingBlock
	case "QuasiMonteCarlo":
		s.input, s.shuffle, s.output = couplingPoints*float64(maps), 1e3*float64(maps), 1e3
		s.mapCPU, s.mapTime = 0, cost.mapCPU/1e6*couplingBlock
	default:
		s.shuffle, s.output = 0.3*input, 0.05*input
	}
	b.add(s)
}

const (
	couplingBlock  = 64e6 // what a map of RandomWriter writes, bytes
	couplingPoints = 118  // the file of a map of QuasiMonteCarlo, bytes
)

// couplingTable builds a workload from table III or IV.
func couplingTable(id string, nodes, holders int) func() *Set {
	return func() *Set {
		t, b := published("coupling", id), newCouplingBuilder()
		for i, r := range t.Rows {
			v := append(t.floats(i, 3), 0) // table III has no reduces
			b.job(r[1], r[2], v[0], int(v[1]), int(v[2]))
		}
		return b.set(nodes, holders)
	}
}

func (b *couplingBuilder) set(nodes, holders int) *Set {
	s := &Set{Cluster: couplingCluster(nodes), Workload: b.sorted(), Config: hadoop20Run(), Holders: holders}
	s.Workload = s.Placed(defaultSeed)
	return s
}

// couplingSingle is one job of table II on set A.
func couplingSingle(row int) func() *Set {
	return func() *Set {
		t, b := published("coupling", "2"), newCouplingBuilder()
		name := t.Rows[row][0]
		if row >= 3 {
			name = "Sort"
		}
		b.job(name, t.Rows[row][1], 0, int(number(t.Rows[row][2])), int(number(t.Rows[row][3])))
		return b.set(7, 7)
	}
}

// couplingTwoGreps is figure 1: two Grep jobs a minute apart; the first has as
// many reduces as the cluster has slots, the second reads RandomInput30.
func couplingTwoGreps() *Set {
	b := newCouplingBuilder()
	b.job("Grep", "wikiInput", 0, 427, 14)
	b.job("Grep", "randomInput30", 60, 45, 6)
	return b.set(7, 7)
}

// couplingTenGreps is figures 5 to 8: ten Grep jobs of 427 maps and 8 reduces,
// five minutes apart, on eight nodes.
func couplingTenGreps() *Set {
	b := newCouplingBuilder()
	for i := range 10 {
		b.job("Grep", "wikiInput", 300*float64(i), 427, 8)
	}
	return b.set(8, 8)
}

// couplingWordCount is figures 10 and 11: one WordCount of 427 maps on 15 nodes
// of which seven hold its input.
func couplingWordCount() *Set {
	b := newCouplingBuilder()
	b.job("WordCount", "wikiInput", 0, 427, 0)
	return b.set(15, 7)
}

// couplingBatches is section III.D: 200 jobs in ten batches of twenty on 62
// nodes; 73.8 % Grep, 8.9 % WordCount, 6.8 % QuasiMonteCarlo, 10.5 % Sort;
// gaps of 25 s within and 20 minutes between the first jobs of two batches,
// both exponential. The sizes are those of table IV's jobs of the program,
// drawn at random.
func couplingBatches() *Set {
	t, b := published("coupling", "4"), newCouplingBuilder()
	rows := map[string][]int{} // by program
	for i, r := range t.Rows {
		rows[r[1]] = append(rows[r[1]], i)
	}
	k := rng.NewKey(defaultSeed, purposeArrival)
	start := 0.0
	for batch := range 10 {
		at := start
		for i := range 20 {
			n := uint64(20*batch + i)
			program := "Sort"
			switch u := k.At(1).Float64(n); {
			case u < 0.738:
				program = "Grep"
			case u < 0.738+0.089:
				program = "WordCount"
			case u < 0.738+0.089+0.068:
				program = "QuasiMonteCarlo"
			}
			row := rows[program][k.At(2).IntN(n, len(rows[program]))]
			size := t.floats(row, 4)
			b.job(program, t.Rows[row][2], at, int(size[0]), int(size[1]))
			at += 25 * k.At(3).Exp(n)
		}
		start += 1200 * k.At(4).Exp(uint64(batch))
	}
	return b.set(62, 62)
}
