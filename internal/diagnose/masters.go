package diagnose

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"schedtune/internal/rm"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// masterSize is how the ResourceManager tells what a waiting master asks for.
var masterSize = regexp.MustCompile(`AM Resource Request = <memory:(\d+), vCores:(\d+)`)

// masters takes the limits on application masters.
func (s *Source) masters(a *app, leaf *queue, st *capacity.Standing, notes *[]string) {
	m := &st.Masters
	p := rm.Partition(a.AMLabel)
	m.Partition, m.LimitOf = p, a.User
	told := false
	if m.Size, told = a.masterSize(); !told && !st.HasMaster {
		m.Size = yarn.Resource{Memory: 1536, VCores: 1}
		*notes = append(*notes, "the size of its application master is not known; 1536 MiB are assumed")
	}
	u := leaf.of(p)
	m.QueueUsed, m.QueueMost, m.UserMost = yarn.Resource(u.AMUsed), yarn.Resource(u.AMLimit), yarn.Resource(u.UserAMLimit)
	for i := range leaf.Users.User {
		if x := &leaf.Users.User[i]; x.Name == a.User {
			of := x.of(p)
			m.UserUsed, m.UserMost = yarn.Resource(of.AMUsed), cmp.Or(yarn.Resource(of.UserAMLimit), m.UserMost)
		}
	}
	for _, c := range leaf.Capacities.By {
		if c.Partition == p {
			m.Percent = float32(c.AMPercent / 100)
		}
	}
	none := leaf.Active < 1 || m.QueueUsed.Memory == 0 // a queue without masters starts one anyway
	m.QueueFits = none || s.fits(m.QueueUsed, m.Size, m.QueueMost)
	m.UserFits = none || m.UserMost.Memory == 0 || s.fits(m.UserUsed, m.Size, m.UserMost)
}

// earlier adds up the masters that wait in the same queue and come before an application's:
// a limit that lets it start must hold them too. Where only its user's limit holds it
// back, the others of its user would start with it, and the queue's must hold these.
func (s *Source) earlier(a *app, leaf *queue, st *capacity.Standing) {
	m := &st.Masters
	for i := range s.apps {
		b := &s.apps[i]
		if b.State != "ACCEPTED" || b.launching() || rm.Partition(b.AMLabel) != m.Partition || b.Queue != a.Queue &&
			b.Queue != leaf.Name && b.Queue != leaf.Path || !b.before(a) {
			continue
		}
		ask, told := b.masterSize()
		if !told {
			ask = m.Size
		}
		m.QueueBefore.Add(ask)
		if b.User == a.User {
			m.UserBefore.Add(ask)
		}
	}
	if m.QueueFits {
		m.QueueBefore = m.UserBefore
		used := m.QueueUsed
		used.Memory, used.VCores = used.Memory+m.UserBefore.Ask.Memory, used.VCores+m.UserBefore.Ask.VCores
		m.QueueFits = m.UserBefore.Count == 0 || s.fits(used, m.Size, m.QueueMost)
	}
}

// launching: the master has its container and has not registered.
func (a *app) launching() bool { return a.State == "ACCEPTED" && a.Containers > 0 && a.Allocated > 0 }

// before: the application comes earlier in a queue, by priority, then by submission.
func (a *app) before(b *app) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return len(a.ID) < len(b.ID) || len(a.ID) == len(b.ID) && a.ID < b.ID
}

// masterSize is what the application asks for its master, where it is known: in the
// words on what it waits for, which one that max-parallel-apps holds back has none of,
// or as its only request.
func (a *app) masterSize() (size yarn.Resource, told bool) {
	x := masterSize.FindStringSubmatch(a.Diagnostics)
	if x == nil {
		if r := a.ask(); r != nil && a.State != "RUNNING" {
			return yarn.Resource(r.Capability), true
		}
		return size, false
	}
	size.Memory, _ = strconv.ParseInt(x[1], 10, 64)
	size.VCores, _ = strconv.ParseInt(x[2], 10, 64)
	return size, true
}

// stage tells a waiting master from one that is held back, by the ResourceManager's
// own words where it gives any.
func (s *Source) stage(a *app, path []*queue, st *capacity.Standing) {
	if s.Config != nil {
		st.Parallel = append(st.Parallel, capacity.ParallelLimit{Running: admitted(&s.scheduler, a.User),
			Limit: s.Config.UserParallel(a.User)})
	}
	for _, q := range path {
		if q.Parallel > 0 {
			st.Parallel = append(st.Parallel, capacity.ParallelLimit{Queue: pathOf(q), Running: admitted(q, ""),
				Limit: int(min(q.Parallel, yarnconf.MaxInt))})
		}
	}
	if st.HasMaster {
		return
	}
	held := false
	for _, p := range st.Parallel {
		held = held || p.Running >= p.Limit
	}
	switch {
	case strings.Contains(a.Diagnostics, "is Activated"):
	case strings.Contains(a.Diagnostics, "AM resource limit exceeded"):
		st.Stage = capacity.Waiting
		st.Masters.QueueFits = st.Masters.QueueFits && !strings.Contains(a.Diagnostics, "Queue's AM resource limit exceeded")
		st.Masters.UserFits = st.Masters.UserFits && !strings.Contains(a.Diagnostics, "User's AM resource limit exceeded")
	case held:
		st.Stage = capacity.HeldBack
	case !st.Masters.QueueFits || !st.Masters.UserFits:
		st.Stage = capacity.Waiting
	}
}

// admitted counts the applications of a queue and below, of one user or of all (""),
// that max-parallel-apps has let in: those whose masters may start and those that wait
// for a limit on masters. Those held back by max-parallel-apps are in neither count
// (AbstractLeafQueue keeps them in nonRunnableApps).
func admitted(q *queue, user string) int {
	n := 0
	if user == "" {
		n = q.Active + q.Pending
	}
	for i := range q.Users.User {
		if u := &q.Users.User[i]; u.Name == user {
			n += u.Active + u.Pending
		}
	}
	for i := range q.Queues.Queue {
		n += admitted(&q.Queues.Queue[i], user)
	}
	return n
}
