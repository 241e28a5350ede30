package cluster

import "fmt"

// COSHH's queuing process (Rasooli, Down, section 3, algorithm 1), the part
// that classifies: two classifications live side by side, the primary one of
// jobs whose users have a minimum share, the secondary one of all jobs. A job
// that fits a class joins it; one that fits none has the classification made
// anew with it, after which its allocation must be solved again.
//
// What differs: algorithm 1 renews both classifications and allocations when a job fits
// none; here one that the job does fit stays, as nothing in it has changed but a
// count. A classification is made from the latest jobs only (keep), so that its effort
// does not grow with the history.

// Queues keeps both classifications up to date. Make it with NewQueues; the zero value is
// that of the paper's options.
type Queues struct {
	Primary, Secondary *Classes // nil before the first job of their kind
	opt                ClassOptions
	limit              int
	jobs               [2][]Job
}

// NewQueues returns empty classifications. keep limits how many of the latest
// jobs a new classification is made from; 0 reads as 1000.
func NewQueues(opt ClassOptions, keep int) *Queues { return &Queues{opt: opt, limit: keep} }

// Arrival tells what became of a job.
type Arrival struct {
	Primary, Secondary int // classes; Primary is -1 without a minimum share
	// PrimaryChanged and SecondaryChanged tell that the classification was
	// made anew: class numbers given before are void, see Classes.Nearest.
	PrimaryChanged, SecondaryChanged bool
}

// Arrive classifies a new job, whose times are kept and must not change later. One with
// fewer or more times than the jobs before it, without any, or with some that are not
// positive and finite, is an error and changes nothing.
func (q *Queues) Arrive(j Job) (Arrival, error) {
	if q.limit <= 0 {
		q.limit = 1000
	}
	a := Arrival{Primary: -1}
	resources := len(j.Times)
	if q.Secondary != nil && len(q.Secondary.List) > 0 {
		resources = len(q.Secondary.List[0].MeanTime)
	}
	err := j.check(resources)
	if err != nil {
		return a, fmt.Errorf("cluster: %w", err)
	}
	if j.MinShare {
		if a.Primary, a.PrimaryChanged, err = q.join(0, &q.Primary, j); err != nil {
			return a, err
		}
	}
	a.Secondary, a.SecondaryChanged, err = q.join(1, &q.Secondary, j)
	return a, err
}

func (q *Queues) join(which int, c **Classes, j Job) (class int, changed bool, err error) {
	if q.opt.Given {
		if *c == nil {
			*c = &Classes{opt: q.opt, number: map[int]int{}}
		}
		class, changed = (*c).take(j)
		return class, changed, nil
	}
	if *c != nil {
		if k, ok := (*c).Fits(j); ok {
			if err := (*c).Add(k, j); err != nil {
				return -1, false, err
			}
			q.remember(which, j)
			return k, false, nil
		}
	}
	q.remember(which, j)
	latest := q.jobs[which]
	fresh, err := Classify(latest[max(0, len(latest)-q.limit):], q.opt)
	if err != nil {
		q.jobs[which] = q.jobs[which][:len(q.jobs[which])-1]
		return -1, false, err
	}
	*c = fresh
	return fresh.Labels[len(fresh.Labels)-1], true, nil
}

// remember keeps the job for later classifications and forgets the oldest, some
// at a time.
func (q *Queues) remember(which int, j Job) {
	q.jobs[which] = append(q.jobs[which], j)
	if extra := len(q.jobs[which]) - q.limit; extra >= q.limit/4+1 {
		q.jobs[which] = append([]Job(nil), q.jobs[which][extra:]...)
	}
}
