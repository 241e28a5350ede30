package trace

import (
	"cmp"
	"errors"
	"fmt"

	"schedtune/internal/fileio"
	"schedtune/simcore"
)

// This file reads the workload of Hadoop's Scheduler Load Simulator: JSON
// objects of jobs one after another, times in milliseconds from the start; the
// first may hold the cluster (Hadoop, hadoop-tools/hadoop-sls, AMRunner).
//
// A reduce of this format has one duration. Its shuffle is part of it and is
// not recorded.

// slsDoc is a job or a cluster, with the members of a job in the order in which Hadoop's
// own samples have them.
type slsDoc struct {
	AMType  text      `json:"am.type,omitzero"`
	Start   num       `json:"job.start.ms,omitzero"`
	End     num       `json:"job.end.ms,omitzero"`
	Queue   text      `json:"job.queue.name"`
	ID      text      `json:"job.id"`
	User    text      `json:"job.user"`
	Label   text      `json:"job.label.expression,omitzero"`
	AMMem   num       `json:"am.memory-mb,omitzero"`
	AMCores num       `json:"am.vcores,omitzero"`
	Tasks   []slsTask `json:"job.tasks"`

	Count    num `json:"job.count,omitzero"`
	Priority num `json:"job.priority,omitzero"`
	Nodes    num `json:"num.nodes,omitzero"`
	Racks    num `json:"num.racks,omitzero"`

	Transformed []string `json:"schedtune.transformed,omitempty"` // notes, oldest first
}

type slsTask struct {
	Count    num  `json:"count,omitzero"`
	Host     text `json:"container.host,omitzero"`
	Start    num  `json:"container.start.ms,omitzero"`
	End      num  `json:"container.end.ms,omitzero"`
	Priority num  `json:"container.priority,omitzero"`
	Type     text `json:"container.type,omitzero"`
	Memory   num  `json:"container.memory-mb,omitzero"`
	VCores   num  `json:"container.vcores,omitzero"`
	Duration num  `json:"container.duration.ms,omitzero"`
	Older    num  `json:"duration.ms,omitzero"`
}

// maxRepeat bounds the copies that one count may ask for.
const maxRepeat = 1 << 24

func readSLS(in *input, t *Trace, n *notes) error {
	hosts := fileio.Strings{}
	made := 0
	return eachObject(in, func(d *slsDoc, _ int64) error {
		if d.Nodes.OK && len(t.Nodes) == 0 {
			if err := slsCluster(t, d); err != nil {
				return err
			}
		}
		if len(d.Tasks) == 0 && d.ID == "" && !d.Start.OK {
			if d.Nodes.OK {
				return nil
			}
			return errors.New("an object that is neither a cluster nor a job of the load simulator")
		}
		for _, note := range d.Transformed {
			n.add(Assumed, "%s", note)
		}
		copies := max(1, d.Count.Or(1))
		for k := int64(0); k < copies; k++ {
			made++
			j, err := slsJob(d, made, k, hosts, n)
			if err != nil {
				return err
			}
			if made*max(1, len(j.Tasks)) > maxRepeat {
				return jobErr(j.ID, "more than %d tasks in all", maxRepeat)
			}
			t.Jobs = append(t.Jobs, j)
		}
		return nil
	})
}

// slsCluster makes the nodes that the simulator would make.
func slsCluster(t *Trace, d *slsDoc) error {
	nodes, racks := d.Nodes.Or(0), max(1, d.Racks.Or(1))
	if nodes > 1<<20 || racks > 1<<20 {
		return fmt.Errorf("num.nodes %d, num.racks %d: must be at most %d", nodes, racks, 1<<20)
	}
	for i := int64(0); i < nodes; i++ {
		t.Nodes = append(t.Nodes, Node{Name: fmt.Sprintf("node%d", i), Rack: fmt.Sprintf("/rack%d", i%racks)})
	}
	return nil
}

func slsJob(d *slsDoc, number int, k int64, hosts fileio.Strings, n *notes) (Job, error) {
	id := cmp.Or(string(d.ID), fmt.Sprintf("job_%d", number))
	if d.ID != "" && k > 0 {
		id = fmt.Sprintf("%s_%d", id, k)
	}
	j := NewJob(id)
	j.User, j.Queue, j.Type = string(d.User), string(d.Queue), slsType(string(d.AMType))
	if j.User == "" {
		j.User = "default"
		n.add(Assumed, "user \"default\", as the load simulator does")
	}
	j.Priority, j.PrioritySet = int(d.Priority.Or(0)), d.Priority.OK
	j.setLabels(simcore.JobLabels{App: string(d.Label)})
	j.Submit, j.Finish = millis(d.Start), millis(d.End)
	j.AMSize = Size{d.AMMem.Or(0), d.AMCores.Or(0)}
	j.Result, j.Maps, j.Reduces = Succeeded, 0, 0
	for i := range d.Tasks {
		if err := slsAdd(&j, &d.Tasks[i], hosts); err != nil {
			return j, err
		}
	}
	j.MapSize, j.ReduceSize = commonSize(j.Tasks, Map), commonSize(j.Tasks, Reduce)
	if m := commonSize(j.Tasks, Container); m.MiB > 0 {
		j.MapSize = m
	}
	return j, checkSpan(id, "job", j.Submit, j.Finish)
}

// slsType turns the simulator's names of application types into YARN's.
func slsType(s string) string {
	if s == "" || s == "mapreduce" {
		return "MAPREDUCE"
	}
	return s
}

// slsAdd adds the tasks of one entry.
func slsAdd(j *Job, st *slsTask, hosts fileio.Strings) error {
	copies := max(1, st.Count.Or(1))
	if copies+int64(len(j.Tasks)) > maxRepeat {
		return jobErr(j.ID, "%d tasks: must be at most %d", copies, maxRepeat)
	}
	kind := parseKind(string(st.Type))
	a := NewAttempt(0)
	a.Host, a.Result = hosts.Get(string(st.Host)), Succeeded
	a.Size = Size{st.Memory.Or(0), st.VCores.Or(0)}
	a.Start, a.Finish = millis(st.Start), millis(st.End)
	duration := max(st.Duration.Or(Unknown), st.Older.Or(Unknown))
	switch {
	case duration >= 0 && !a.Start.Known():
		a.Start, a.Finish = max(0, j.Submit), max(0, j.Submit)+Millis(duration)
	case duration >= 0 && !a.Finish.Known():
		a.Finish = a.Start + Millis(duration)
	case !a.Start.Known() || !a.Finish.Known():
		return jobErr(j.ID, "a task needs container.start.ms and container.end.ms, or container.duration.ms")
	}
	if err := checkSpan(j.ID, "task", a.Start, a.Finish); err != nil {
		return err
	}
	for range copies {
		index := &j.Maps
		if kind == Reduce {
			index = &j.Reduces
		}
		t := NewTask(kind, *index)
		*index++
		t.Result, t.Start, t.Finish = Succeeded, a.Start, a.Finish
		if a.Host != "" && kind == Map {
			t.Hosts = []string{a.Host} // the simulator asks for this host
		}
		t.Attempts = []Attempt{a}
		j.Tasks = append(j.Tasks, t)
	}
	return nil
}
