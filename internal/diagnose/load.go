package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"schedtune/trace"
	"schedtune/yarnconf"
)

// FromTrace counts a queue's and a user's applications in a trace and returns
// the sizes they ask for most: of containers the larger of a job's map and
// reduce, and of application masters; zero where the trace does not say.
func FromTrace(t *trace.Trace, queuePath, user string) (l *Load, container, am yarnconf.Resource) {
	l = &Load{}
	var all, own []event
	byUser := map[string][]event{}
	sizes, ams := map[yarnconf.Resource]int{}, map[yarnconf.Resource]int{}
	short := queuePath[strings.LastIndexByte(queuePath, '.')+1:]
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if j.Queue != queuePath && j.Queue != short { // traces name queues by either
			continue
		}
		l.Jobs++
		var span []event
		if j.Submit.Known() && j.Finish.Known() {
			span = []event{{j.Submit, 1}, {max(j.Finish, j.Submit), -1}}
		}
		all, byUser[j.User] = append(all, span...), append(byUser[j.User], span...)
		if j.User == user {
			l.UserJobs++
			own = append(own, span...)
			sizes[resource(j.MapSize).MaxEach(resource(j.ReduceSize))]++
			ams[resource(j.AMSize)]++
		}
	}
	l.Users, l.Peak, l.UserPeak = len(byUser), int(peak(all)), int(peak(own))
	var users []event
	for _, events := range byUser {
		users = append(users, merged(events)...)
	}
	l.PeakUsers = int(peak(users))
	return l, commonest(sizes), commonest(ams)
}

func resource(s trace.Size) yarnconf.Resource {
	return yarnconf.Resource{Memory: s.MiB, VCores: s.VCores}
}

// commonest returns the most frequent size, of equally frequent ones the
// largest, so that the result does not depend on the order of the map.
func commonest(m map[yarnconf.Resource]int) (best yarnconf.Resource) {
	for r, n := range m {
		if cmp.Or(cmp.Compare(n, m[best]), cmp.Compare(r.Memory, best.Memory), cmp.Compare(r.VCores, best.VCores)) > 0 {
			best = r
		}
	}
	return best
}

// event is a change of an amount: of memory in use, or of running applications.
type event struct {
	at   trace.Millis
	step int64
}

// inOrder sorts events by time; at one time ends come before starts.
func inOrder(events []event) {
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
}

// peak returns the largest amount at a time.
func peak(events []event) (most int64) {
	inOrder(events)
	now := int64(0)
	for _, e := range events {
		now += e.step
		most = max(most, now)
	}
	return most
}

// merged returns the events of one application in place of several that overlap or follow
// each other at once.
func merged(events []event) (out []event) {
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.step, a.step)) })
	now := int64(0)
	for _, e := range events {
		if now == 0 || now+e.step == 0 {
			out = append(out, e)
		}
		now += e.step
	}
	return out
}
