package models

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/text"
	"schedtune/lp"
	"schedtune/simcore"
)

// Rates is the input of an allocation: classes by nodes.
type Rates struct {
	Classes []string
	Nodes   []string
	Alpha   []float64   // jobs/s of each class
	Mu      [][]float64 // jobs/s of class i on node j when the whole node works for it
}

// ReadRates reads a table, packed or not: a header "class,alpha,NODE,…" and one
// row per class, with different names. Every fault is reported with its line.
func ReadRates(name string, in io.Reader) (*Rates, error) {
	plain, err := fileio.OpenTable(in)
	if err != nil {
		return nil, fileio.In(name, err)
	}
	r := csv.NewReader(plain)
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	out := &Rates{}
	var faults []error
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(append(faults, fileio.CSVError(name, err))...)
		}
		line, _ := r.FieldPos(0)
		if out.Nodes == nil {
			if err := out.header(row); err != nil {
				return nil, &fileio.FileError{File: name, Line: int64(line), Err: err}
			}
		} else if err := out.add(row); err != nil {
			faults = append(faults, &fileio.FileError{File: name, Line: int64(line), Err: err})
		}
	}
	switch {
	case out.Nodes == nil:
		return nil, &fileio.FileError{File: name, Reason: "the table is empty: must have a header class,alpha,NODE,… and " +
			"one row per class"}
	case len(faults) == 0 && len(out.Classes) == 0:
		return nil, &fileio.FileError{File: name, Reason: "no classes: must have one row per class below the header"}
	}
	return out, errors.Join(faults...)
}

func (r *Rates) header(head []string) error {
	if len(head) < 3 || head[0] != "class" || head[1] != "alpha" {
		return fmt.Errorf("header %.100q: must be class,alpha and at least one node", strings.Join(head, ","))
	}
	r.Nodes = slices.Clone(head[2:])
	for j, n := range r.Nodes {
		if n == "" || slices.Contains(r.Nodes[:j], n) {
			return fmt.Errorf("column %d: node %q: must be a unique name, not empty", j+3, n)
		}
	}
	return nil
}

func (r *Rates) add(row []string) error {
	if len(row) != len(r.Nodes)+2 {
		return fmt.Errorf("%d fields: must be %d as in the header", len(row), len(r.Nodes)+2)
	}
	if row[0] == "" || slices.Contains(r.Classes, row[0]) {
		return fmt.Errorf("class %q: must be different names, not empty", row[0])
	}
	v := make([]float64, len(row)-1)
	for i, s := range row[1:] {
		x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || !(x >= 0) || x > lp.Huge {
			return fmt.Errorf("column %d: rate %q: must be a number, 0 to %g", i+2, s, lp.Huge)
		}
		v[i] = x
	}
	r.Classes, r.Alpha, r.Mu = append(r.Classes, row[0]), append(r.Alpha, v[0]), append(r.Mu, v[1:])
	return nil
}

// RatesOf takes the rates of a workload's classes on a cluster: alpha is the
// class's jobs over the span of submissions, mu_ij the inverse of the time a
// job of class i needs when it has node j for itself, with as many of its tasks
// running at once as the node holds, or as long as time says if it is not nil, in seconds.
// label names a job's class.
func RatesOf(w *simcore.Workload, c *simcore.Cluster, label func(job int) string,
	time func(*simcore.Job, *simcore.Node) float64) (*Rates, error) {
	if time == nil {
		time = func(j *simcore.Job, n *simcore.Node) float64 { return jobTime(w, j, n) }
	}
	if len(w.Jobs) == 0 || len(c.Nodes) == 0 {
		return nil, fmt.Errorf("%d jobs and %d nodes: must be at least one of each", len(w.Jobs), len(c.Nodes))
	}
	r := &Rates{}
	for i := range c.Nodes {
		r.Nodes = append(r.Nodes, c.Nodes[i].Name)
	}
	span := float64(w.Jobs[len(w.Jobs)-1].Submit-w.Jobs[0].Submit) / float64(simcore.Second)
	index := map[string]int{}
	var times [][]float64
	for i := range w.Jobs {
		name := label(i)
		k, ok := index[name]
		if !ok {
			k = len(r.Classes)
			index[name] = k
			r.Classes, r.Alpha, times = append(r.Classes, name), append(r.Alpha, 0), append(times, make([]float64, len(c.Nodes)))
		}
		r.Alpha[k]++
		for n := range c.Nodes {
			times[k][n] += time(&w.Jobs[i], &c.Nodes[n])
		}
	}
	for k := range times {
		mu := make([]float64, len(c.Nodes))
		for n, t := range times[k] {
			if t > 0 && !math.IsInf(t, 0) {
				mu[n] = r.Alpha[k] / t
			}
		}
		r.Mu = append(r.Mu, mu)
	}
	if span > 0 {
		for k := range r.Alpha {
			r.Alpha[k] /= span
		}
	}
	return r, nil
}

// jobTime is how long a node would work on a job alone, in seconds: the task
// time at its speed over the containers it holds, or reading time plus work
// where the job is described by its bytes. +Inf where it holds none.
func jobTime(w *simcore.Workload, j *simcore.Job, n *simcore.Node) float64 {
	speed := n.Speed
	if speed <= 0 {
		speed = 1
	}
	total := 0.0
	uses(w, j, func(k simcore.Kind, size simcore.Vec, seconds float64) {
		seconds /= speed
		if n.DiskRate > 0 && j.MapCPU > 0 {
			seconds += float64([]int64{j.InputBytes, j.ShuffleBytes}[k]) / n.DiskRate
		}
		if seconds > 0 {
			total += seconds / holds(n, size, k)
		}
	})
	return total
}

