package simcore

// link places a job in a list; jobList is a doubly linked list of jobs in
// ascending id, that is, in arrival order.
type (
	link    struct{ prev, next JobID }
	jobList struct{ first, last JobID }
)

var emptyList = jobList{None, None}

// insert puts the job into the list. Jobs mostly come in order, so the place
// is looked for from the end.
func (l *jobList) insert(j JobID, at func(JobID) *link) {
	after := l.last
	for after > j {
		after = at(after).prev
	}
	here := at(j)
	here.prev = after
	if after == None {
		here.next, l.first = l.first, j
	} else {
		p := at(after)
		here.next, p.next = p.next, j
	}
	if here.next == None {
		l.last = j
	} else {
		at(here.next).prev = j
	}
}

func (l *jobList) remove(j JobID, at func(JobID) *link) {
	here := at(j)
	if here.prev == None {
		l.first = here.next
	} else {
		at(here.prev).next = here.next
	}
	if here.next == None {
		l.last = here.prev
	} else {
		at(here.next).prev = here.prev
	}
	*here = link{None, None}
}

func (s *Sim) activeLink(j JobID) *link { return &s.jobs[j].active }
func (s *Sim) mapLink(j JobID) *link    { return &s.jobs[j].waiting[Map] }
func (s *Sim) reduceLink(j JobID) *link { return &s.jobs[j].waiting[Reduce] }
func (s *Sim) waitLink(k Kind) linkOf   { return s.links[k] }

type linkOf = func(JobID) *link
