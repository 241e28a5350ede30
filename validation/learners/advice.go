package learners

import (
	"math"

	"schedtune/internal/models"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// The allocation of COSHH as a queue file: jobs are classified by k-means, rates are
// those of the first period, and the labels and shares that follow are put on top of
// the tuned file.

// advise returns the next period under the recommendation, nil where there is none to make.
func advise(now, next *scenario.Case, tuned []yarnconf.Change) (*scenario.Case, error) {
	doc, err := now.Doc.EditValid(tuned)
	if err != nil {
		return nil, err
	}
	facts := models.FactsOf(now.Work)
	classes, err := models.FitClasses("first period", facts, models.ClassOptions{MaxK: 8, Seed: 1}, nil)
	if err != nil {
		return nil, err
	}
	label := func(j int) string { return classes.Model.Name(facts[j]) }
	rates, err := models.RatesOf(now.Work, now.Cluster, label, aloneTime(now.Work))
	if err != nil {
		return nil, err
	}
	res, err := models.FitAllocation("first period", rates, "")
	if err != nil {
		return nil, err
	}
	rec, err := res.Recommend(doc, now.Work, now.Cluster, label)
	if err != nil {
		return nil, nil // a file whose shares are no percentages, for one
	}
	if doc, err = doc.EditValid(rec.Changes); err != nil {
		return nil, err
	}
	out := *next
	out.Doc, out.Cluster = doc, rec.Cluster
	return &out, nil
}

// aloneTime returns how long a node that has a job to itself takes, in seconds: it reads its input
// from its disks, then computes on its cores.
func aloneTime(w *simcore.Workload) func(*simcore.Job, *simcore.Node) float64 {
	return func(j *simcore.Job, n *simcore.Node) float64 {
		cpu := 0.0
		for t := j.FirstTask; t < j.FirstTask+j.Maps+j.Reduces; t++ {
			cpu += w.Tasks.Duration[t].Seconds()
		}
		bytes := float64(j.InputBytes) + 2*float64(j.ShuffleBytes) + float64(j.OutputBytes)
		return math.Max(cpu/(n.Speed*float64(n.Cores))+bytes/(n.DiskRate*float64(n.Disks)), simcore.Millisecond.Seconds())
	}
}