// holds is how many containers of a size, or slots of a kind, a node has.
func holds(n *simcore.Node, ask simcore.Vec, k simcore.Kind) float64 {
	if n.Slots[k] > 0 {
		return float64(n.Slots[k])
	}
	if ask == (simcore.Vec{}) {
		ask = simcore.Vec{1024, 1}
	}
	fit := int64(math.MaxInt64)
	for i, a := range ask {
		if a > 0 {
			fit = min(fit, n.Capacity[i]/a)
		}
	}
	return float64(fit)
}

// AllocationResult is the allocation with its proof.
type AllocationResult struct {
	Schema    string            `json:"schema"`
	Source    string            `json:"source"`
	Lambda    float64           `json:"lambda"`
	Upper     text.Num          `json:"upper_bound"` // no allocation carries more
	Proven    bool              `json:"proven"`      // the bounds agree to 1e-9
	Slackness float64           `json:"complementary_slackness"`
	Shared    int               `json:"shared_nodes"`
	Groups    int               `json:"node_groups"` // kinds of node up to a factor
	Solver    string            `json:"solver"`
	Classes   []AllocationClass `json:"classes"`
	Nodes     []AllocationNode  `json:"nodes"`
	// Recommended are the kinds of node with the queues' shares, where a queue file was
	// given.
	Recommended []LabelGroup `json:"recommended"`
	// Capacity bounds what any scheduler carries; absent for a table of rates and for Hadoop 1.
	Capacity *CapacityBound `json:"capacity,omitempty"`
}

// AllocationClass is one class of the allocation.
type AllocationClass struct {
	Name  string  `json:"name"`
	Alpha float64 `json:"alpha"` // jobs/s
	Work  float64 `json:"work"`  // worth of one job/s of the class (the dual w_i)
}

// AllocationNode is one node of the allocation.
type AllocationNode struct {
	Name      string    `json:"name"`
	Price     float64   `json:"price"`     // what the node adds to lambda
	Delta     []float64 `json:"delta"`     // share for each class
	Suggested []string  `json:"suggested"` // SC_j
}

// Solvers returns the names that FitAllocation knows.
func Solvers() []string { return []string{"simplex", "clp"} }

// FitAllocation solves and proves the allocation. solver is simplex or clp.
func FitAllocation(source string, r *Rates, solver string) (*AllocationResult, error) {
	o := lp.Options{}
	switch solver {
	case "", "simplex":
		solver = "simplex"
	case "clp":
		o.Solver = lp.CLP{}
	default:
		return nil, fmt.Errorf("solver %q: must be one of %s", solver, strings.Join(Solvers(), ", "))
	}
	a, err := o.MaxLambda(r.Alpha, r.Mu)
	var u *lp.UnservableError
	if errors.As(err, &u) {
		return nil, fmt.Errorf("class %s arrives but no node serves it: lambda is 0; use a rate above 0 on at least "+
			"one node", r.Classes[u.Class])
	}
	if err != nil {
		return nil, err
	}
	out := &AllocationResult{Schema: text.SchemaFitAllocation, Source: source, Lambda: a.Lambda,
		Upper:  text.Num(a.Certificate.Upper),
		Proven: a.Certificate.Gap() <= 1e-9*a.Certificate.Upper, Slackness: a.Certificate.Slackness,
		Shared: a.Certificate.Shared, Groups: a.Groups, Solver: solver}
	for i, n := range r.Classes {
		out.Classes = append(out.Classes, AllocationClass{n, r.Alpha[i], a.Work[i]})
	}
	for j, n := range r.Nodes {
		node := AllocationNode{Name: n, Price: a.Price[j], Delta: make([]float64, len(r.Classes)), Suggested: []string{}}
		for i, c := range r.Classes {
			if node.Delta[i] = a.Delta[i][j]; node.Delta[i] != 0 {
				node.Suggested = append(node.Suggested, c)
			}
		}
		out.Nodes = append(out.Nodes, node)
	}
	return out, nil
}

// mostShares is how many classes of a node are printed.
const mostShares = 2

// shares lists the classes of a node, the largest share first.
func (r *AllocationResult) shares(n AllocationNode) string {
	var order []int
	for k, d := range n.Delta {
		if d > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n.Delta[b], n.Delta[a]) })
	if len(order) == 0 {
		return "none: idle"
	}
	var parts []string
	for i, k := range order {
		if i == mostShares {
			parts = append(parts, fmt.Sprintf("%d more", len(order)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%.3g)", r.Classes[k].Name, n.Delta[k]))
	}
	return strings.Join(parts, ", ")
}

// WriteCSV writes the allocation as a table, classes by nodes.
func (r *AllocationResult) WriteCSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	row := []string{"node"}
	for _, c := range r.Classes {
		row = append(row, c.Name)
	}
	w.Write(row)
	for _, n := range r.Nodes {
		row = append(row[:0], n.Name)
		for _, d := range n.Delta {
			row = append(row, NumberField(d))
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
