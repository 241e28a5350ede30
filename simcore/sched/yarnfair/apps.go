package yarnfair

import (
	"cmp"
	"fmt"

	"schedtune/fairconf"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// app is an application with its one attempt.
type app struct {
	id     yarn.AppID
	name   string
	user   string
	queue  *queue
	number int64 // among submissions, from 1: part of its id in the original

	used, reserved, demand res
	fair                   res      // its part of its leaf's share, of the last division that it had a part in
	keys                   []reqKey // sorted by priority, then allocation id; kept once made
	asking, large          int      // keys with outstanding asks; of these, those that could reserve a node
	runnable               bool
	unmanaged              bool
	ended                  bool
	amRunning              bool
	am                     res // what its master was granted
	condemned              res // of its containers, those to be preempted
	master                 *container
	starve                 appStarvation
	rank                   rank
	stale                  bool
	served                 bool // in its leaf's order
	crowded                bool // in one of its leaf's crowds
	inCrowd                int  // which, if so
	uncounted              bool // its demand may have changed
	hungry                 bool // in the heap of starved applications

	byOrdinal []*container // nil when over
	live      []*container
	resv      []*container
	granted   []int32 // allocated, not yet told
	completed []int32 // over, not yet told
	lastID    int64   // container ids are used up by reservations too
}

// pendingDemand reports whether the demand last counted differs from what the
// application holds: only then is it offered a node.
func (a *app) pendingDemand() bool { return a.demand != a.used }

// Submit admits an application or rejects it with the reason.
func (s *Scheduler) Submit(spec yarn.AppSpec) (yarn.AppID, error) {
	s.submissions++
	path, err := s.place(&spec)
	if err != nil {
		return 0, err
	}
	am, most := res(spec.AM), s.maxAllocation(s.byPath[path])
	err = cmp.Or(requests.CheckSize(spec.Name, "application master of", am, most),
		requests.CheckSize(spec.Name, "executors of", res(spec.Executor), s.maxAllocation(nil)))
	if err != nil {
		return 0, err
	}
	am = s.normalize(am, most)
	q := s.leafQueue(path)
	if q == nil {
		return 0, fmt.Errorf("application %s: %s is not a leaf queue, and none can be made there", spec.Name, path)
	}
	if zeroed(am, q.max) {
		return 0, fmt.Errorf("application %s: queue %s may use %d MiB and %d vcores: none of a resource that the "+
			"application master needs", spec.Name, path, q.max.Memory, q.max.VCores)
	}
	a := &app{id: yarn.AppID(len(s.apps)), name: spec.Name, user: spec.User, queue: q, number: s.submissions,
		unmanaged: spec.Unmanaged}
	a.starve.since = s.began()
	s.apps = append(s.apps, a)
	if at, _ := s.users.Stop(a, s.alloc.UserApps); at == nil {
		s.run(a)
	} else {
		s.users.Hold(a)
	}
	s.moved()
	if a.unmanaged {
		return a.id, nil
	}
	r := yarn.Ask{Where: yarn.AnyPlace, Size: yarn.Resource(am), Count: 1}
	s.setAny(a, a.key(0, -1), s.rowOf(&r, s.maxAllocation(q)))
	return a.id, nil
}

// zeroed reports whether something is asked of which a queue may hold none.
func zeroed(r, most res) bool {
	return most.Memory == 0 && r.Memory > 0 || most.VCores == 0 && r.VCores > 0
}

// place finds the queue of a submission by the rules in force.
func (s *Scheduler) place(spec *yarn.AppSpec) (string, error) {
	if !fairconf.ValidName(spec.Queue) {
		return "", fmt.Errorf("application %s: queue name %q: must not begin or end with blanks or periods", spec.Name,
			spec.Queue)
	}
	for i := range s.rules {
		if s.rules[i].Kind == fairconf.Reject {
			break
		}
		if path := s.follow(&s.rules[i], spec); path != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("application %s: no placement rule accepts queue %q for user %q", spec.Name, spec.Queue,
		spec.User)
}

// follow is the queue a rule finds, "" for none.
func (s *Scheduler) follow(r *fairconf.Rule, spec *yarn.AppSpec) string {
	var path string
	switch r.Kind {
	case fairconf.Specified:
		if spec.Queue == "default" {
			return ""
		}
		path = fairconf.FullPath(spec.Queue)
	case fairconf.User:
		path = fairconf.UserQueue(spec.User)
		if r.Parent == nil {
			path = fairconf.FullPath(path)
			break
		}
		up := s.follow(r.Parent, spec)
		if q := s.byPath[up]; up == "" || q != nil && q.leaf {
			return ""
		}
		path = up + "." + path
	default:
		path = r.Queue
	}
	if q := s.byPath[path]; r.Create || q != nil && !q.dynamic {
		return path
	}
	return ""
}

// Ask is one heartbeat of an application master.
func (s *Scheduler) Ask(id yarn.AppID, asks []yarn.Ask, release []int32, resp *yarn.AskResponse) {
	resp.Ignored, resp.Refused, resp.Headroom = false, nil, yarn.Resource{}
	resp.Granted, resp.Completed = resp.Granted[:0], resp.Completed[:0]
	a := s.lookUp(id)
	if a == nil || a.ended || a.master == nil && !a.unmanaged {
		resp.Ignored = true
		return
	}
	if resp.Refused = s.refused(a, asks); resp.Refused != nil {
		return
	}
	told := len(a.completed) // what ends through release is reported next time
	for _, o := range release {
		if c := a.container(o); c != nil {
			s.complete(c, byRelease)
		}
	}
	if len(asks) > 0 {
		s.setRows(a, asks)
		s.moved()
	}
	for _, o := range a.granted {
		if c := a.byOrdinal[o]; c != nil && !c.acquired {
			c.acquired = true
			resp.Granted = append(resp.Granted, o)
		}
	}
	a.granted = a.granted[:0]
	resp.Headroom = s.headroom(a)
	a.completed = requests.Tell(a.completed, told, resp)
}

// maxAllocation is the largest container: as configured for cluster and queue,
// and no larger than the largest node in either component.
func (s *Scheduler) maxAllocation(q *queue) res {
	most := s.site.MaxAllocation
	if s.liveNodes > 0 {
		most = most.MinEach(s.largest)
	}
	if q != nil {
		most = most.MinEach(q.largestContainer())
	}
	return most
}

// normalize raises an ask to the minimum, rounds it up to the increment and
// cuts it at the maximum, each component for itself.
func (s *Scheduler) normalize(r, most res) res {
	return res{
		Memory: min(roundUp(max(r.Memory, s.site.MinAllocation.Memory), s.site.Increment.Memory), most.Memory),
		VCores: min(roundUp(max(r.VCores, s.site.MinAllocation.VCores), s.site.Increment.VCores), most.VCores),
	}
}

func roundUp(a, step int64) int64 { return (a + step - 1) / step * step }

// refused finds a row that asks for more than a container may have, or for what
// the queue may hold none of.
func (s *Scheduler) refused(a *app, asks []yarn.Ask) error {
	most := s.maxAllocation(a.queue)
	for i := range asks {
		r := res(asks[i].Size)
		if err := requests.CheckSize(a.name, "request for", r, most); err != nil {
			return err
		}
		if zeroed(r, a.queue.max) {
			return fmt.Errorf("application %s: request for %d MiB and %d vcores: queue %s may use %d MiB and %d vcores", a.name,
				r.Memory, r.VCores, a.queue.path, a.queue.max.Memory, a.queue.max.VCores)
		}
	}
	return nil
}

func (s *Scheduler) lookUp(id yarn.AppID) *app { return requests.At(s.apps, id) }

func (a *app) container(ordinal int32) *container { return requests.At(a.byOrdinal, ordinal) }
