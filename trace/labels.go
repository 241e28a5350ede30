package trace

import "schedtune/simcore"

// notSet is what the ResourceManager reports for an application without a node
// label expression.
const notSet = "<Not set>"

// setLabels keeps the node label expressions of a job, if there are any.
func (j *Job) setLabels(l simcore.JobLabels) {
	for _, s := range []*string{&l.App, &l.Master, &l.Map, &l.Reduce, &l.Executor} {
		if *s == notSet {
			*s = ""
		}
	}
	if l != (simcore.JobLabels{}) {
		j.Labels = &l
	}
}
