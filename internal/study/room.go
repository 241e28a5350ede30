package study

import (
	"cmp"
	"slices"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Limits on the number of applications: the applications that a recommended configuration
// accepts of a queue, and of a user in it, must be at least roomFactor times the most that the
// history has at a time, or the current limit if that is less. These limits refuse work
// instead of delaying it, and follow from capacities and user limits.

// roomFactor is how many times the history's peak a limit must allow.
const roomFactor = 2

// Room holds the numbers of applications that every candidate must accept.
type Room struct {
	cluster *simcore.Cluster
	needs   []roomNeed
}

type roomNeed struct {
	queue       string
	apps, users int // applications of the queue, and of one user in it
}

// span is the time from submission to completion of a job.
type span struct {
	job      *simcore.Job
	from, to simcore.Time
}

// NewRoom returns the requirements by the recorded completion times of a case and the runs
// of its current configuration, one for each of some workloads; nil if the file cannot be
// simulated, which a run reports.
func NewRoom(c *scenario.Case, works []*simcore.Workload, results []*simcore.Result) *Room {
	peaks := map[string]roomNeed{}
	for w, res := range results {
		work := works[w]
		var simulated, recorded []span
		for i := range res.Jobs {
			r := &res.Jobs[i]
			j := &work.Jobs[r.Job]
			simulated = append(simulated, span{j, r.Submit, r.Finish})
			if t, ok := c.Completions[j.ID]; ok {
				recorded = append(recorded, span{j, j.Submit, j.Submit + t})
			}
		}
		addPeaks(peaks, work, simulated)
		addPeaks(peaks, work, recorded)
	}
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil {
		return nil
	}
	sched, err := capacity.OnCluster(conf, c.Cluster)
	if err != nil {
		return nil
	}
	r := &Room{cluster: c.Cluster}
	for i := range conf.Queues {
		if p, ok := peaks[conf.Queues[i].Path]; ok {
			now := sched.Figures(i, 0)
			r.needs = append(r.needs, roomNeed{conf.Queues[i].Path,
				min(roomFactor*p.apps, now.MaxApplications), min(roomFactor*p.users, now.MaxApplicationsPerUser)})
		}
	}
	return r
}

// addPeaks raises the peaks by queue to those of some jobs.
func addPeaks(peaks map[string]roomNeed, w *simcore.Workload, jobs []span) {
	type edge struct {
		at    simcore.Time
		delta int
		job   *simcore.Job
	}
	var edges []edge
	for _, j := range jobs {
		edges = append(edges, edge{j.from, 1, j.job}, edge{max(j.to, j.from), -1, j.job})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { // who comes is there before who goes
		return cmp.Or(cmp.Compare(a.at, b.at), b.delta-a.delta)
	})
	queue, user := map[int32]int{}, map[[2]int32]int{}
	for _, e := range edges {
		q, u := e.job.Queue, [2]int32{e.job.Queue, e.job.User}
		queue[q] += e.delta
		user[u] += e.delta
		name := w.Queues[q]
		p := peaks[name]
		p.apps, p.users = max(p.apps, queue[q]), max(p.users, user[u])
		peaks[name] = p
	}
}

// shortfall returns Room.Shortfall of settings.
func (r *Runner) shortfall(set tune.Settings) float64 {
	changes, _ := r.space.Changes(set)
	conf, err := r.Config(changes)
	if err != nil {
		return 0 // the run says so
	}
	return r.room.Shortfall(conf)
}

// Shortfall returns the missing fractions of the required numbers of applications, summed
// over queues and users; 0 for a configuration that is not simulated.
func (r *Room) Shortfall(conf *yarnconf.Config) (sum float64) {
	if r == nil {
		return 0
	}
	sched, err := capacity.OnCluster(conf, r.cluster)
	if err != nil {
		return 0 // the run says so
	}
	for _, n := range r.needs {
		if i := conf.Find(n.queue); i >= 0 {
			f := sched.Figures(i, 0)
			sum += missing(n.apps, f.MaxApplications) + missing(n.users, f.MaxApplicationsPerUser)
		}
	}
	return sum
}

func missing(need, have int) float64 {
	if have >= need {
		return 0
	}
	return float64(need-have) / float64(need)
}
