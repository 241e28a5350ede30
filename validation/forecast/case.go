package forecast

import (
	"fmt"
	"math"
	"strings"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Case is one draw: a cluster and a queue file with two periods of one workload, what
// is known when a study runs, and what comes next.
type Case struct {
	Name      string // its number, workload and file
	Objective string
	Now, Next *scenario.Case
}

// objectives that cases are tuned for.
var objectives = []string{"mean-completion", "makespan", "p95-completion", "mean-wait", "mean-response-ratio",
	"p50-completion"}

// Bounds of a period, so that a case costs seconds.
const (
	leastJobs = 15
	mostJobs  = 600
	mostTasks = 20000
	mostJob   = 1500 // tasks of one job; larger ones are left out
)

// draw makes the case of a number; ok is false where its periods hold too little.
func draw(all []source, k rng.Key) (Case, bool) {
	d := rng.NewStream(k.At(purposeCase))
	u := func() float64 { return float64(d.Uint64()>>11) / (1 << 53) }
	src := all[int(u()*float64(len(all)))]
	w := src.make(k)
	length := simcore.Seconds(3600 * (2 + 2*u()))
	last := w.Jobs[len(w.Jobs)-1].Submit
	if room := last - 2*length; room > 0 {
		start := simcore.Time(u() * float64(room))
		now, next := period(w, start, start+length), period(w, start+length, start+2*length)
		now, next, length = shorten(w, start, length, now, next)
		if len(now.Jobs) >= leastJobs && len(next.Jobs) >= leastJobs {
			return assemble(src.name, k, u, now, next, length)
		}
	}
	return Case{}, false
}

// shorten cuts both periods until the work in them is bounded.
func shorten(w *simcore.Workload, start, length simcore.Time, now, next *simcore.Workload) (*simcore.Workload,
	*simcore.Workload, simcore.Time) {
	for max(len(now.Jobs), len(next.Jobs)) > mostJobs || max(tasks(now), tasks(next)) > mostTasks {
		length = length * 4 / 5
		now, next = period(w, start, start+length), period(w, start+length, start+2*length)
	}
	return now, next, length
}

// period is the part of a workload with submissions in [from, to).
func period(w *simcore.Workload, from, to simcore.Time) *simcore.Workload {
	out := *w
	out.Jobs = nil
	for _, j := range w.Jobs {
		if j.Submit >= from && j.Submit < to && j.Maps+j.Reduces <= mostJob {
			j.Submit -= from
			out.Jobs = append(out.Jobs, j)
		}
	}
	return &out
}

func tasks(w *simcore.Workload) int {
	n := 0
	for i := range w.Jobs {
		n += int(w.Jobs[i].Maps + w.Jobs[i].Reduces)
	}
	return n
}

// assemble adds users, queues and a cluster on which the two periods together
// offer a load that is drawn.
func assemble(name string, k rng.Key, u func() float64, now, next *simcore.Workload, length simcore.Time) (Case, bool) {
	doc, leaves := tree(u)
	users, deal := max(len(now.Users), 1), false
	if users < 4 {
		users, deal = 8, true
	}
	queueOf := make([]int32, users)
	for i := range queueOf {
		queueOf[i] = int32(u() * float64(len(leaves)))
	}
	for i := range min(users, len(leaves)) {
		queueOf[i] = int32(i)
	}
	for p, w := range []*simcore.Workload{now, next} {
		w.Queues = leaves
		if deal {
			w.Users = nil
			for i := range users {
				w.Users = append(w.Users, fmt.Sprintf("user%02d", i))
			}
		}
		for i := range w.Jobs {
			j := &w.Jobs[i]
			if deal { // a user submits jobs of like size more often than others
				size := int(math.Log2(float64(j.Maps+j.Reduces)+1)) + k.At(uint64(p)).IntN(uint64(i), 4)
				j.User = int32(size % users)
			}
			j.Queue = queueOf[j.User]
			askForSome(j)
		}
	}
	load := 0.35 * math.Pow(1.3/0.35, u()) // offered memory-time over the cluster's
	nodes := int(math.Round((area(now) + area(next)) / (2 * length.Seconds() * 8192 * load)))
	if nodes < 2 || nodes > 400 {
		return Case{}, false
	}
	c := equalNodes(nodes)
	t := Case{Objective: objectives[int(u()*float64(len(objectives)))]}
	t.Now = &scenario.Case{Doc: doc, Cluster: c, Work: now, Calibration: yarn.Default()}
	t.Next = &scenario.Case{Doc: doc, Cluster: c, Work: next, Calibration: yarn.Default()}
	t.Name = fmt.Sprintf("%s, %d and %d jobs in %.1f h each, %d nodes, %d queues, %s", name, len(now.Jobs),
		len(next.Jobs), length.Seconds()/3600, nodes, len(leaves), t.Objective)
	return t, true
}

// area is the memory-time of a workload in MiB-seconds.
func area(w *simcore.Workload) float64 {
	sum := 0.0
	for i := range w.Jobs {
		j := &w.Jobs[i]
		for t := range j.Maps + j.Reduces {
			ask, dist := j.MapAsk, j.MapDist
			if t >= j.Maps {
				ask, dist = j.ReduceAsk, j.ReduceDist
			}
			memory := float64(max(ask[simcore.Memory], 1024))
			if j.FirstTask >= 0 {
				sum += memory * w.Tasks.Duration[j.FirstTask+t].Seconds()
			} else {
				sum += memory * w.Dists[dist].Mean()
			}
		}
	}
	return sum
}

// askForSome gives containers without a size one of 1 GiB, and none more than a node has.
func askForSome(j *simcore.Job) {
	for _, ask := range []*simcore.Vec{&j.AMAsk, &j.MapAsk, &j.ReduceAsk} {
		if ask[simcore.Memory] == 0 {
			*ask = simcore.Vec{1024, 1}
		}
		ask[simcore.Memory] = min(ask[simcore.Memory], 8192)
	}
}

// equalNodes are n nodes of 8 GiB and 8 cores in a rack.
func equalNodes(n int) *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"/rack"}}
	for i := range n {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%03d", i), Cores: 8, Capacity: simcore.Vec{8192, 8}})
	}
	return c
}

