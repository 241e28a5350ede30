package trace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/trace/internal/history"
)

// WriteSLS writes the jobs for Hadoop's Scheduler Load Simulator. Times count
// from the first submission. A task is its winning attempt; tasks that were
// not recorded singly share one entry with a count. Spark applications are their
// executors, Tez applications their containers. What the format cannot
// hold is lost: failed attempts, the end of a shuffle, locations beyond the
// first, slowstart, bytes, priorities, node labels but that of the whole job.
// The first job has the notes of Untransformed, in a member that the simulator passes over.
func (t *Trace) WriteSLS(w io.Writer) error {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	origin, _ := t.Begin()
	racks := t.racks()
	_, said := t.Untransformed()
	for i := range t.Jobs {
		o := slsOut(&t.Jobs[i], origin, racks)
		if len(o.Tasks) == 0 {
			continue
		}
		o.Transformed, said = said, nil
		if err := enc.Encode(&o); err != nil {
			return fmt.Errorf("job %s: %w", t.Jobs[i].ID, err)
		}
	}
	return bw.Flush()
}

func slsOut(j *Job, origin Millis, racks map[string]string) slsDoc {
	start := max(0, max(j.Submit, 0)-origin)
	o := slsDoc{AMType: "mapreduce", Start: numOf(start), End: numOf(start), Queue: text(cmp.Or(j.Queue, "default")),
		ID: text(j.ID), User: text(j.User),
		AMMem: nonZero(j.AMSize.MiB), AMCores: nonZero(j.AMSize.VCores)}
	if j.Labels != nil {
		o.Label = text(j.Labels.App)
	}
	for k := range history.Pointers(j.Tasks) {
		a := k.Winner()
		if a == nil || !k.Kind.works() {
			continue
		}
		host := a.Host
		if len(k.Hosts) > 0 {
			host = k.Hosts[0]
		}
		o.add(j, k.Kind, a.Start-origin, a.Finish-origin, slsHost(host, racks), 0, a.Size)
	}
	if j.Spark != nil || j.Tez != nil {
		list, _ := j.Holdings()
		for _, h := range list {
			if !h.Master {
				o.add(j, Container, h.From-origin, h.To-origin, slsHost(h.Host, racks), 0, Size{int64(h.MiB), int64(h.VCores)})
			}
		}
	} else if len(o.Tasks) == 0 {
		o.add(j, Map, start, start+max(0, j.MapTime), "", max(0, j.Maps), Size{})
		o.add(j, Reduce, start, start+max(0, j.ReduceTime)+max(0, j.ShuffleTime), "", max(0, j.Reduces), Size{})
	}
	if j.Finish.Known() {
		o.End = numOf(max(Millis(o.End.V), j.Finish-origin))
	}
	return o
}

// slsHost makes "/rack/host", which is the only form the simulator reads.
func slsHost(host string, racks map[string]string) string {
	if host == "" || strings.HasPrefix(host, "/") {
		return host
	}
	return "/" + trimSlash(cmp.Or(racks[host], "default-rack")) + "/" + host
}

// add appends a task, or as many as count; a count of zero stands for a single task
// only if it was recorded.
func (o *slsDoc) add(j *Job, k Kind, start, end Millis, host string, count int, size Size) {
	if count == 0 && host == "" && start == end && len(j.Tasks) == 0 {
		return
	}
	t := slsTask{Host: text(host), Start: numOf(start), End: numOf(end), Type: "map", Priority: numOf(20),
		Count: nonZero(count)}
	usual := j.MapSize
	if k == Reduce {
		t.Type, t.Priority, usual = "reduce", numOf(10), j.ReduceSize
	}
	if size.MiB == 0 {
		size = usual
	}
	t.Memory, t.VCores = nonZero(size.MiB), nonZero(size.VCores)
	o.End = numOf(max(Millis(o.End.V), end))
	o.Tasks = append(o.Tasks, t)
}

// WriteSLSNodes writes the inventory for the load simulator, one object per
// rack in order of first appearance.
func (t *Trace) WriteSLSNodes(w io.Writer) error {
	if len(t.Nodes) == 0 {
		return fmt.Errorf("%s: the trace lists no machines", t.Name)
	}
	var racks []slsRack
	var at fileio.Index
	var names []string
	for _, n := range t.Nodes {
		i := int(at.ID(&names, n.Rack))
		if i == len(racks) { // The simulator puts the slash before a rack's name itself.
			racks = append(racks, slsRack{Rack: text(cmp.Or(trimSlash(n.Rack), "default-rack"))})
		}
		racks[i].Nodes = append(racks[i].Nodes, slsNode{text(n.Name), nonZero(n.MiB), nonZero(n.VCores)})
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
