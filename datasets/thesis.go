package datasets

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"text/template"

	"schedtune/simcore"
)

// The simulations of the thesis's chapter 6: 100 jobs of seven types, each of
// its own user, on 30 nodes of 4 map and 4 reduce slots, in three submission
// patterns and 32 settings (tables 4.1 to 4.3).

// thesisCluster is section 4.1.3's 30 workers on one switch.
func thesisCluster() *simcore.Cluster {
	return uniform(30, simcore.Node{
		Slots: simcore.Vec{4, 4}, Capacity: simcore.Vec{4096, thesisCores},
		Cores: thesisCores, Disks: 1, DiskRate: thesisDisk, NICRate: thesisNIC,
	})
}

// ThesisSettings are one row of tables 4.2 and 4.3.
type ThesisSettings struct {
	Experiment         int       // 1 to 32
	Queues             []string  // names
	Capacity           []float64 // percent, by queue
	MaximumCapacity    []float64 // percent, by queue; -1 = no limit
	UserLimitFactor    float64   // multiple of a queue's capacity
	MinimumUserPercent float64   // percent
}

// ThesisExperiment returns the settings of an experiment, 1 to 32. In the
// experiments with a limit, Maximum-Capacity is the queue's capacity: table 4.2
// prints 50 for experiments 9 to 16 too, where section 6.2.2 says "set to the
// capacity of the queue". Tables 4.3 and 6.20 number the short queues 1 and 2.
func ThesisExperiment(n int) (*ThesisSettings, error) {
	table := "4.2"
	if n > 16 {
		table = "4.3"
	}
	t := published("thesis", table)
	for i, r := range t.Rows {
		if r[0] != strconv.Itoa(n) {
			continue
		}
		v := t.floats(i, 4)
		s := &ThesisSettings{Experiment: n, UserLimitFactor: v[0], MinimumUserPercent: v[1]}
		switch r[2] {
		case "50-50":
			s.Queues, s.Capacity = []string{"queue1", "queue2"}, []float64{50, 50}
		case "70-30":
			s.Queues, s.Capacity = []string{"queue1", "queue2"}, []float64{70, 30}
		default:
			s.Queues, s.Capacity = []string{"queue1", "queue2", "queue3", "queue4"}, []float64{10, 10, 40, 40}
		}
		for _, c := range s.Capacity {
			if r[3] == "-1" {
				c = -1
			}
			s.MaximumCapacity = append(s.MaximumCapacity, c)
		}
		return s, nil
	}
	return nil, fmt.Errorf("thesis experiment %d: must be between 1 and 32", n)
}

// XML returns the settings as a capacity-scheduler.xml of Hadoop 1.
func (s *ThesisSettings) XML() []byte {
	var b bytes.Buffer
	if err := template.Must(template.ParseFS(lists, "config/thesis.xml.tmpl")).Execute(&b, s); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// thesisSet builds one experiment.
func thesisSet(n int) func() *Set {
	return func() *Set {
		s, err := ThesisExperiment(n)
		if err != nil {
			panic(err)
		}
		return &Set{Cluster: thesisCluster(), Workload: thesisWorkload(n), Config: thesisRun(), ConfigXML: s.XML()}
	}
}

// thesisWorkload is the submission pattern of an experiment: 1 to 16 all long
// jobs first, 17 to 24 interleaved, 25 to 32 interleaved with queues of their
// own for short and long jobs.
func thesisWorkload(n int) *simcore.Workload {
	types := thesisTypes()
	var long, short []int // types in order of submission, one queue's half of the mix
	for t, s := range types {
		for range s.count / 2 {
			if s.job.maps > 10 {
				long = append(long, t)
			} else {
				short = append(short, t)
			}
		}
	}
	order := slices.Concat(long, short)
	if n > 16 {
		order = interleave(short, long)
	}
	b := newWorkloadBuilder()
	queues := []string{"queue1", "queue2"}
	if n > 24 {
		queues = append(queues, "queue3", "queue4")
	}
	for _, q := range queues {
		b.queues.ID(&b.w.Queues, q)
	}
	for i, t := range order {
		for q := range 2 {
			j := types[t].job
			j.queue, j.submit, j.user = queues[q], float64(i), fmt.Sprintf("user%03d", 2*i+q+1)
			if n > 24 && j.maps > 10 {
				j.queue = queues[q+2]
			}
			b.add(j)
		}
	}
	return b.sorted()
}

// interleave puts a long job after every four short ones.
func interleave(short, long []int) []int {
	var order []int
	for i, l := range long {
		order = append(order, short[4*i:4*i+4]...)
		order = append(order, l)
	}
	return order
}

type thesisType struct {
	count int // jobs of 100
	job   jobSpec
}

// thesisTypes reads table 4.1: its compute columns are cycles per byte, to which
// come MRPERF's for sorting a map's output and the fixed ones of a reduce.
func thesisTypes() (types []thesisType) {
	t := published("thesis", "4.1")
	for i, r := range t.Rows {
		v := t.floats(i, 2)
		maps, reduces, ratio := v[1], v[2], v[3]
		input := maps * thesisBlock
		share := input * ratio / reduces // of one reduce
		merges := 1 + math.Max(math.Floor(share/thesisMergeBytes), math.Floor(maps/thesisMergeMaps))
		types = append(types, thesisType{count: int(v[0]), job: jobSpec{
			name: r[1], class: "type" + r[0], maps: int(maps), reduces: int(reduces),
			input: input, shuffle: input * ratio, output: input * ratio * v[4],
			mapCPU:    (v[5] + thesisMapSort*ratio) / thesisHz,
			reduceCPU: (v[6] + (thesisReduce+merges*thesisMerge)/share) / thesisHz,
		}})
	}
	return types
}
