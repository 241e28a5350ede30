package capacity

import "schedtune/yarnconf"

// The tests of a submission as figures. admit makes them.

// AdmissionLimit is one of the tests a submission must pass.
type AdmissionLimit struct {
	Queue          string // path; "" for the limit of the whole cluster
	User           string // of a limit for each user
	Counts         bool   // it is a number of applications; else a queue's state
	Present, Limit int
	Passes         bool
}

// Admission returns the tests of a submission to queue i of Config, a leaf, in the
// order in which the scheduler makes them, with their present figures.
func (s *Scheduler) Admission(i int, user string) []AdmissionLimit {
	s.settle()
	q := s.queues[i]
	of := func(q *queue) AdmissionLimit {
		return AdmissionLimit{Queue: q.path, Passes: q.state == yarnconf.Running}
	}
	out := []AdmissionLimit{{Counts: true, Present: s.root.apps, Limit: s.conf.MaxSystemApps,
		Passes: s.root.apps < s.conf.MaxSystemApps}, of(q)}
	if !q.conf.Managed {
		n := 0
		if sl := q.users.find(user); sl != nil && sl.u != nil {
			n = sl.u.applications()
		}
		out = append(out, AdmissionLimit{Queue: q.path, Counts: true, Present: q.applications(),
			Limit: q.eff.MaxApplications, Passes: q.applications() < q.eff.MaxApplications},
			AdmissionLimit{Queue: q.path, User: user, Counts: true, Present: n, Limit: q.eff.MaxApplicationsPerUser,
				Passes: n < q.eff.MaxApplicationsPerUser})
	}
	for p := q.parent; p != nil; p = p.parent {
		out = append(out, of(p))
	}
	return out
}
