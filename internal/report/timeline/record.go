// Package timeline keeps what a run (package run) tells while it goes on: how many
// tasks and containers run over time, every event, and heartbeat logs.
package timeline

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/models"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// Step is a change of a number over time: N holds from At to the next step.
type Step struct {
	At simcore.Time
	N  int
}

// Steps is a number over time, in order of time; 0 before the first step.
type Steps []Step

// Add changes the number at a time, which must not lie before the last step.
func (s *Steps) Add(at simcore.Time, delta int) {
	level := delta
	if n := len(*s); n > 0 {
		last := &(*s)[n-1]
		if last.At == at {
			last.N += delta
			return
		}
		level += last.N
	}
	*s = append(*s, Step{at, level})
}

// Recorder keeps the running tasks of each kind and the containers of each queue
// over time. It keeps one step per change, so memory grows with the number of
// attempts.
type Recorder struct {
	Work  *simcore.Workload
	Tasks [2]Steps // by kind
	// Executors are those of Spark applications.
	Executors Steps
	// Queues are the containers, or slots in use, by queue of the workload.
	// Application masters count.
	Queues []Steps
	// Memory is what the containers of each queue hold, Pending what all applications request
	// and do not have, both in MiB; 0 of slots.
	Memory  []Steps
	Pending Steps
	// Lost are containers that ended before their work did, preempted ones among them, each
	// with the memory in use after it, in MiB.
	Lost  []Step
	used  int // MiB
	asked int // MiB pending at last
}

// New prepares for one run of a workload.
func New(w *simcore.Workload) *Recorder {
	return &Recorder{Work: w, Queues: make([]Steps, len(w.Queues)), Memory: make([]Steps, len(w.Queues))}
}

// Watch takes one change.
func (r *Recorder) Watch(c simulate.Change) {
	if c.Delta == 0 {
		return
	}
	q := r.Work.Jobs[c.Job].Queue
	r.Queues[q].Add(c.At, c.Delta)
	if c.Memory > 0 {
		held := c.Delta * int(c.Memory)
		r.used += held
		r.Memory[q].Add(c.At, held)
		r.Pending.Add(c.At, int(c.Pending)-r.asked)
		r.asked = int(c.Pending)
		if c.Lost {
			r.Lost = append(r.Lost, Step{c.At, r.used})
		}
	}
	switch {
	case c.Master:
	case r.Work.Jobs[c.Job].Spark != nil:
		r.Executors.Add(c.At, c.Delta)
	default:
		r.Tasks[c.Kind].Add(c.At, c.Delta)
	}
}

// WriteCSV writes the running tasks over time: maps, reduces, with Spark
// applications their executors, and one column per queue, a row per time at which
// something changed.
func (r *Recorder) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	head := "time,maps,reduces"
	columns := []Steps{r.Tasks[simcore.Map], r.Tasks[simcore.Reduce]}
	if slices.ContainsFunc(r.Work.Jobs, func(j simcore.Job) bool { return j.Spark != nil }) {
		head += ",executors"
		columns = append(columns, r.Executors)
	}
	for i, q := range r.Work.Queues {
		head += "," + plain(q)
		columns = append(columns, r.Queues[i])
	}
	if _, err := out.WriteString(head + "\n"); err != nil {
		return err
	}
	level, next := make([]int, len(columns)), make([]int, len(columns))
	for {
		at := simcore.Never
		for i, c := range columns {
			if next[i] < len(c) {
				at = min(at, c[next[i]].At)
			}
		}
		if at == simcore.Never {
			return out.Flush()
		}
		b := strconv.AppendFloat(nil, at.Seconds(), 'f', -1, 64)
		for i, c := range columns {
			if next[i] < len(c) && c[next[i]].At == at {
				level[i] = c[next[i]].N
				next[i]++
			}
			b = strconv.AppendInt(append(b, ','), int64(level[i]), 10)
		}
		if _, err := out.Write(append(b, '\n')); err != nil {
			return err
		}
	}
}

// Events writes one JSON object per event.
type Events struct {
	w       *bufio.Writer // keeps its first error
	cluster *simcore.Cluster
	work    *simcore.Workload
}

// eventLine is one line of an event trace; times in seconds.
type eventLine struct {
	T      float64 `json:"t"`
	Event  string  `json:"event"`
	Job    string  `json:"job,omitempty"`
	Queue  string  `json:"queue,omitempty"`
	Node   string  `json:"node,omitempty"`
	Kind   string  `json:"kind,omitempty"`
	Master bool    `json:"am,omitempty"`
}

// NewEvents writes the events of a run to w.
func NewEvents(w io.Writer, r *simulate.Runner) *Events {
	return &Events{w: bufio.NewWriter(w), cluster: r.Cluster.Whole(), work: r.Work}
}

// Watch takes one change.
func (e *Events) Watch(c simulate.Change) {
	l := eventLine{T: c.At.Seconds(), Event: c.Event, Master: c.Master}
	if c.Job >= 0 {
		j := &e.work.Jobs[c.Job]
		l.Job, l.Queue = j.ID, e.work.Queues[j.Queue]
	}
	if c.Node >= 0 {
		l.Node = e.cluster.Nodes[c.Node].Name
	}
	if c.Delta != 0 && !c.Master {
		l.Kind = c.Kind.String()
		if c.Job >= 0 && e.work.Jobs[c.Job].Spark != nil {
			l.Kind = "executor"
		}
	}
	_ = json.NewEncoder(e.w).Encode(l)
}

