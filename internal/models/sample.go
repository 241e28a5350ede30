package models

import (
	"fmt"
	"io"
	"math"

	"schedtune/internal/rng"
)

// A log to try things out on, made by a small model of the learning paper's
// test bed (Dhok, Varma, section V-B): seven nodes of four processors with a
// heartbeat every five seconds. At each heartbeat a task of one of the paper's
// six jobs (figure 7: usage from 1 to 10) is assigned with probability 1/4,
// whatever the node's state; it runs for a time around 60 s and adds to the
// load what figure 11 implies, four processors over the tasks that kept a node
// at 100 %. load1 is the one-minute average of the load, which is why a node
// that took too much is overloaded only a few heartbeats later.

type sampleJob struct {
	name  string
	usage [4]float64 // CPU, memory, disk, network
	tasks float64    // tasks per node at full load
}

func sampleJobs() []sampleJob {
	return []sampleJob{
		{"textwriter", [4]float64{3, 5, 5, 3}, 2.03},
		{"wordcount", [4]float64{5, 6, 8, 5}, 2.31},
		{"wordcount-delay", [4]float64{1, 6, 6, 4}, 10.52},
		{"urlget", [4]float64{3, 4, 6, 7}, 8.35},
		{"urltodisk", [4]float64{3, 5, 7, 8}, 5.09},
		{"cpuactivity", [4]float64{10, 5, 5, 3}, 3.17},
	}
}

const (
	sampleNodes   = 7
	sampleBeat    = 5.0 // s
	purposeSample = 0x73616d70
	perTask       = 0.012 // share of memory, disk and network per unit of usage
)

// sampleNode is the state of one node of the model.
type sampleNode struct {
	load1 float64
	tasks []sampleTask
}

type sampleTask struct {
	job  int
	ends float64
}

// WriteSample writes a log of about rows rows, the same for the same seed.
func WriteSample(w io.Writer, rows int, seed uint64) error {
	out, err := NewWriter(w, standardColumns())
	if err != nil {
		return err
	}
	nodes := make([]sampleNode, sampleNodes)
	jobs, key := sampleJobs(), rng.NewKey(seed, purposeSample)
	row := Row{Values: make([]float64, len(standardColumns())), Outcome: -1}
	for i := range rows {
		n, beat := i%sampleNodes, i/sampleNodes
		now := float64(beat)*sampleBeat + float64(n)*sampleBeat/sampleNodes
		nodes[n].pass(now, jobs)
		row.Time, row.Node = now, fmt.Sprintf("n%d", n+1)
		nodes[n].decide(&row, now, jobs, key.At(uint64(i)))
		if err := out.Write(&row); err != nil {
			return err
		}
	}
	return out.Flush()
}

// pass moves the node to the next heartbeat: finished tasks go, and load1
// follows the load as the kernel's average does, with a time constant of 60 s.
func (n *sampleNode) pass(now float64, jobs []sampleJob) {
	load, kept := 0.0, n.tasks[:0]
	for _, t := range n.tasks {
		load += 4 / jobs[t.job].tasks
		if t.ends > now {
			kept = append(kept, t)
		}
	}
	n.tasks = kept
	keep := math.Exp(-sampleBeat / 60)
	n.load1 = keep*n.load1 + (1-keep)*load
}

// decide fills the row with the state before the decision, and takes it.
func (n *sampleNode) decide(row *Row, now float64, jobs []sampleJob, k rng.Key) {
	var used [4]float64
	for _, t := range n.tasks {
		for i, u := range jobs[t.job].usage {
			used[i] += u * perTask
		}
	}
	round := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	v := row.Values
	v[4], v[5], v[6] = round(n.load1), 4, round(math.Min(1, 4*used[0]))
	v[7], v[8], v[9], v[10] = round(math.Min(1, 2*used[1])), round(math.Min(1, 4*used[2])), round(math.Min(1, 2*used[3])),
		float64(len(n.tasks))
	row.Decision = k.Float64(0) < 0.25
	row.Job, row.Kind = "", ""
	for i := range 4 {
		v[i] = math.NaN()
	}
	if !row.Decision {
		return
	}
	j := k.IntN(1, len(jobs))
	row.Job, row.Kind = jobs[j].name, "map"
	copy(v, jobs[j].usage[:])
	n.tasks = append(n.tasks, sampleTask{j, now + 60*(0.7+0.6*k.Float64(2))})
}
