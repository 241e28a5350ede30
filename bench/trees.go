package main

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Problems of random queue trees: everything about one follows from its number. A
// tree has 4 to 12 leaves on two or three levels, some without jobs; half of the
// present files are sane (shares by demand, open maxima), the others are drawn; one
// in four writes weights. The trace lasts 0.5 to 1.5 hours on a cluster that it loads
// to 40 to 130 %. Half of the studies see workloads drawn like the trace, as the
// command does by default, the others the trace itself with other seeds; half have
// limits. Even numbers are for development, odd ones are held out.

// treeSpec is what is drawn of a problem besides its jobs.
type treeSpec struct {
	number    int
	levels    int
	leaves    int
	sane      bool
	weights   bool
	drawn     bool // workloads resampled from the trace, rather than the trace itself
	objective string
	limit     string // empty for none
	hours     float64
	load      float64
}

// treeObjectives are the metrics that are defined on every such trace.
func treeObjectives() []string {
	return []string{"makespan", "mean-completion", "p50-completion", "p95-completion", "max-completion", "mean-wait",
		"p95-wait", "mean-execution",
		"mean-response-ratio", "p95-response-ratio", "mean-bounded-slowdown", "p95-bounded-slowdown", "utilisation",
		"throughput"}
}

// draws is a sequence of uniform numbers of one key.
type draws struct{ s *rng.Stream }

func newDraws(k rng.Key) draws { return draws{rng.NewStream(k)} }

func (d draws) u() float64 { return (float64(d.s.Uint64()>>11) + 0.5) / (1 << 53) }

func (d draws) n(n int) int { return int(d.u() * float64(n)) }

// span is log-uniform.
func (d draws) span(lo, hi float64) float64 { return lo * math.Pow(hi/lo, d.u()) }

func (d draws) norm() float64 { return math.Sqrt(-2*math.Log(d.u())) * math.Cos(2*math.Pi*d.u()) }

// Purposes of the draws of a tree problem.
const (
	purposeTree = iota + 0x74726565
	purposeTreeJobs
	purposeTreeFile
)

// drawTree draws the spec of a number.
func drawTree(number int) treeSpec {
	d := newDraws(rng.NewKey(uint64(number), purposeTree))
	names := treeObjectives()
	t := treeSpec{number: number, levels: 2 + d.n(2), leaves: 4 + d.n(9), sane: d.n(2) == 0, weights: d.n(4) == 0,
		drawn:     d.n(2) == 0,
		objective: names[d.n(len(names))], hours: 0.5 + d.u(), load: d.span(0.4, 1.3)}
	if d.n(2) == 0 {
		t.limit = []string{study.Protection(5), study.Protection(20), "p95-completion <= present"}[d.n(3)]
	}
	return t
}

// String describes the problem for tables.
func (t treeSpec) String() string {
	s := fmt.Sprintf("tree %d: %d levels, %d leaves, %s", t.number, t.levels, t.leaves, t.objective)
	for _, part := range []struct {
		on   bool
		text string
	}{{t.sane, "sane"}, {t.weights, "weights"}, {t.drawn, "drawn workloads"}, {t.limit != "", "limits"}} {
		if part.on {
			s += ", " + part.text
		}
	}
	return s
}

// treeJobs draws the trace: streams of similar jobs by four to ten users, each in a
// leaf. At least a fifth of the leaves, rounded down, have none.
func treeJobs(t treeSpec, leaves []string) *simcore.Workload {
	k := rng.NewKey(uint64(t.number), purposeTreeJobs)
	d := newDraws(k)
	w := &simcore.Workload{Name: fmt.Sprintf("tree%d", t.number), Queues: leaves}
	busy := len(leaves) - len(leaves)/5 - d.n(2)
	for i := range max(busy, 4+d.n(7)) {
		w.Users = append(w.Users, fmt.Sprintf("user%02d", i))
		queue := int32(d.n(busy))
		if i < busy {
			queue = int32(i)
		}
		gap, burst := d.span(60, 600), 1
		if d.n(4) == 0 {
			burst = 2 + d.n(4)
		}
		maps, reduces := d.span(2, 40), 0.0
		if d.n(4) > 0 {
			reduces = d.span(1, 6)
		}
		mapTime, reduceTime, spread := d.span(8, 60), d.span(8, 90), d.span(0.2, 0.8)
		memory := int64(1024) << d.n(3)
		f := newDraws(k.At(uint64(i)))
		for at := d.span(1, 300); at < 3600*t.hours; at -= gap * float64(burst) * math.Log(f.u()) {
			for b := range burst {
				size := math.Exp(spread * f.norm())
				j := simcore.Job{Submit: simcore.Seconds(at + 0.5*float64(b)), Queue: queue, User: int32(i), Class: -1,
					Slowstart: -1,
					FirstTask: int32(len(w.Tasks.Duration)), MapDist: -1, ReduceDist: -1,
					Maps:  int32(math.Min(120, math.Max(1, math.Round(maps*size)))),
					AMAsk: simcore.Vec{1024, 1}, MapAsk: simcore.Vec{memory, 1}, ReduceAsk: simcore.Vec{2 * memory, 1}}
				if reduces > 0 {
					j.Reduces = int32(math.Min(20, math.Max(1, math.Round(reduces*size))))
				}
				for n := range j.Maps + j.Reduces {
					median := mapTime
					if n >= j.Maps {
						median = reduceTime
					}
					w.Tasks.Duration = append(w.Tasks.Duration, simcore.Seconds(math.Max(1, median*math.Exp(0.35*f.norm()))))
				}
				w.Jobs = append(w.Jobs, j)
			}
		}
	}
	sort.SliceStable(w.Jobs, func(a, b int) bool { return w.Jobs[a].Submit < w.Jobs[b].Submit })
	for i := range w.Jobs {
		w.Jobs[i].ID = fmt.Sprintf("job_%05d", i)
	}
	return w
}

