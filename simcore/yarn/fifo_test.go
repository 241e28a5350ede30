package yarn

import (
	"fmt"
	"slices"
)

// fifo is the simplest scheduler that keeps the contract: applications in
// order of submission, "*" asks only, at most perBeat containers per heartbeat.
// It is a test's stand-in for the capacity engine.
type fifo struct {
	perBeat int
	nodes   []fifoNode
	apps    []fifoApp
	places  map[string]Place
	waiting int
	first   int
	masters int // at most one per node, so that they cannot fill the cluster
	beats   int
}

type fifoNode struct{ free Resource }

type fifoApp struct {
	size    [3]Resource // failed map, reduce, map
	want    [3]int32
	am      bool // the AM's container is asked for
	ended   bool
	amSize  Resource
	where   []int32 // node by ordinal, -1 = gone
	kind    []int8
	ended2  []int32
	granted []int32
}

func newFIFO(perBeat int) *fifo { return &fifo{perBeat: perBeat, places: map[string]Place{"*": 0}} }

func (f *fifo) AddNode(n NodeSpec) (NodeID, error) {
	f.nodes = append(f.nodes, fifoNode{n.Resource})
	return NodeID(len(f.nodes) - 1), nil
}

func (f *fifo) Place(name string) Place {
	if p, ok := f.places[name]; ok {
		return p
	}
	p := Place(len(f.places))
	f.places[name] = p
	return p
}

func (f *fifo) Submit(a AppSpec) (AppID, error) {
	f.apps = append(f.apps, fifoApp{am: true, amSize: a.AM})
	f.waiting++
	return AppID(len(f.apps) - 1), nil
}

var fifoPriorities = [3]int32{priorityFailedMap, priorityReduce, priorityMap}

func (f *fifo) Ask(id AppID, asks []Ask, release []int32, resp *AskResponse) {
	a := &f.apps[id]
	*resp = AskResponse{Granted: resp.Granted[:0], Completed: resp.Completed[:0]}
	if a.ended || len(a.where) == 0 {
		resp.Ignored = true
		return
	}
	for _, o := range release {
		if a.where[o] >= 0 { // else its node is lost
			f.free(a, o)
		}
	}
	for _, r := range asks {
		for k, p := range fifoPriorities {
			if p == r.Priority && r.Where == AnyPlace {
				f.waiting += int(r.Count - a.want[k])
				a.want[k], a.size[k] = r.Count, r.Size
			}
		}
	}
	for _, o := range a.granted {
		if a.where[o] >= 0 {
			resp.Granted = append(resp.Granted, o)
		}
	}
	a.granted = a.granted[:0]
	slices.Sort(a.ended2)
	resp.Completed = append(resp.Completed, a.ended2...)
	a.ended2 = a.ended2[:0]
	for i := range f.nodes {
		resp.Headroom.Memory += f.nodes[i].free.Memory
		resp.Headroom.VCores += f.nodes[i].free.VCores
	}
}

func (f *fifo) free(a *fifoApp, o int32) {
	if a.where[o] < 0 {
		panic(fmt.Sprint("freed twice: ", o))
	}
	n, size := &f.nodes[a.where[o]], a.amSize
	if o > 0 {
		size = a.size[a.kind[o]]
	}
	n.free.Memory += size.Memory
	n.free.VCores += size.VCores
	a.where[o] = -1
}

func (f *fifo) Beat(n NodeID, done []Container, dst []Event) []Event {
	f.beats++
	for _, c := range done {
		a := &f.apps[c.App]
		if a.where[c.Ordinal] != int32(n) {
			panic(fmt.Sprint("container not on node: ", c, n))
		}
		f.free(a, c.Ordinal)
		a.ended2 = append(a.ended2, c.Ordinal)
	}
	for range f.perBeat {
		e, ok := f.one(n)
		if !ok {
			break
		}
		dst = append(dst, e)
	}
	return dst
}

func (f *fifo) one(n NodeID) (Event, bool) {
	for f.first < len(f.apps) && f.apps[f.first].ended {
		f.first++
	}
	free := &f.nodes[n].free
	for i := f.first; i < len(f.apps); i++ {
		a := &f.apps[i]
		if a.ended {
			continue
		}
		if a.am && a.amSize.Memory <= free.Memory && f.masters < len(f.nodes) {
			a.am = false
			f.masters++
			return f.grant(i, n, a.amSize, -1, 0), true
		}
		for k := range a.want {
			if a.want[k] > 0 && a.size[k].Memory <= free.Memory {
				a.want[k]--
				return f.grant(i, n, a.size[k], int8(k), fifoPriorities[k]), true
			}
		}
	}
	return Event{}, false
}

func (f *fifo) grant(app int, n NodeID, size Resource, kind int8, priority int32) Event {
	a := &f.apps[app]
	f.waiting--
	f.nodes[n].free.Memory -= size.Memory
	f.nodes[n].free.VCores -= size.VCores
	o := int32(len(a.where))
	a.where, a.kind = append(a.where, int32(n)), append(a.kind, kind)
	if o > 0 {
		a.granted = append(a.granted, o)
	}
	return Event{Kind: Allocate, Locality: 2, App: AppID(app), Node: n, Ordinal: o, Priority: priority, Size: size}
}

func (f *fifo) Pending(n NodeID) bool { return f.waiting > 0 && f.nodes[n].free.Memory > 0 }

func (f *fifo) End(id AppID) {
	a := &f.apps[id]
	for o := range a.where {
		if a.where[o] >= 0 {
			f.free(a, int32(o))
		}
	}
	for k := range a.want {
		f.waiting -= int(a.want[k])
		a.want[k] = 0
	}
	if a.am {
		f.waiting--
	} else {
		f.masters--
	}
	a.ended = true
}

func (f *fifo) LoseNode(n NodeID, dst []Container) []Container {
	for i := range f.apps {
		for o, w := range f.apps[i].where {
			if w == int32(n) {
				dst = append(dst, Container{AppID(i), int32(o)})
				f.apps[i].where[o] = -1
				if o > 0 {
					f.apps[i].ended2 = append(f.apps[i].ended2, int32(o))
				}
			}
		}
	}
	f.nodes[n].free = Resource{}
	return dst
}
