package models

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"schedtune/cluster"
	"schedtune/simcore"
	"schedtune/trace"
)

// Facts are what a job class is made of: the sizes that the papers' tables of
// classes show, or the columns of a table of jobs.
type Facts struct {
	Job    string  `json:"job"`
	Class  string  `json:"class,omitempty"` // where the source has one
	Submit float64 `json:"submit_s"`        // after the first job of its trace; of a table as it has it
	cluster.Sizes
	Values []float64 `json:"numbers,omitempty"` // of a table's columns
	Label  int       `json:"of"`                // class, an index
}

// FactsOf returns the facts of a workload's jobs.
func FactsOf(w *simcore.Workload) []*Facts {
	out := make([]*Facts, len(w.Jobs))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		f := &Facts{Job: cmp.Or(j.ID, j.Name), Submit: j.Submit.Seconds(), Sizes: cluster.Sizes{
			Input: float64(j.InputBytes), Shuffle: float64(j.ShuffleBytes), Output: float64(j.OutputBytes),
			Maps: float64(j.Maps), Reduces: float64(j.Reduces),
			MapSeconds: w.StageSeconds(j, simcore.Map), ReduceSeconds: w.StageSeconds(j, simcore.Reduce)}}
		if j.Class >= 0 && int(j.Class) < len(w.Classes) {
			f.Class = w.Classes[j.Class]
		}
		out[i] = f
	}
	return out
}

// COSHHFacts returns the facts of a workload's jobs with the features by which COSHH classifies them (section 3.1)
// as columns: priority, mean arrival rate (jobs per hour of the job's user) and, as its inverse in seconds, mean
// execution rate on each kind of node that has it for itself.
func COSHHFacts(w *simcore.Workload, c *simcore.Cluster) (facts []*Facts, columns []string) {
	facts, columns = FactsOf(w), []string{"priority", "arrival rate"}
	kinds := groups(c)
	for _, k := range kinds {
		columns = append(columns, "time on "+c.Nodes[k[0]].Name)
	}
	jobs := map[int32]float64{} // by user
	for i := range w.Jobs {
		jobs[w.Jobs[i].User]++
	}
	hours := 1.0
	if n := len(w.Jobs); n > 0 && w.Jobs[n-1].Submit > w.Jobs[0].Submit {
		hours = (w.Jobs[n-1].Submit - w.Jobs[0].Submit).Seconds() / 3600
	}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		v := []float64{float64(j.Priority), jobs[j.User] / hours}
		for _, k := range kinds {
			v = append(v, math.Min(jobTime(w, j, &c.Nodes[k[0]]), 1e12)) // of a node that holds none of its tasks
		}
		facts[i].Values = v
	}
	return facts, columns
}

// OpenFacts reads the jobs of a trace in parts, as trace.Open does, and drops the rest of it. Notes
// are those of the trace and of what becomes of its jobs.
func OpenFacts(path string, o trace.Options) (facts []*Facts, notes []trace.Note, err error) {
	var empty error
	var use []trace.Note
	first := trace.Millis(trace.Unknown)
	o.Each = func(part *trace.Trace) error {
		w, more, err := part.Workload(trace.WorkloadOptions{AfterUp: true})
		if errors.Is(err, trace.ErrEmpty) {
			empty = err
			return nil
		}
		if err != nil {
			return err
		}
		for _, n := range more {
			same := func(o trace.Note) bool { return o.Kind == n.Kind && o.Text == n.Text }
			if i := slices.IndexFunc(use, same); i >= 0 {
				use[i].Count += n.Count
			} else {
				use = append(use, n)
			}
		}
		if from, ok := part.Begin(); ok {
			if !first.Known() {
				first = from
			}
			for i := range w.Jobs {
				w.Jobs[i].Submit += simcore.Time(from-first) * simcore.Millisecond
			}
		}
		facts = append(facts, FactsOf(w)...)
		return nil
	}
	t, err := trace.Open(path, o)
	if err == nil && facts == nil {
		err = empty
	}
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(facts, func(a, b *Facts) int { return cmp.Compare(a.Submit, b.Submit) })
	for i, from := len(facts)-1, facts[0].Submit; i >= 0; i-- {
		facts[i].Submit -= from
	}
	return facts, append(t.Notes, use...), nil
}
