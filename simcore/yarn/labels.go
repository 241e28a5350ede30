package yarn

import (
	"fmt"

	"schedtune/simcore"
)

// The runtime's part of node labels and of placement on several nodes at once.

// declareLabels declares the cluster's labels to the scheduler. For one that does not support labels
// no node has one.
func (s *Sim) declareLabels() error {
	l, ok := s.sched.(Labeller)
	if s.labelled = ok && len(s.cluster.Labels) > 0; !s.labelled {
		return nil
	}
	var labels []Label
	for _, x := range s.cluster.Labels {
		labels = append(labels, Label(x))
	}
	if err := l.DeclareLabels(labels); err != nil {
		return fmt.Errorf("yarn: %w", err)
	}
	return nil
}

// labelsOf returns the labels of a job's requests, none if the cluster has no labels.
func (s *Sim) labelsOf(j int32) simcore.JobLabels {
	if l := s.work.Jobs[j].Labels; l != nil && s.labelled {
		return *l
	}
	return simcore.JobLabels{}
}

// resetSorting prepares the timer that sorts nodes.
func (s *Sim) resetSorting() {
	s.sorting = false
	if o, ok := s.sched.(NodeSorter); ok {
		if every := o.SortInterval(); every > 0 {
			s.sorter, s.sortEvery = o, millis(float64(every))
		}
	}
}

// armSort sorts the nodes when an application starts to wait, and then
// at the timer's instants as long as one waits.
func (s *Sim) armSort() {
	if s.sorter == nil || s.sorting || s.hinter != nil && !s.hinter.Waiting() {
		return
	}
	s.sorting = true
	s.sorter.SortNodes()
	s.tree.Set(sortLeaf, s.nextOnGrid(0, s.sortEvery, sortLeaf))
}

// sort handles the timer.
func (s *Sim) sort() {
	s.tree.Clear(sortLeaf)
	s.sorting = false
	s.armSort()
	s.wakeNodes()
}

// labelOf returns a node's label, none if the scheduler does not support labels.
func (s *Sim) labelOf(n *simcore.Node) string {
	if s.labelled {
		return n.Label
	}
	return ""
}
