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
	label := func(j int) string { return classes.Model.Name(&facts[j]) }
	res, err := models.FitAllocation("first period", rates(now, label), "")
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

// rates are those of the job classes on the nodes: a node that has a job to itself
// reads its input from its disks, then computes on its cores.
func rates(c *scenario.Case, label func(int) string) *models.Rates {
	r := &models.Rates{}
	index := map[string]int{}
	var cpu, bytes []float64
	for j := range c.Work.Jobs {
		job, name := &c.Work.Jobs[j], label(j)
		k, ok := index[name]
		if !ok {
			k = len(index)
			index[name] = k
			r.Classes, r.Alpha = append(r.Classes, name), append(r.Alpha, 0)
			cpu, bytes = append(cpu, 0), append(bytes, 0)
		}
		r.Alpha[k]++
		for t := job.FirstTask; t < job.FirstTask+job.Maps+job.Reduces; t++ {
			cpu[k] += c.Work.Tasks.Duration[t].Seconds()
		}
		bytes[k] += float64(job.InputBytes) + 2*float64(job.ShuffleBytes) + float64(job.OutputBytes)
	}
	jobs := c.Work.Jobs
	span := math.Max((jobs[len(jobs)-1].Submit - jobs[0].Submit).Seconds(), 1)
	for k := range r.Classes {
		mu := make([]float64, len(c.Cluster.Nodes))
		for n := range mu {
			node := &c.Cluster.Nodes[n]
			if t := cpu[k]/(node.Speed*float64(node.Cores)) + bytes[k]/(node.DiskRate*float64(node.Disks)); t > 0 {
				mu[n] = r.Alpha[k] / t
			} else {
				mu[n] = 1 / simcore.Millisecond.Seconds() // jobs without work
			}
		}
		r.Mu, r.Alpha[k] = append(r.Mu, mu), r.Alpha[k]/span
	}
	for n := range c.Cluster.Nodes {
		r.Nodes = append(r.Nodes, c.Cluster.Nodes[n].Name)
	}
	return r
}
