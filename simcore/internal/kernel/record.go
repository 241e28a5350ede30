package kernel

import (
	"slices"

	"schedtune/simcore"
)

// Outcome is how an attempt ended.
type Outcome uint8

// Outcomes.
const (
	Finished Outcome = iota
	Failed
	Killed // preempted, lost with its node, or slower than the other attempt
)

// Recorder accumulates the figures of a run; both runtimes write into it. It keeps nothing per
// task. The zero value is ready for Reset.
type Recorder struct {
	work   *simcore.Workload
	jobs   []simcore.JobResult
	shares []simcore.UserShare
	level  []int32 // weight level by user
	levels []weightLevel
	users  []UserLoad

	Launches int64 // attempts launched so far

	refused []simcore.Refused
	DAGs    []simcore.DAGResult // of Tez applications, in the order of their ends

	samples                   int64
	fairness, dissatisfaction float64
}

// UserLoad counts the attempts and tasks of a user.
type UserLoad struct {
	Held   int32 // running attempts
	Demand int32 // pending tasks
}

// weightLevel is a group of users of equal weight.
type weightLevel struct {
	weight float64
	users  int32
	extra  float64 // scratch: sum of slots beyond the minimum share
}

// Reset prepares for a run. shares is by user; missing entries have no minimum
// share and weight 1.
func (r *Recorder) Reset(w *simcore.Workload, shares []simcore.UserShare) {
	r.work, r.Launches, r.samples, r.fairness, r.dissatisfaction = w, 0, 0, 0, 0
	r.jobs = slices.Grow(r.jobs[:0], len(w.Jobs))[:len(w.Jobs)]
	for i := range r.jobs {
		r.jobs[i] = simcore.JobResult{Job: simcore.JobID(i), Submit: w.Jobs[i].Submit, Start: simcore.Never,
			MapsDone: w.Jobs[i].Submit, Finish: simcore.Never}
	}
	r.users, r.refused, r.DAGs = Zeroed(r.users, len(w.Users)), r.refused[:0], r.DAGs[:0]
	r.setShares(shares)
}

// setShares sets the users' shares and weight levels.
func (r *Recorder) setShares(shares []simcore.UserShare) {
	users := len(r.work.Users)
	r.shares = append(r.shares[:0], make([]simcore.UserShare, users)...)
	copy(r.shares, shares)
	r.level, r.levels = Zeroed(r.level, users), r.levels[:0]
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
func (r *Recorder) Pending(j simcore.JobID, delta int32) {
	r.users[r.work.Jobs[j].User].Demand += delta
}

// Launched records that an attempt of the job began to occupy a slot or container.
func (r *Recorder) Launched(j simcore.JobID, at simcore.Time) {
	r.Launches++
	r.users[r.work.Jobs[j].User].Held++
	if q := &r.jobs[j]; at < q.Start {
		q.Start = at
	}
}

// Ended records that an attempt released its slot or container after the time held. Locality
// counts for finished maps.
func (r *Recorder) Ended(j simcore.JobID, k simcore.Kind, o Outcome, held simcore.Time, l simcore.Locality) {
	r.users[r.work.Jobs[j].User].Held--
	q := &r.jobs[j].Tally
	q.Busy[k] += held
	switch o {
	case Finished:
		q.Finished[k]++
		if k == simcore.Map {
			q.At[l]++
		}
	case Failed:
		q.Failed[k]++
	case Killed:
		q.Killed[k]++
	}
}

// FinishedIn adds finished attempts of a kind and their slot time to a job's tally. Maps with
// input elsewhere must be in Tally.At already.
func (r *Recorder) FinishedIn(j simcore.JobID, k simcore.Kind, done int32, took simcore.Time) {
	q := &r.jobs[j].Tally
	q.Finished[k] += done
	q.Busy[k] += took
	if k == simcore.Map {
		q.At[simcore.NodeLocal] = q.Finished[simcore.Map] - q.At[simcore.RackLocal] - q.At[simcore.OffSwitch]
	}
}

// User returns the load of a user.
func (r *Recorder) User(u int32) *UserLoad { return &r.users[u] }

// MapsDone records when the job's last map was known to be done.
func (r *Recorder) MapsDone(j simcore.JobID, at simcore.Time) { r.jobs[j].MapsDone = at }

// ReduceLaunched records the launch of a reduce, for JobResult.Starvation. Until the last map of
// a job has ended, MapsDone is its submission.
func (r *Recorder) ReduceLaunched(j simcore.JobID, at simcore.Time) {
	if q := &r.jobs[j]; q.MapsDone > q.Submit && at > q.MapsDone {
		q.Starved += at - q.MapsDone
		q.StarvedReduces++
	}
}

// Refuse records a job that the scheduler rejected, as failed.
func (r *Recorder) Refuse(j simcore.JobID, at simcore.Time, limit string) {
	r.RefuseRequest(j, limit)
	r.JobEnded(j, at, true)
}

// RefuseRequest records that a request of a job was rejected, with which the job fails.
func (r *Recorder) RefuseRequest(j simcore.JobID, limit string) {
	r.refused = append(r.refused, simcore.Refused{Job: j, Limit: limit})
}

// JobEnded records the end of a job and samples fairness and dissatisfaction,
// as COSHH's evaluation does at every job completion.
func (r *Recorder) JobEnded(j simcore.JobID, at simcore.Time, failed bool) {
	q := &r.jobs[j]
	q.Finish, q.Failed = at, failed
	if q.Start == simcore.Never { // no task ever ran
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

// extra returns a user's attempts beyond the minimum share.
func (r *Recorder) extra(u int) float64 { return float64(r.users[u].Held - r.shares[u].MinShare) }

// Dissatisfaction is COSHH's Dissatisfaction(t): over users with unassigned
// tasks and fewer slots than their minimum share, weight times the missing
// part of that share.
func (r *Recorder) Dissatisfaction() float64 {
	sum := 0.0
	for u := range r.users {
		s := &r.shares[u]
		if r.users[u].Demand > 0 && r.users[u].Held < s.MinShare {
			sum += s.Weight * float64(s.MinShare-r.users[u].Held) / float64(s.MinShare)
		}
	}
	return sum
}

// Result returns a copy of the figures. Slots is the cluster's capacity by kind and end the time
// of the last event.
func (r *Recorder) Result(slots simcore.Vec, end simcore.Time) *simcore.Result {
	res := simcore.NewResult(r.work, slices.Clone(r.jobs), slots, end)
	res.Launches, res.Refused, res.DAGs = r.Launches, slices.Clone(r.refused), slices.Clone(r.DAGs)
	if r.samples > 0 {
		res.Fairness = r.fairness / float64(r.samples)
		res.Dissatisfaction = r.dissatisfaction / float64(r.samples)
	}
	return res
}

// Job returns the record of a job so far.
func (r *Recorder) Job(j simcore.JobID) *simcore.JobResult { return &r.jobs[j] }

// Zeroed returns n zero values in the slice's memory where it is enough.
func Zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
