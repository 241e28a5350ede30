package diagnose

import (
	"slices"
	"sort"

	"schedtune/trace"
	"schedtune/yarnconf"
)

// FromTrace counts a queue's and a user's applications in a trace and returns
// the sizes they ask for most: of containers the largest of a job's map and
// reduce, and of application masters; zero where the trace does not say.
func FromTrace(t *trace.Trace, queuePath, user string) (l *Load, container, am yarnconf.Resource) {
	l = &Load{}
	var all, own []interval
	users, byUser := map[string]bool{}, map[string][]interval{}
	sizes, ams := map[yarnconf.Resource]int{}, map[yarnconf.Resource]int{}
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if !sameQueue(j.Queue, queuePath) {
			continue
		}
		l.Jobs++
		users[j.User] = true
		iv := interval{int64(j.Submit), int64(j.Finish)}
		ok := j.Submit.Known() && j.Finish.Known()
		if ok {
			all = append(all, iv)
			byUser[j.User] = append(byUser[j.User], iv)
		}
		if j.User != user {
			continue
		}
		l.UserJobs++
		if ok {
			own = append(own, iv)
		}
		sizes[larger(j.MapSize, j.ReduceSize)]++
		ams[resource(j.AMSize)]++
	}
	l.Users, l.Peak, l.UserPeak = len(users), peak(all), peak(own)
	l.PeakUsers = peakUsers(byUser)
	return l, commonest(sizes), commonest(ams)
}

// sameQueue: traces name queues by path or by the leaf's short name.
func sameQueue(recorded, path string) bool {
	if recorded == path {
		return true
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return recorded == path[i+1:]
		}
	}
	return false
}

func resource(s trace.Size) yarnconf.Resource {
	return yarnconf.Resource{Memory: s.MiB, VCores: s.VCores}
}

func larger(a, b trace.Size) yarnconf.Resource {
	return resource(a).MaxEach(resource(b))
}

// commonest returns the most frequent size, of equally frequent ones the
// largest, so that no map order shows.
func commonest(m map[yarnconf.Resource]int) (best yarnconf.Resource) {
	for r, n := range m {
		if b := m[best]; n > b || n == b && (r.Memory > best.Memory || r.Memory == best.Memory && r.VCores > best.VCores) {
			best = r
		}
	}
	return best
}

type interval struct{ from, to int64 }

// peak returns the most intervals that overlap. An end makes room for a start
// at the same time.
func peak(iv []interval) int {
	starts, ends := make([]int64, len(iv)), make([]int64, len(iv))
	for i, v := range iv {
		starts[i], ends[i] = v.from, max(v.to, v.from)
	}
	slices.Sort(starts)
	slices.Sort(ends)
	now, most, e := 0, 0, 0
	for _, s := range starts {
		for e < len(ends) && ends[e] <= s {
			e++
			now--
		}
		now++
		most = max(most, now)
	}
	return most
}

// peakUsers merges each user's intervals before counting.
func peakUsers(byUser map[string][]interval) int {
	var merged []interval
	for _, iv := range byUser {
		sort.Slice(iv, func(i, j int) bool { return iv[i].from < iv[j].from })
		cur := iv[0]
		for _, v := range iv[1:] {
			if v.from <= cur.to {
				cur.to = max(cur.to, v.to)
				continue
			}
			merged = append(merged, cur)
			cur = v
		}
		merged = append(merged, cur)
	}
	return peak(merged)
}