// Close writes what is buffered, and returns the first error of all writes.
func (e *Events) Close() error { return e.w.Flush() }

// Heartbeats writes a heartbeat log: a row for every task or container that is
// started, with the node's state before it, and a row of the state alone at
// every interval of a node. The nodes' phases are spread over the interval.
//
// A running task counts as one runnable process; load1 is their one-minute
// average as Linux keeps it, with a time constant of 60 s.
type Heartbeats struct {
	w        *models.Writer
	cluster  *simcore.Cluster
	work     *simcore.Workload
	interval simcore.Time
	nodes    []nodeState
	turn     int // node whose heartbeat is next
	row      models.Row
	err      error
}

// nodeState is a node as of its last change or row.
type nodeState struct {
	at, next simcore.Time
	load1    float64
	tasks    [2]int // running, by kind
	memory   int64  // MiB held by containers
}

// heartbeatColumns are the numeric columns of the log.
var heartbeatColumns = []string{"load1", "cpus", "cpu", "memory", "tasks", "maps", "reduces"}

// NewHeartbeats writes a log of a run to w.
func NewHeartbeats(w io.Writer, r *simulate.Runner, interval simcore.Time) (*Heartbeats, error) {
	out, err := models.NewWriter(w, heartbeatColumns)
	if err != nil {
		return nil, err
	}
	h := &Heartbeats{w: out, cluster: r.Cluster.Whole(), work: r.Work, interval: interval}
	h.nodes = make([]nodeState, len(h.cluster.Nodes))
	for i := range h.nodes {
		h.nodes[i].next = interval * simcore.Time(i+1) / simcore.Time(len(h.nodes))
	}
	h.row.Values = make([]float64, len(heartbeatColumns))
	return h, nil
}

// Watch takes one change.
func (h *Heartbeats) Watch(c simulate.Change) {
	if h.err != nil {
		return
	}
	h.beats(c.At)
	if c.Node < 0 || c.Delta == 0 {
		return
	}
	n := &h.nodes[c.Node]
	n.pass(c.At)
	if c.Delta > 0 && !c.Master {
		h.write(c.At, c.Node, &c)
	}
	if !c.Master {
		n.tasks[c.Kind] += c.Delta
	}
	n.memory += int64(c.Delta) * cmp.Or(c.Memory, h.size(&c))
}

// size is the memory of a container in a slot, as asked; without one its share of
// the node's slots is not known and counts as 0.
func (h *Heartbeats) size(c *simulate.Change) int64 {
	j := &h.work.Jobs[c.Job]
	switch {
	case c.Master:
		return j.AMAsk[simcore.Memory]
	case c.Kind == simcore.Reduce:
		return j.ReduceAsk[simcore.Memory]
	}
	return j.MapAsk[simcore.Memory]
}

// pass moves the load average on to a time.
func (n *nodeState) pass(to simcore.Time) {
	if to <= n.at {
		return
	}
	keep := math.Exp(-(to - n.at).Seconds() / 60)
	n.load1 = keep*n.load1 + (1-keep)*float64(n.tasks[0]+n.tasks[1])
	n.at = to
}

// beats writes the rows of all heartbeats before a time. The nodes' phases are
// in order of id and the interval is the same, so they come in turn.
func (h *Heartbeats) beats(until simcore.Time) {
	for h.err == nil && h.nodes[h.turn].next < until {
		n := &h.nodes[h.turn]
		n.pass(n.next)
		h.write(n.next, simcore.NodeID(h.turn), nil)
		n.next += h.interval
		h.turn = (h.turn + 1) % len(h.nodes)
	}
}

// write writes a row; c is the decision, nil = a state only.
func (h *Heartbeats) write(at simcore.Time, id simcore.NodeID, c *simulate.Change) {
	n, node := &h.nodes[id], &h.cluster.Nodes[id]
	cpus := float64(max(1, node.Cores))
	if node.Cores == 0 && node.Capacity[simcore.VCores] > 0 {
		cpus = float64(node.Capacity[simcore.VCores])
	}
	running := float64(n.tasks[0] + n.tasks[1])
	memory := math.NaN()
	if total := node.Capacity[simcore.Memory]; total > 0 {
		memory = float64(n.memory) / float64(total)
	}
	h.row.Time, h.row.Node, h.row.Outcome = at.Seconds(), node.Name, -1
	h.row.Job, h.row.Kind, h.row.Decision = "", "", c != nil
	if c != nil {
		j := &h.work.Jobs[c.Job]
		h.row.Job, h.row.Kind = j.ID, c.Kind.String()
		if j.Class >= 0 {
			h.row.Job = h.work.Classes[j.Class]
		}
	}
	copy(h.row.Values, []float64{n.load1, cpus, min(1, running/cpus), memory, running, float64(n.tasks[0]),
		float64(n.tasks[1])})
	h.row.Job = plain(h.row.Job)
	h.row.Node = plain(h.row.Node)
	h.err = h.w.Write(&h.row)
}

// plain replaces what a heartbeat log's names must not hold.
var plain = strings.NewReplacer(",", " ", `"`, " ", "\n", " ", "\r", " ").Replace

// Close writes what is buffered.
func (h *Heartbeats) Close() error {
	if h.err != nil {
		return h.err
	}
	return h.w.Flush()
}
