package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// slsOutJob and slsOutTask are what WriteSLS writes, in the order in which
// Hadoop's own samples have the keys.
type slsOutJob struct {
	AMType  string       `json:"am.type"`
	Start   Millis       `json:"job.start.ms"`
	End     Millis       `json:"job.end.ms"`
	Queue   string       `json:"job.queue.name"`
	ID      string       `json:"job.id"`
	User    string       `json:"job.user"`
	Label   string       `json:"job.label.expression,omitempty"`
	AMMem   int64        `json:"am.memory-mb,omitempty"`
	AMCores int64        `json:"am.vcores,omitempty"`
	Tasks   []slsOutTask `json:"job.tasks"`
}

type slsOutTask struct {
	Count    int    `json:"count,omitempty"`
	Host     string `json:"container.host,omitempty"`
	Start    Millis `json:"container.start.ms"`
	End      Millis `json:"container.end.ms"`
	Priority int    `json:"container.priority"`
	Type     string `json:"container.type"`
	Memory   int64  `json:"container.memory-mb,omitempty"`
	VCores   int64  `json:"container.vcores,omitempty"`
}

// WriteSLS writes the jobs for Hadoop's Scheduler Load Simulator. Times count
// from the first submission. A task is its winning attempt; tasks that were
// not recorded singly share one entry with a count. Spark applications are their
// executors. What the format cannot
// hold is lost: failed attempts, the end of a shuffle, locations beyond the
// first, slowstart, bytes, priorities, node labels but that of the whole job.
func (t *Trace) WriteSLS(w io.Writer) error {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	origin, _ := t.Begin()
	racks := t.racks()
	for i := range t.Jobs {
		o := slsOut(&t.Jobs[i], origin, racks)
		if len(o.Tasks) == 0 {
			continue
		}
		if err := enc.Encode(&o); err != nil {
			return fmt.Errorf("job %s: %w", t.Jobs[i].ID, err)
		}
	}
	return bw.Flush()
}

func slsOut(j *Job, origin Millis, racks map[string]string) slsOutJob {
	start := max(0, max(j.Submit, 0)-origin)
	o := slsOutJob{AMType: "mapreduce", Start: start, End: start, Queue: j.Queue, ID: j.ID, User: j.User,
		AMMem: j.AMSize.MiB, AMCores: j.AMSize.VCores}
	if o.Queue == "" {
		o.Queue = "default"
	}
	if j.Labels != nil {
		o.Label = j.Labels.App
	}
	for i := range j.Tasks {
		k := &j.Tasks[i]
		a := k.Winner()
		if a == nil || k.Kind != Map && k.Kind != Reduce && k.Kind != Container {
			continue
		}
		host := a.Host
		if len(k.Hosts) > 0 {
			host = k.Hosts[0]
		}
		o.add(j, k.Kind, slsOutTask{Host: slsHost(host, racks), Start: a.Start - origin, End: a.Finish - origin}, a.Size)
	}
	if j.Spark != nil {
		o.executors(j, origin, racks)
	} else if len(o.Tasks) == 0 {
		o.add(j, Map, slsOutTask{Count: max(0, j.Maps), Start: start, End: start + max(0, j.MapTime)}, Size{})
		o.add(j, Reduce, slsOutTask{Count: max(0, j.Reduces), Start: start, End: start + max(0, j.ReduceTime) +
			max(0, j.ShuffleTime)}, Size{})
	}
	if j.Finish.Known() {
		o.End = max(o.End, j.Finish-origin)
	}
	return o
}

// executors adds a Spark application's executors, each a container from its
// registration to its end.
func (o *slsOutJob) executors(j *Job, origin Millis, racks map[string]string) {
	app := j.Spark
	_, def, _, _ := sparkSettings(app)
	sizes, at := sparkExecutors(app, def)
	for i := range app.Executors {
		e := &app.Executors[i]
		if from, to, ok := app.Life(e); ok {
			v := sizes[at[e.Profile]].Container
			o.add(j, Container, slsOutTask{Host: slsHost(e.Host, racks), Start: Millis(from) - origin, End: Millis(to) -
				origin}, Size{v[0], v[1]})
		}
	}
}

// slsHost makes "/rack/host", which is the only form the simulator reads.
func slsHost(host string, racks map[string]string) string {
	if host == "" || strings.HasPrefix(host, "/") {
		return host
	}
	rack := racks[host]
	if rack == "" {
		rack = "default-rack"
	}
	return "/" + trimSlash(rack) + "/" + host
}

// add appends a task; an entry with a count of zero stands for a single task
// only if it was recorded.
func (o *slsOutJob) add(j *Job, k Kind, t slsOutTask, size Size) {
	if t.Count == 0 && t.Host == "" && t.Start == t.End && len(j.Tasks) == 0 {
		return
	}
	t.Type, t.Priority = "map", 20
	if k == Reduce {
		t.Type, t.Priority = "reduce", 10
	}
	if size.MiB == 0 {
		size = j.MapSize
		if k == Reduce {
			size = j.ReduceSize
		}
	}
	t.Memory, t.VCores = size.MiB, size.VCores
	o.End = max(o.End, t.End)
	o.Tasks = append(o.Tasks, t)
}

// WriteSLSNodes writes the inventory for the load simulator, one object per
// rack in order of first appearance.
func (t *Trace) WriteSLSNodes(w io.Writer) error {
	if len(t.Nodes) == 0 {
		return fmt.Errorf("%s: the trace lists no machines", t.Name)
	}
	type node struct {
		Node   string `json:"node"`
		Memory int64  `json:"memory-mb,omitempty"`
		VCores int64  `json:"vcores,omitempty"`
	}
	type rack struct {
		Rack  string `json:"rack"`
		Nodes []node `json:"nodes"`
	}
	var racks []*rack
	byName := map[string]*rack{}
	for _, n := range t.Nodes {
		r, ok := byName[n.Rack]
		if !ok {
			// The simulator puts the slash before a rack's name itself.
			r = &rack{Rack: trimSlash(n.Rack)}
			if r.Rack == "" {
				r.Rack = "default-rack"
			}
			byName[n.Rack] = r
			racks = append(racks, r)
		}
		r.Nodes = append(r.Nodes, node{n.Name, n.MiB, n.VCores})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	for _, r := range racks {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