// tree writes a queue file of two to six leaves, now and then below a parent.
func tree(u func() float64) (*yarnconf.Document, []string) {
	f := fileDraw{u: u}
	f.WriteString("<configuration>\n")
	f.set("maximum-am-resource-percent", f.one("0.1", "0.2", "0.5"))
	if u() < 0.3 {
		f.level("root", 2, true)
		f.level("root.p0", 2, false)
		f.level("root.p1", 2, false)
	} else {
		f.level("root", 2+int(4*u()), false)
	}
	f.WriteString("</configuration>\n")
	doc, err := yarnconf.Parse("drawn.xml", []byte(f.String()))
	if err != nil {
		panic(err) // the text is our own
	}
	return doc, f.leaves
}

// fileDraw writes a queue file by draws from u, which is even over [0, 1).
type fileDraw struct {
	strings.Builder
	u      func() float64
	leaves []string
}

func (f *fileDraw) set(key, value string) {
	fmt.Fprintf(f, "<property><name>yarn.scheduler.capacity.%s</name><value>%s</value></property>\n", key, value)
}

// one draws one of the values.
func (f *fileDraw) one(values ...string) string { return values[int(f.u()*float64(len(values)))] }

// level writes n queues below path, parents or leaves: shares of 5 % at least, and what
// goes with them.
func (f *fileDraw) level(path string, n int, parent bool) {
	var names []string
	left := 100
	for i := range n {
		name := fmt.Sprintf("q%d", len(f.leaves)+i)
		if parent {
			name = fmt.Sprintf("p%d", i)
		}
		share := left
		if i < n-1 {
			share = max(5, int(float64(left-5*(n-1-i))*f.u()))
		}
		left -= share
		names = append(names, name)
		f.set(path+"."+name+".capacity", fmt.Sprint(share))
		f.set(path+"."+name+".maximum-capacity", fmt.Sprint(min(100, share+int(float64(101-share)*f.u()))))
		if !parent {
			f.set(path+"."+name+".user-limit-factor", f.one("1", "1", "2", "4"))
			f.set(path+"."+name+".minimum-user-limit-percent", f.one("100", "50", "25"))
		}
	}
	f.set(path+".queues", strings.Join(names, ","))
	if !parent {
		for _, name := range names {
			f.leaves = append(f.leaves, path+"."+name)
		}
	}
}
