package datasets

import (
	"fmt"
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// flow is one user's stream of similar jobs in the default workload.
type flow struct {
	user, queue, class string
	jobs               int
	first, gap         float64 // seconds: first submission, mean gap (exponential)
	burst              int     // jobs submitted together; the gap is between bursts
	maps, reduces      [2]int  // drawn uniformly, both ends included
	mapTime, redTime   float64 // median seconds of a task
	sigma              float64 // spread of the logarithm of task times
	shuffle            float64 // shuffled bytes per input byte
}

const (
	defaultSeed  = 20
	blockBytes   = 128 << 20
	defaultNodes = 20
	// Purposes of the counter-based draws.
	purposeArrival  = 1
	purposeSize     = 2
	purposeDuration = 3
	purposeHosts    = 4
)

// defaultSet is the mix of default.csv: short queries of people, a batch chain that carries
// nine tenths of the work, analysts in between, and reports in bursts of six.
func defaultSet() *Set {
	b := newWorkloadBuilder()
	for i, f := range flows("default.csv") {
		b.addFlow(&f, 0, 1, rng.NewKey(defaultSeed, purposeArrival).At(uint64(i)),
			rng.NewKey(defaultSeed, purposeSize).At(uint64(i)))
	}
	return b.defaultSet()
}

// defaultCluster is two racks of ten equal nodes. The Hadoop 1 slots give the
// slot schedulers the same machines: 6 maps and 2 reduces per node.
func defaultCluster() *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"/rack0", "/rack1"}}
	for i := range defaultNodes {
		c.Nodes = append(c.Nodes, simcore.Node{
			Name: fmt.Sprintf("node%02d", i), Rack: int32(i * 2 / defaultNodes),
			Capacity: simcore.Vec{16384, 8}, Slots: simcore.Vec{6, 2},
			Speed: 1, Cores: 8, Disks: 4, DiskRate: 100e6, NICRate: 125e6,
		})
	}
	return c
}

// addFlow adds a stream that begins at a time, in seconds, with numbers of tasks times a factor.
func (b *workloadBuilder) addFlow(f *flow, from, factor float64, arrive, size rng.Key) {
	w := b.w
	mapDist := int32(len(w.Dists))
	w.Dists = append(w.Dists,
		simcore.Dist{Kind: simcore.LogNormal, A: math.Log(f.mapTime), B: f.sigma},
		simcore.Dist{Kind: simcore.LogNormal, A: math.Log(f.redTime), B: f.sigma})
	at := from + f.first
	for i := range f.jobs {
		if i > 0 && i%f.burst == 0 {
			at += f.gap * arrive.Exp(uint64(i))
		}
		maps := f.maps[0] + size.IntN(uint64(2*i), f.maps[1]-f.maps[0]+1)
		reduces := f.reduces[0] + size.IntN(uint64(2*i+1), f.reduces[1]-f.reduces[0]+1)
		maps, reduces = sized(maps, factor), sized(reduces, factor)
		in := int64(maps) * blockBytes
		w.Jobs = append(w.Jobs, simcore.Job{
			Name:  fmt.Sprintf("%s-%02d", f.user, i+1),
			Queue: b.queues.ID(&w.Queues, f.queue), User: b.users.ID(&w.Users, f.user),
			Class:  b.classes.ID(&w.Classes, f.class),
			Submit: simcore.Seconds(at + 0.5*float64(i%f.burst)),
			Maps:   int32(maps), Reduces: int32(reduces), Slowstart: -1,
			MapAsk: simcore.Vec{2048, 1}, ReduceAsk: simcore.Vec{3072, 1}, AMAsk: simcore.Vec{1536, 1},
			InputBytes: in, ShuffleBytes: int64(f.shuffle * float64(in)), OutputBytes: in / 10,
			MapDist: mapDist, ReduceDist: mapDist + 1,
			MapCPU: f.mapTime / blockBytes, ReduceCPU: reduceCPU(f, in, reduces),
		})
	}
}

// reduceCPU spreads a reduce's median time over the bytes it shuffles.
func reduceCPU(f *flow, input int64, reduces int) float64 {
	return f.redTime * float64(reduces) / (f.shuffle * float64(input))
}

// sized is a number of tasks times a factor, at least one.
func sized(n int, f float64) int { return max(1, int(math.Round(f*float64(n)))) }

// defaultSet returns the jobs on the default cluster, with single tasks drawn:
// durations from the job's distributions, three replicas per map, and a copy
// phase at 20 MB/s per reduce.
func (b *workloadBuilder) defaultSet() *Set {
	w := b.sorted()
	t := &w.Tasks
	t.HostAt = []int32{0}
	for j := range w.Jobs {
		job := &w.Jobs[j]
		job.FirstTask = int32(len(t.Duration))
		draw := rng.NewKey(defaultSeed, purposeDuration).At(uint64(j))
		hosts := rng.NewKey(defaultSeed, purposeHosts).At(uint64(j))
		for i := range int(job.Maps) {
			addTask(t, logNormal(w.Dists[job.MapDist], draw, i), 0, job.InputBytes/int64(job.Maps),
				job.ShuffleBytes/int64(job.Maps))
			t.Hosts = AppendReplicas(t.Hosts, hosts, i, defaultNodes, replicas)
			t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
		}
		for i := range int(job.Reduces) {
			share := job.ShuffleBytes / int64(job.Reduces)
			copyTime := simcore.Seconds(float64(share) / shuffleRate)
			addTask(t, logNormal(w.Dists[job.ReduceDist], draw, int(job.Maps)+i), copyTime, share,
				job.OutputBytes/int64(job.Reduces))
			t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
		}
	}
	return &Set{Cluster: defaultCluster(), Workload: w, ConfigXML: slices.Clone(defaultXML)}
}

func addTask(t *simcore.Tasks, d, shuffle simcore.Time, in, out int64) {
	t.Duration = append(t.Duration, d)
	t.Shuffle = append(t.Shuffle, shuffle)
	t.Input = append(t.Input, in)
	t.Output = append(t.Output, out)
}

// logNormal draws task i's time in seconds, at least one second.
func logNormal(d simcore.Dist, k rng.Key, i int) simcore.Time {
	return simcore.Seconds(math.Max(1, math.Exp(d.A+d.B*k.Norm(uint64(i)))))
}

// AppendReplicas places task i's block on distinct random nodes, as HDFS does
// for a client outside the cluster, without its rack rule.
func AppendReplicas(hosts []int32, k rng.Key, i, nodes, replication int) []int32 {
	first := len(hosts)
	for n := uint64(0); len(hosts)-first < min(replication, nodes); n++ {
		h := int32(k.At(uint64(i)).IntN(n, nodes))
		fresh := true
		for _, o := range hosts[first:] {
			fresh = fresh && o != h
		}
		if fresh {
			hosts = append(hosts, h)
		}
	}
	return hosts
}