// work is a workload's memory-time by queue in MiB-seconds.
func work(w *simcore.Workload) (byQueue []float64, sum float64) {
	byQueue = make([]float64, len(w.Queues))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		byQueue[j.Queue] += float64(j.MapAsk[simcore.Memory])*w.StageSeconds(j, simcore.Map) +
			float64(j.ReduceAsk[simcore.Memory])*w.StageSeconds(j, simcore.Reduce)
	}
	for _, v := range byQueue {
		sum += v
	}
	return byQueue, sum
}

// treeLeaves names the leaves: two levels are root and leaves, or root, parents and
// leaves with three; parents have two to four children and may stand beside leaves.
func treeLeaves(t treeSpec, d draws) (leaves []string, levels []yarnconf.Level) {
	if t.levels == 2 {
		for i := range t.leaves {
			leaves = append(leaves, fmt.Sprintf("root.q%d", i))
		}
		return leaves, []yarnconf.Level{{Parent: "root", Queues: leaves}}
	}
	root := yarnconf.Level{Parent: "root"}
	for i := 0; len(leaves) < t.leaves; i++ {
		n := min(1+d.n(4), t.leaves-len(leaves))
		if i == 0 {
			n = max(2, n)
		}
		if n == 1 {
			leaves = append(leaves, fmt.Sprintf("root.q%d", len(leaves)))
			root.Queues = append(root.Queues, leaves[len(leaves)-1])
			continue
		}
		parent := yarnconf.Level{Parent: fmt.Sprintf("root.p%d", i)}
		for range n {
			leaves = append(leaves, fmt.Sprintf("%s.q%d", parent.Parent, len(leaves)))
			parent.Queues = append(parent.Queues, leaves[len(leaves)-1])
		}
		root.Queues = append(root.Queues, parent.Parent)
		levels = append(levels, parent)
	}
	if len(root.Queues) == 1 { // siblings of their own for the root
		last := len(leaves) - 1
		levels[0].Queues = levels[0].Queues[:len(levels[0].Queues)-1]
		leaves[last] = fmt.Sprintf("root.q%d", last)
		root.Queues = append(root.Queues, leaves[last])
	}
	return leaves, append([]yarnconf.Level{root}, levels...)
}

// treeFile writes the current configuration.
func treeFile(t treeSpec, d draws, levels []yarnconf.Level, leaves []string, demand []float64) (*yarnconf.Document,
	error) {
	var settings []yarnconf.Change
	set := func(key string, value any) {
		settings = append(settings, yarnconf.Change{Key: yarnconf.Prefix + key, Value: fmt.Sprint(value)})
	}
	one := func(values ...string) string { return values[d.n(len(values))] }
	set("maximum-am-resource-percent", one("0.1", "0.2", "0.5"))
	isLeaf := map[string]bool{}
	for _, l := range leaves {
		isLeaf[l] = true
	}
	for _, lv := range levels {
		var names []string
		shares := treeShares(t, d, lv.Queues, leaves, demand)
		for i, q := range lv.Queues {
			names = append(names, q[strings.LastIndexByte(q, '.')+1:])
			most := shares[i] + d.n(101-shares[i])
			if t.sane {
				most = 100
			}
			if t.weights {
				set(q+".capacity", fmt.Sprintf("%.1fw", float64(shares[i])/10))
			} else {
				set(q+".capacity", shares[i])
			}
			set(q+".maximum-capacity", most)
			if !isLeaf[q] {
				continue
			}
			if t.sane {
				set(q+".user-limit-factor", one("2", "4"))
			} else {
				set(q+".user-limit-factor", one("1", "1", "2", "4"))
				set(q+".minimum-user-limit-percent", one("100", "50", "25"))
			}
		}
		set(lv.Parent+".queues", strings.Join(names, ","))
	}
	return yarnconf.Parse(fmt.Sprintf("tree%d.xml", t.number), yarnconf.Fragment("", settings))
}

// treeShares are whole percentages of siblings: by demand in sane files.
func treeShares(t treeSpec, d draws, queues, leaves []string, demand []float64) []int {
	w, sum := make([]float64, len(queues)), 0.0
	for i, q := range queues {
		w[i] = -math.Log(d.u())
		if t.sane {
			w[i] = 0
			for k, l := range leaves {
				if l == q || strings.HasPrefix(l, q+".") {
					w[i] += demand[k]
				}
			}
		}
		sum += w[i]
	}
	out, left := make([]int, len(queues)), 100
	for i := range w {
		out[i] = 3
		if sum > 0 {
			out[i] += int(w[i] / sum * float64(100-3*len(w)))
		}
		left -= out[i]
	}
	out[0] += left
	return out
}

// treeCase puts a problem together.
func treeCase(t treeSpec) (*scenario.Case, error) {
	d := newDraws(rng.NewKey(uint64(t.number), purposeTreeFile))
	leaves, levels := treeLeaves(t, d)
	w := treeJobs(t, leaves)
	demand, sum := work(w)
	doc, err := treeFile(t, d, levels, leaves, demand)
	if err != nil {
		return nil, err
	}
	const memory, cores = 16384, 16
	nodes := max(2, int(math.Round(sum/(3600*t.hours*memory*t.load))))
	c := &simcore.Cluster{Racks: []string{"/rack"}}
	for i := range nodes {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%03d", i), Cores: cores,
			Capacity: simcore.Vec{memory, cores}})
	}
	return &scenario.Case{Doc: doc, Cluster: c, Work: w, Calibration: yarn.Default()}, nil
}
