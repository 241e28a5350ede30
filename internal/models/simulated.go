package models

import (
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/trace"
)

// SimulatedHistory runs a workload on nodes with slots of Hadoop 1 under a scheduler and returns what its
// history would be: something to try the fits on where no recorded history is
// at hand.
func SimulatedHistory(c *simcore.Cluster, w *simcore.Workload, scheduler string, cfg mr1.Config) (*trace.Trace, error) {
	s, err := sched.New(scheduler, sched.Options{Seed: cfg.Seed})
	if err != nil {
		return nil, err
	}
	t := &trace.Trace{Name: w.Name, Format: "simulated"}
	for i := range w.Jobs {
		j := trace.NewJob(w.Jobs[i].ID)
		j.Name, j.Result, j.Submit = w.Jobs[i].Name, trace.Succeeded, toMillis(w.Jobs[i].Submit)
		if k := w.Jobs[i].Class; k >= 0 {
			j.Class = w.Classes[k]
		}
		t.Jobs = append(t.Jobs, j)
	}
	cfg.Trace = func(at simcore.Time, e mr1.Event) { record(t, c, w, at, e) }
	_, err = mr1.Run(cfg, c, w, s)
	return t, err
}

// record adds a finished task to its job.
func record(t *trace.Trace, c *simcore.Cluster, w *simcore.Workload, at simcore.Time, e mr1.Event) {
	switch e.Kind {
	case mr1.JobFinished:
		t.Jobs[e.Task.Job].Finish = toMillis(at)
	case mr1.TaskFinished:
		k := trace.Map
		if e.Task.Kind == simcore.Reduce {
			k = trace.Reduce
		}
		task, a := trace.NewTask(k, int(e.Task.Index)), trace.NewAttempt(0)
		task.Result, a.Result = trace.Succeeded, trace.Succeeded
		a.Host, a.Start, a.Finish = c.Nodes[e.Node].Name, toMillis(at-e.Took), toMillis(at)
		task.Start, task.Finish = a.Start, a.Finish
		task.Attempts = []trace.Attempt{a}
		if at := int(w.Jobs[e.Task.Job].FirstTask + e.Task.Index); k == trace.Map && at+1 < len(w.Tasks.HostAt) {
			for _, n := range w.Tasks.Hosts[w.Tasks.HostAt[at]:w.Tasks.HostAt[at+1]] {
				task.Hosts = append(task.Hosts, c.Nodes[n].Name)
			}
		}
		j := &t.Jobs[e.Task.Job]
		j.Tasks = append(j.Tasks, task)
	}
}

func toMillis(t simcore.Time) trace.Millis { return trace.Millis(t / simcore.Millisecond) }
