package study

import (
	"slices"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// A recommendation leaves room: the applications that a queue, and a user in it,
// may have at a time stay at least roomFactor times the most that the history
// has at a time, or what they are today if that is less. Limits on applications
// refuse work instead of delaying it, and follow from capacities and user limits.

// roomFactor is how many times the history's peak a limit must allow.
const roomFactor = 2

// Room is what every candidate must allow.
type Room struct {
	total yarnconf.Resource
	needs []roomNeed
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

// setRoom computes the room from the recorded completion times and the runs of the
// current configuration, one per window.
func (s *Study) setRoom(results []*simcore.Result) {
	s.Runner.room = NewRoom(s.Case, s.Runner.Windows(), results)
}

// NewRoom computes the room from the recorded completion times of a case and the runs
// of its current configuration, one for each of some workloads. nil: the file can't be
// evaluated, which a run says.
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
	r := &Room{total: c.Total()}
	now := conf.Effective(r.total)
	for i := range conf.Queues {
		p, ok := peaks[conf.Queues[i].Path]
		if !ok {
			continue
		}
		r.needs = append(r.needs, roomNeed{conf.Queues[i].Path,
			min(roomFactor*p.apps, now[i].MaxApplications), min(roomFactor*p.users, now[i].MaxApplicationsPerUser)})
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
	slices.SortStableFunc(edges, func(a, b edge) int {
		switch {
		case a.at != b.at && a.at < b.at, a.at == b.at && a.delta > b.delta:
			return -1 // who comes is there before who goes
		case a.at == b.at && a.delta == b.delta:
			return 0
		}
		return 1
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

// shortfall is by how much settings leave less room than they must.
func (r *Runner) shortfall(set tune.Settings) float64 {
	changes, _ := r.space.Changes(set)
	conf, err := r.Config(changes)
	if err != nil {
		return 0 // the run says so
	}
	return r.room.Shortfall(conf)
}

// Shortfall is by how much a file leaves less room than it must, summed over queues in
// parts of what they must leave.
func (r *Room) Shortfall(conf *yarnconf.Config) float64 {
	if r == nil {
		return 0
	}
	eff := conf.Effective(r.total)
	sum := 0.0
	for _, n := range r.needs {
		i := conf.Find(n.queue)
		if i < 0 {
			continue
		}
		sum += missing(n.apps, eff[i].MaxApplications) + missing(n.users, eff[i].MaxApplicationsPerUser)
	}
	return sum
}

func missing(need, have int) float64 {
	if have >= need {
		return 0
	}
	return float64(need-have) / float64(need)
}
