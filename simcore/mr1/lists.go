package mr1

import "schedtune/simcore"

// link places a job in a list; jobList is a doubly linked list of jobs in
// ascending id, that is, in arrival order.
type (
	link    struct{ prev, next simcore.JobID }
	jobList struct{ first, last simcore.JobID }
)

var emptyList = jobList{simcore.None, simcore.None}

// insert puts the job into the list. Jobs mostly come in order, so the place
// is looked for from the end.
func (l *jobList) insert(j simcore.JobID, at func(simcore.JobID) *link) {
	after := l.last
	for after > j {
		after = at(after).prev
	}
	here := at(j)
	here.prev = after
	if after == simcore.None {
		here.next, l.first = l.first, j
	} else {
		p := at(after)
		here.next, p.next = p.next, j
	}
	if here.next == simcore.None {
		l.last = j
	} else {
		at(here.next).prev = j
	}
}

func (l *jobList) remove(j simcore.JobID, at func(simcore.JobID) *link) {
	here := at(j)
	if here.prev == simcore.None {
		l.first = here.next
	} else {
		at(here.prev).next = here.next
	}
	if here.next == simcore.None {
		l.last = here.prev
	} else {
		at(here.next).prev = here.prev
	}
	*here = link{simcore.None, simcore.None}
}

func (s *Sim) activeLink(j simcore.JobID) *link { return &s.jobs[j].active }
func (s *Sim) mapLink(j simcore.JobID) *link    { return &s.jobs[j].waiting[simcore.Map] }
func (s *Sim) reduceLink(j simcore.JobID) *link { return &s.jobs[j].waiting[simcore.Reduce] }
func (s *Sim) waitLink(k simcore.Kind) linkOf   { return s.links[k] }

type linkOf = func(simcore.JobID) *link
