package simcore

import "slices"

// Outcome is how an attempt ended.
type Outcome uint8

// Outcomes.
const (
	Finished Outcome = iota
	Failed
	Killed // preempted, lost with its node, or outrun by its twin
)

// UserShare is what a user is entitled to, for the metrics fairness and
// dissatisfaction.
type UserShare struct {
	MinShare int32   // slots (or containers)
	Weight   float64 // users of one weight form a level; 0 reads as 1
}

// Recorder accumulates a run's figures as it goes; both runtimes write into
// it. Nothing is kept per task. The zero value is ready for Reset.
type Recorder struct {
	work   *Workload
	jobs   []JobResult
	shares []UserShare
	level  []int32 // weight level by user
	levels []weightLevel
	users  []userState

	refused []Refused

	launches                  int64
	samples                   int64
	fairness, dissatisfaction float64
}

type userState struct {
	held   int32 // running attempts
	demand int32 // pending tasks
}

type weightLevel struct {
	weight float64
	users  int32
	extra  float64 // scratch: sum of slots beyond the minimum share
}

// Reset prepares for a run. shares is by user; missing entries have no minimum
// share and weight 1.
func (r *Recorder) Reset(w *Workload, shares []UserShare) {
	r.work, r.launches, r.samples, r.fairness, r.dissatisfaction = w, 0, 0, 0, 0
	r.jobs = slices.Grow(r.jobs[:0], len(w.Jobs))[:len(w.Jobs)]
	for i := range r.jobs {
		r.jobs[i] = JobResult{Job: JobID(i), Submit: w.Jobs[i].Submit, Start: Never, MapsDone: w.Jobs[i].Submit, Finish: Never}
	}
	r.users, r.refused = zeroed(r.users, len(w.Users)), r.refused[:0]
	r.setShares(shares)
}

func (r *Recorder) setShares(shares []UserShare) {
	users := len(r.work.Users)
	r.shares = append(r.shares[:0], make([]UserShare, users)...)
	copy(r.shares, shares)
	r.level, r.levels = zeroed(r.level, users), r.levels[:0]
	for u := range r.shares {
		if r.shares[u].Weight <= 0 {
			r.shares[u].Weight = 1
		}
		w := r.shares[u].Weight
		l := slices.IndexFunc(r.levels, func(l weightLevel) bool { return l.weight == w })
		if l < 0 {
			l = len(r.levels)
			r.levels = append(r.levels, weightLevel{weight: w})
		}
		r.level[u] = int32(l)
		r.levels[l].users++
	}
}

// Pending changes a job's number of pending tasks by delta.
func (r *Recorder) Pending(j JobID, delta int32) { r.users[r.work.Jobs[j].User].demand += delta }

// Launched records that an attempt of the job began to hold a slot or
// container.
func (r *Recorder) Launched(j JobID, at Time) {
	r.launches++
	r.users[r.work.Jobs[j].User].held++
	if q := &r.jobs[j]; at < q.Start {
		q.Start = at
	}
}

// Ended records that an attempt gave its slot or container back after held.
// Locality counts for finished maps.
func (r *Recorder) Ended(j JobID, k Kind, o Outcome, held Time, l Locality) {
	r.users[r.work.Jobs[j].User].held--
	q := &r.jobs[j].Tally
	q.Busy[k] += held
	switch o {
	case Finished:
		q.Finished[k]++
		if k == Map {
			q.At[l]++
		}
	case Failed:
		q.Failed[k]++
	case Killed:
		q.Killed[k]++
	}
}

// finished adds finished attempts to a job's tally, of which maps with input
// elsewhere have been entered.
func (r *Recorder) finished(j JobID, of *[2]kindState) {
	q := &r.jobs[j].Tally
	for k := range of {
		q.Finished[k] += of[k].done
		q.Busy[k] += of[k].took
	}
	q.At[NodeLocal] = q.Finished[Map] - q.At[RackLocal] - q.At[OffSwitch]
}

// MapsDone records when the job's last map was known to be done.
func (r *Recorder) MapsDone(j JobID, at Time) { r.jobs[j].MapsDone = at }

// JobEnded records the end of a job and samples fairness and dissatisfaction,
// as COSHH's evaluation does at every job completion.
func (r *Recorder) JobEnded(j JobID, at Time, failed bool) {
	q := &r.jobs[j]
	q.Finish, q.Failed = at, failed
	if q.Start == Never { // no task ever ran
		q.Start = at
	}
	r.samples++
	r.fairness += r.Fairness()
	r.dissatisfaction += r.Dissatisfaction()
}

// Fairness is COSHH's Fairness(t): the sum over weight levels of the distances
// of the users' slots beyond their minimum share from the level's average.
func (r *Recorder) Fairness() float64 {
	for l := range r.levels {
		r.levels[l].extra = 0
	}
	for u := range r.users {
		r.levels[r.level[u]].extra += r.extra(u)
	}
	sum := 0.0
	for u := range r.users {
		l := &r.levels[r.level[u]]
		d := r.extra(u) - l.extra/float64(l.users)
		sum += max(d, -d)
	}
	return sum
}

func (r *Recorder) extra(u int) float64 { return float64(r.users[u].held - r.shares[u].MinShare) }

// Dissatisfaction is COSHH's Dissatisfaction(t): over users with unassigned
// tasks and fewer slots than their minimum share, weight times the missing
// part of that share.
func (r *Recorder) Dissatisfaction() float64 {
	sum := 0.0
	for u := range r.users {
		s := &r.shares[u]
		if r.users[u].demand > 0 && r.users[u].held < s.MinShare {
			sum += s.Weight * float64(s.MinShare-r.users[u].held) / float64(s.MinShare)
		}
	}
	return sum
}

// Result copies the figures out. Slots is the cluster's capacity by kind and
// end the time of the last event.
func (r *Recorder) Result(slots Vec, end Time) *Result {
	res := &Result{Jobs: slices.Clone(r.jobs), Slots: slots, End: end, Launches: r.launches, work: r.work, Refused: slices.Clone(r.refused)}
	for i := range res.Jobs {
		res.Total.add(&res.Jobs[i].Tally)
	}
	if r.samples > 0 {
		res.Fairness = r.fairness / float64(r.samples)
		res.Dissatisfaction = r.dissatisfaction / float64(r.samples)
	}
	res.Utilisation = share(res.Total.Busy[Map]+res.Total.Busy[Reduce], slots[0]+slots[1], span(res.Jobs))
	return res
}

// Job returns the record of a job so far.
func (r *Recorder) Job(j JobID) *JobResult { return &r.jobs[j] }

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
