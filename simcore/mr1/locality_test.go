package mr1_test

import (
	"math"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// Coupling paper, equation 2: under delay scheduling with timeout T a job
// whose s local slots end maps at rate mu each launches the next map locally
// if the gap to the next free local slot, exponential with rate s·mu, is at
// most T. The first s maps start at once, so all N are local with probability
// (1 - exp(-s·mu·T))^(N-s); the paper writes N for the count of gaps.
func TestDelaySchedulingEquation2(t *testing.T) {
	const local, maps, timeout, mean, runs = 4, 34, 15, 20.0, 1000
	c := schedtest.Uniform(2, 2, simcore.Vec{local, 0})
	w := stageOf(maps, simcore.Dist{Kind: simcore.Exponential, A: mean})
	w.Jobs[0].FirstTask, w.Tasks.HostAt = 0, []int32{0}
	for i := range int32(maps) {
		w.Tasks.Hosts, w.Tasks.HostAt = append(w.Tasks.Hosts, 0), append(w.Tasks.HostAt, i+1)
	}
	all, sim := 0, mr1.NewSim()
	for seed := range uint64(runs) {
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed}, Heartbeat: 100 *
			simcore.Millisecond, OutOfBand: true}
		r, err := sim.Run(cfg, c, w, &delay{timeout: timeout * simcore.Second})
		if err != nil {
			t.Fatal(err)
		}
		if r.Total.At[simcore.NodeLocal] == maps {
			all++
		}
	}
	want := math.Pow(1-math.Exp(-local*timeout/mean), maps-local)
	// Standard error sqrt(p(1-p)/runs) is about 0.013; the heartbeat adds up to 0.1 s to T.
	if got := float64(all) / runs; math.Abs(got-want) > 0.05 {
		t.Errorf("all maps local in a share %v of runs, equation 2 says %v", got, want)
	}
}

// delay launches a map on a node without its input only when no map was
// launched for the timeout.
type delay struct{ timeout, last simcore.Time }

func (d *delay) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	j := v.FirstWaiting(simcore.Map)
	if l, _ := v.Locality(j, n); l != simcore.NodeLocal && v.Now()-d.last < d.timeout {
		return simcore.Task{}, false
	}
	d.last = v.Now()
	return simcore.Task{Job: j, Kind: simcore.Map, Index: simcore.AnyTask}, true
}

// With replication r on N nodes, the chance that a random node holds the input
// of one of q unstarted maps is 1 - (1 - r/N)^q.
func TestReplicaPlacement(t *testing.T) {
	const nodes, replicas, q = 40, 3, 5
	c := schedtest.Uniform(nodes, 10, simcore.Vec{1, 0})
	p := &placementProbe{}
	for seed := range uint64(300) {
		w := stageOf(q, simcore.Dist{A: 1})
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed}, Replication: replicas}
		p.seen = false
		if _, err := mr1.Run(cfg, c, w, p); err != nil {
			t.Fatal(err)
		}
	}
	want := 1 - math.Pow(1-replicas/float64(nodes), q)
	near(t, "node-local chance", float64(p.local)/float64(p.all), want, 0.05)
	// HDFS: replicas lie in two racks of four, so a node has a rack-local
	// replica of one map with probability 1/2.
	near(t, "rack-local chance of the first map", float64(p.rack)/float64(p.all), 1-math.Pow(0.5, q), 0.05)
}

type placementProbe struct {
	seen             bool
	local, rack, all int
}

func (p *placementProbe) Pick(v *mr1.View, _ simcore.NodeID) (simcore.Task, bool) {
	j := v.FirstWaiting(simcore.Map)
	for n := range v.Nodes() {
		if p.seen {
			break
		}
		l, _ := v.Locality(j, simcore.NodeID(n))
		p.all++
		if l == simcore.NodeLocal {
			p.local++
		}
		if l != simcore.OffSwitch {
			p.rack++
		}
	}
	p.seen = true
	return simcore.Task{Job: j, Kind: simcore.Map, Index: simcore.AnyTask}, true
}
