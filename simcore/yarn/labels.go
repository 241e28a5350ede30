package yarn

import (
	"fmt"
	"slices"

	"schedtune/simcore"
)

// Node labels and placement on several nodes at once, as far as they are a
// matter of the runtime.

// declareLabels tells the scheduler the cluster's labels. One that knows none
// has every node as one without a label.
func (s *Sim) declareLabels() error {
	l, ok := s.sched.(Labeller)
	if !ok {
		s.labelled = false
		return nil
	}
	var labels []Label
	for _, x := range s.cluster.Labels {
		labels = append(labels, Label(x))
	}
	s.labelled = len(labels) > 0
	if known := l.Labels(); len(known) == len(labels)+1 && !slices.ContainsFunc(labels, func(x Label) bool { return !slices.Contains(known, x.Name) }) {
		return nil // declared by an earlier run
	}
	if err := l.DeclareLabels(labels); err != nil {
		return fmt.Errorf("yarn: %w", err)
	}
	return nil
}

// labelsOf returns what a job asks for; nothing where the cluster has no labels.
func (s *Sim) labelsOf(j int32) simcore.JobLabels {
	if l := s.work.Jobs[j].Labels; l != nil && s.labelled {
		return *l
	}
	return simcore.JobLabels{}
}

// resetSorting prepares the timer that sorts nodes, where there is one.
func (s *Sim) resetSorting() {
	s.sorter, s.sortEvery, s.sorting = nil, 0, false
	if o, ok := s.sched.(NodeSorter); ok {
		if every := o.SortInterval(); every > 0 {
			s.sorter, s.sortEvery = o, millis(float64(every))
		}
	}
}

// armSort sorts the nodes when something comes to wait, and goes on to sort
// them at the timer's instants while it waits.
func (s *Sim) armSort() {
	if s.sorter == nil || s.sorting || s.hinter != nil && !s.hinter.Waiting() {
		return
	}
	s.sorting = true
	s.sorter.SortNodes()
	s.tree.Set(sortLeaf, s.nextOnGrid(0, s.sortEvery, sortLeaf))
}

// sort is one run of the timer.
func (s *Sim) sort() {
	s.tree.Clear(sortLeaf)
	s.sorting = false
	s.armSort()
	s.wakeNodes()
}

// labelOf is a node's label as far as the scheduler knows labels.
func (s *Sim) labelOf(n *simcore.Node) string {
	if s.labelled {
		return n.Label
	}
	return ""
}
