package study

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// fidelityProblem is one problem of the comparison of studies of few runs with those of
// many: a day on a cluster of some hundred nodes. Everything about it follows
// from its number. Even numbers are for development, odd ones are kept for the end.
type fidelityProblem struct {
	number    int
	objective string
	limits    []string
	leaves    int
	users     int
	load      float64
	c         *scenario.Case
}

// fidelityTasks is about how many tasks a problem's day has; a run is a quarter of it.
const fidelityTasks = 60_000

func (p *fidelityProblem) String() string {
	limits := "no limit"
	if len(p.limits) > 0 {
		limits = "queues protected"
	}
	return fmt.Sprintf("%d: %d queues, %d users, %d nodes, load %.2f, %s, %s", p.number, p.leaves, p.users,
		len(p.c.Cluster.Nodes), p.load, p.objective, limits)
}

// drawFidelity draws a problem.
func drawFidelity(number int) (*fidelityProblem, error) {
	k := rng.NewKey(uint64(number), 0x66696465)
	n := uint64(0)
	u := func() float64 { n++; return k.Float64(n) }
	pick := func(m int) int { return int(u() * float64(m)) }
	span := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, u()) }
	objectives := []string{"mean-completion", "mean-bounded-slowdown", "p95-completion", "mean-wait",
		"mean-response-ratio"}
	p := &fidelityProblem{number: number, objective: objectives[pick(len(objectives))], leaves: 3 + pick(4),
		load: 0.55 + 0.4*u()}
	if pick(4) > 0 { // as the command has by default
		p.limits = []string{Protection(5)}
	}
	p.users = p.leaves + 4 + pick(10)
	w := &simcore.Workload{Name: fmt.Sprintf("fidelity%d", number)}
	for q := range p.leaves {
		w.Queues = append(w.Queues, fmt.Sprintf("root.q%d", q))
	}
	type kind struct {
		queue           int32
		maps, reduces   float64
		spread          float64
		memory, weight  float64
		mapDist, redDst int32
	}
	var kinds []kind
	weights, perWeight := 0.0, 0.0
	for i := range p.users {
		w.Users = append(w.Users, fmt.Sprintf("user%02d", i))
		kd := kind{queue: int32(pick(p.leaves)), spread: span(0.3, 1.1), memory: float64(1024 * (1 + pick(2))),
			mapDist: int32(len(w.Dists))}
		if i < p.leaves {
			kd.queue = int32(i)
		}
		switch pick(4) { // small, middle and large jobs; the smaller the more of them
		case 0:
			kd.maps, kd.weight = span(15, 100), span(0.5, 2)
		case 1:
			kd.maps, kd.weight = span(4, 30), span(1, 6)
		default:
			kd.maps, kd.weight = span(1, 6), span(4, 20)
		}
		if pick(3) > 0 {
			kd.reduces = math.Max(1, kd.maps*span(0.05, 0.3))
		}
		median, sigma := span(60, 400), span(0.2, 0.6)
		w.Dists = append(w.Dists, simcore.Dist{Kind: simcore.LogNormal, A: math.Log(median), B: sigma},
			simcore.Dist{Kind: simcore.LogNormal, A: math.Log(median * span(0.5, 2)), B: sigma})
		kd.redDst = kd.mapDist + 1
		kinds = append(kinds, kd)
		weights += kd.weight
		perWeight += kd.weight * (kd.maps + kd.reduces) * math.Exp(kd.spread*kd.spread/2)
	}
	jobs := int(fidelityTasks / (perWeight / weights))
	work := make([]float64, p.leaves) // MiB-seconds
	for range jobs {
		at := u() * weights
		i := 0
		for at > kinds[i].weight && i < len(kinds)-1 {
			at -= kinds[i].weight
			i++
		}
		kd := &kinds[i]
		size := math.Exp(kd.spread * math.Sqrt(-2*math.Log(u()+1e-12)) * math.Cos(2*math.Pi*u()))
		ask := simcore.Vec{int64(kd.memory), 1}
		day := u() * 24 // busier by day: accepted with a probability by the hour
		for u() > 0.6+0.4*math.Sin(2*math.Pi*day/24) {
			day = u() * 24
		}
		j := simcore.Job{Submit: simcore.Seconds(3600 * day), Queue: kd.queue, User: int32(i), Class: -1, Slowstart: -1,
			FirstTask: -1,
			MapDist:   kd.mapDist, ReduceDist: kd.redDst, AMAsk: simcore.Vec{1024, 1}, MapAsk: ask, ReduceAsk: ask,
			Maps: int32(math.Max(1, math.Round(kd.maps*size)))}
		if kd.reduces > 0 {
			j.Reduces = int32(math.Max(1, math.Round(kd.reduces*size)))
		}
		mean := func(d int32) float64 { return math.Exp(w.Dists[d].A + w.Dists[d].B*w.Dists[d].B/2) }
		work[kd.queue] += kd.memory * (float64(j.Maps)*mean(kd.mapDist) + float64(j.Reduces)*mean(kd.redDst))
		w.Jobs = append(w.Jobs, j)
	}
	sort.SliceStable(w.Jobs, func(a, b int) bool { return w.Jobs[a].Submit < w.Jobs[b].Submit })
	for i := range w.Jobs {
		w.Jobs[i].ID = fmt.Sprintf("job_%05d", i)
	}
	total := 0.0
	for _, v := range work {
		total += v
	}
	const memory, cores = 4096, 4
	nodes := max(20, int(total/(86400*memory*p.load)))
	c := &simcore.Cluster{Racks: []string{"/rack"}}
	for i := range nodes {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%04d", i), Cores: cores,
			Capacity: simcore.Vec{memory, cores}})
	}
	doc, err := fidelityFile(p, u, work, total)
	if err != nil {
		return nil, err
	}
	p.c = &scenario.Case{Doc: doc, Cluster: c, Work: w, Calibration: yarn.Default()}
	return p, nil
}

// fidelityFile draws the current file: shares between those by demand and equal ones.
func fidelityFile(p *fidelityProblem, u func() float64, work []float64, total float64) (*yarnconf.Document, error) {
	var b strings.Builder
	set := func(key string, value any) {
		fmt.Fprintf(&b, "<property><name>yarn.scheduler.capacity.%s</name><value>%v</value></property>\n", key, value)
	}
	one := func(values ...string) string { return values[int(u()*float64(len(values)))] }
	b.WriteString("<configuration>\n")
	set("maximum-am-resource-percent", one("0.1", "0.2", "0.3"))
	var names []string
	left := 100
	even := u()
	for q := range p.leaves {
		share := 3 + int(float64(100-3*p.leaves)*(even/float64(p.leaves)+(1-even)*work[q]/total))
		if q == p.leaves-1 {
			share = left
		}
		left -= share
		name := fmt.Sprintf("q%d", q)
		names = append(names, name)
		set("root."+name+".capacity", share)
		set("root."+name+".maximum-capacity", share+int(float64(100-share)*math.Max(0.2, u())))
		set("root."+name+".user-limit-factor", one("1", "2", "4"))
		set("root."+name+".minimum-user-limit-percent", one("100", "50", "25"))
	}
	set("root.queues", strings.Join(names, ","))
	b.WriteString("</configuration>\n")
	return yarnconf.Parse(fmt.Sprintf("fidelity%d.xml", p.number), []byte(b.String()))
}
