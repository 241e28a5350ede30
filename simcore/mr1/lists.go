package mr1

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// jobList is a doubly linked list of jobs in ascending id, that is, in arrival order.
type jobList struct {
	first, last simcore.JobID
	at          []link // by job
}

// link places a job in a list.
type link struct{ prev, next simcore.JobID }

// reset empties the list of a number of jobs.
func (l *jobList) reset(jobs int) {
	*l = jobList{simcore.None, simcore.None, kernel.Zeroed(l.at, jobs)}
	for j := range l.at {
		l.at[j] = link{simcore.None, simcore.None}
	}
}

// insert puts the job into the list. Jobs mostly come in order, so the place
// is looked for from the end.
func (l *jobList) insert(j simcore.JobID) {
	after := l.last
	for after > j {
		after = l.at[after].prev
	}
	here := &l.at[j]
	here.prev = after
	if after == simcore.None {
		here.next, l.first = l.first, j
	} else {
		here.next, l.at[after].next = l.at[after].next, j
	}
	if here.next == simcore.None {
		l.last = j
	} else {
		l.at[here.next].prev = j
	}
}

// remove takes the job out of the list.
func (l *jobList) remove(j simcore.JobID) {
	here := l.at[j]
	if here.prev == simcore.None {
		l.first = here.next
	} else {
		l.at[here.prev].next = here.next
	}
	if here.next == simcore.None {
		l.last = here.prev
	} else {
		l.at[here.next].prev = here.prev
	}
	l.at[j] = link{simcore.None, simcore.None}
}
