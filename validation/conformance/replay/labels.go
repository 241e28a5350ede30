package replay

import (
	"fmt"

	"schedtune/simcore/yarn"
)

// Node labels: partitions of the cluster, each with shares and limits of its own.

// Label is a node label as recorded.
type Label struct {
	Name      string `json:"name"`
	Exclusive bool   `json:"exclusive"`
}

// labelShape is what a queue's configuration came to for one label.
type labelShape struct {
	Shares
	Accessible bool  `json:"accessible"`
	AMLimit    *Pair `json:"amLimit,omitempty"`
}

// labelFigures are the running figures of a leaf for one label.
type labelFigures struct {
	Used     Pair `json:"used"`
	Reserved Pair `json:"reserved"`
	Pending  Pair `json:"pending"`
	AMUsed   Pair `json:"amUsed"`
}

// declare tells the scheduler the labels of the cluster.
func (r *run) declare(ls []Label) error {
	var labels []yarn.Label
	for _, l := range ls {
		labels = append(labels, yarn.Label(l))
	}
	return r.s.DeclareLabels(labels)
}

// label gives a node another label.
func (r *run) label(st *Step, got *Out) string {
	id, what := r.node(st)
	if what != "" {
		return what
	}
	gone, err := r.s.SetLabel(id, st.Label, nil)
	if err != nil {
		return fmt.Sprintf("label of node %s: %v", r.nodes[id], err)
	}
	got.Gone = r.names(gone)
	return ""
}

// labelled fills in what a queue has of each label.
func (r *run) labelled(i int, s *Shape) {
	q := &r.s.Config().Queues[i]
	for p, name := range r.s.Labels() {
		if p == 0 {
			continue
		}
		e := r.s.Figures(i, p)
		l := labelShape{Shares: sharesOf(&e.Effective), Accessible: e.Accessible}
		if q.Leaf {
			am := pair(yarn.Resource(e.AMLimit))
			l.AMLimit = &am
		}
		if s.Labels == nil {
			s.Labels = map[string]labelShape{}
		}
		s.Labels[name] = l
	}
	if len(r.s.Labels()) > 1 {
		s.DefaultLabel = q.LabelExpression
	}
}

// byLabel returns a leaf's figures by label where there are any.
func (r *run) byLabel(i int) map[string]labelFigures {
	var m map[string]labelFigures
	for p, name := range r.s.Labels() {
		if p == 0 {
			continue
		}
		f := r.s.Figures(i, p)
		if l := (labelFigures{pair(f.Used), pair(f.Reserved), pair(f.Pending), pair(f.AMUsed)}); l != (labelFigures{}) {
			if m == nil {
				m = map[string]labelFigures{}
			}
			m[name] = l
		}
	}
	return m
}

// expression is a label as asked for: one that is empty means no label, not what
// stands for an absent one.
func expression(recorded *string) string {
	switch {
	case recorded == nil:
		return ""
	case *recorded == "":
		return yarn.DefaultPartition
	}
	return *recorded
}

// partition names the partition of an event; "" without labels.
func (r *run) partition(e *yarn.Event) string {
	if e.Partition == 0 {
		return ""
	}
	return r.s.Labels()[e.Partition]
}
