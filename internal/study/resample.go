package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Workload draws workloads like a recorded one: what the same cluster
// might see in another period of the same length. A drawn workload is a pure
// function of the workload, a Spread and a key.
//
// Time is resampled in blocks (the circular block bootstrap of D. Politis and
// J. Romano, "A circular block-resampling procedure for stationary data", 1992):
// blocks keep what depends on each other within them, such as bursts, chains of a
// user's jobs and idle gaps. A bootstrap knows only what was recorded, so further
// draws stand for what differs between periods: the load as a whole, each user's
// and each queue's part of it, and the jobs' sizes.

// Spread says how much drawn workloads differ: standard deviations of logarithms.
// All means are those of the recorded workload.
type Spread struct {
	Load  float64 `json:"load"`  // arrivals per time, of all together
	User  float64 `json:"user"`  // number of jobs, of each user
	Queue float64 `json:"queue"` // number of jobs, of each queue
	Tasks float64 `json:"tasks"` // tasks of a job
	Time  float64 `json:"time"`  // task times of a job
	// Blocks is the number of blocks that a period is cut into; 0 takes the number
	// of jobs to the power of 2/3, the rate at which blocks should shorten for
	// the variance of a mean (P. Hall, J. Horowitz and B.-Y. Jing, "On blocking
	// rules for the bootstrap with dependent data", Biometrika 82, 1995).
	Blocks int `json:"blocks,omitempty"`
	// Part is the length of a drawn period as a part of the recorded one; 0 reads
	// as 1.
	Part float64 `json:"part,omitempty"`
	// Seasons are recorded periods that begin alike, such as nights, with nothing submitted
	// between them: a block is drawn from the same time after the begin of any of them (the
	// seasonal block bootstrap of D. Politis, "Resampling time series with seasonal components",
	// 2001), and a drawn period is as long as the longest. Nil where there are none.
	Seasons []Season `json:"seasons,omitempty"`
}

// Season is a time of the record.
type Season struct {
	Start  simcore.Time `json:"start"`
	Length simcore.Time `json:"length"`
}

// seasonsOf returns the windows of a record as seasons if more of it lies between them than in
// them: nothing is submitted then for hours, and blocks of any other time would make periods that
// end when their last job comes.
func seasonsOf(w *simcore.Workload, windows []*simcore.Workload) []Season {
	var out []Season
	at, length := 0, simcore.Time(0)
	for _, part := range windows {
		n := len(part.Jobs)
		s := Season{w.Jobs[at].Submit, part.Jobs[n-1].Submit - part.Jobs[0].Submit + 1}
		at += n
		length += s.Length
		out = append(out, s)
	}
	if span := w.Jobs[len(w.Jobs)-1].Submit - w.Jobs[0].Submit; len(out) < 2 || 2*length > span {
		return nil
	}
	return out
}

// Purposes of the draws.
const (
	drawLoad = iota + 0x726573
	drawStart
	drawUser
	drawQueue
	drawCopies
	drawShift
	drawTasks
	drawTime
	drawTask
)

// Bounds of a drawn load, relative to the recorded one: a run stays affordable.
const (
	leastLoad = 1.0 / 3
	mostLoad  = 3
	mostCopy  = 4 // copies of one job within a block
)

// Workload draws one workload. The recorded one stays as it is; parts that do not
// change are shared.
func Workload(w *simcore.Workload, s Spread, key rng.Key) *simcore.Workload {
	if len(w.Jobs) == 0 {
		return w
	}
	d := &drawing{from: w, spread: s, key: key, ahead: w.Ahead()}
	d.chain()
	d.period()
	d.jobs()
	if len(d.picks) == 0 { // a period without a job tells nothing
		return w
	}
	return d.build()
}

// drawing is a workload under way.
type drawing struct {
	from   *simcore.Workload
	spread Spread
	key    rng.Key
	first  simcore.Time
	length simcore.Time // of the period
	block  simcore.Time
	load   float64
	ahead  [][]int32 // by recorded job: those that it follows; nil without chains
	chains [][]int   // by recorded job: those of its chain, of the first of them only
	picks  []pick
	copies int // picks of chains
}

// pick is a job of the drawn workload.
type pick struct {
	job    int // in the recorded workload
	submit simcore.Time
	chain  int // copy of its chain, from 1; 0 = none
}

// factor is a lognormal factor of mean 1.
func factor(k rng.Key, i uint64, sd float64) float64 { return math.Exp(sd*k.Norm(i) - sd*sd/2) }

// period sets length, blocks and load. A period ends a mean gap after its last
// submission.
func (d *drawing) period() {
	jobs := d.from.Jobs
	n := len(jobs)
	d.first = jobs[0].Submit
	span := jobs[n-1].Submit - d.first
	d.length = span + span/simcore.Time(max(1, n-1)) + 1
	for i, s := range d.spread.Seasons {
		if i == 0 || s.Length > d.length {
			d.length = s.Length
		}
	}
	n /= max(1, len(d.spread.Seasons))
	blocks := d.spread.Blocks
	if blocks <= 0 {
		blocks = int(math.Round(math.Pow(float64(n), 2.0/3)))
	}
	d.block = max(1, d.length/simcore.Time(max(blocks, 1)))
	d.load = min(mostLoad, max(leastLoad, factor(d.key.At(drawLoad), 0, d.spread.Load)))
}

// jobs picks jobs block by block: a load of f is f periods of recorded time in the
// time of one.
func (d *drawing) jobs() {
	starts := d.key.At(drawStart)
	part := d.spread.Part
	if part <= 0 {
		part = 1
	}
	total := simcore.Time(d.load * part * float64(d.length))
	for at, b := simcore.Time(0), uint64(0); at < total; at, b = at+d.block, b+1 {
		start := simcore.Time(starts.Float64(b) * float64(d.length))
		if n := len(d.spread.Seasons); n > 0 {
			start = d.spread.Seasons[starts.IntN(b, n)].Start - d.first + simcore.Time(float64(at)/d.load)
		}
		d.cut(start, min(d.block, total-at), at)
	}
	slices.SortStableFunc(d.picks, func(a, b pick) int { return cmp.Or(cmp.Compare(a.submit, b.submit), a.job-b.job) })
}

// cut takes the jobs of [start, start+length) on the circle and puts them at a time.
func (d *drawing) cut(start, length, at simcore.Time) {
	from := func(t simcore.Time) int { // the first job submitted at t or later
		i, _ := slices.BinarySearchFunc(d.from.Jobs, t, func(j simcore.Job, t simcore.Time) int {
			return cmp.Compare(j.Submit-d.first, t)
		})
		return i
	}
	end := start + length
	for i := from(start); i < len(d.from.Jobs) && d.from.Jobs[i].Submit-d.first < end; i++ {
		d.take(i, at+d.from.Jobs[i].Submit-d.first-start)
	}
	if end > d.length && d.spread.Seasons == nil {
		for i := 0; i < len(d.from.Jobs) && d.from.Jobs[i].Submit-d.first < end-d.length; i++ {
			d.take(i, at+d.length-start+d.from.Jobs[i].Submit-d.first)
		}
	}
}

// chain finds the jobs that belong together, as one follows another.
func (d *drawing) chain() {
	if d.ahead == nil {
		return
	}
	first := make([]int, len(d.ahead))
	of := func(j int) int {
		for first[j] != j {
			first[j] = first[first[j]]
			j = first[j]
		}
		return j
	}
	for j, list := range d.ahead {
		first[j] = j
		for _, a := range list {
			x, y := of(j), of(int(a))
			first[max(x, y)] = min(x, y)
		}
	}
	d.chains = make([][]int, len(d.ahead))
	for j := range first {
		d.chains[of(j)] = append(d.chains[of(j)], j)
	}
}

// take adds as many copies of a job as its user's and queue's factors give; the
// first keeps its place, others fall into the block after it. A chain comes with its first job.
func (d *drawing) take(i int, at simcore.Time) {
	members := []int{i}
	if d.chains != nil {
		members = d.chains[i]
	}
	j := &d.from.Jobs[i]
	times := factor(d.key.At(drawUser), uint64(j.User), d.spread.User) * factor(d.key.At(drawQueue), uint64(j.Queue),
		d.spread.Queue)
	n := uint64(len(d.picks))
	copies := min(mostCopy, int(times+d.key.At(drawCopies).At(uint64(i)).Float64(n)))
	for c := range copies {
		t := at
		if c > 0 {
			t += simcore.Time(d.key.At(drawShift).Float64(n+uint64(c)) * float64(d.block))
		}
		chain := 0
		if len(members) > 1 {
			d.copies++
			chain = d.copies
		}
		for _, m := range members {
			d.picks = append(d.picks, pick{m, simcore.Time(float64(t)/d.load) + d.from.Jobs[m].Submit - j.Submit, chain})
		}
	}
}

// build makes the workload of the picks.
func (d *drawing) build() *simcore.Workload {
	out := *d.from
	out.Jobs = make([]simcore.Job, 0, len(d.picks))
	out.Dists = slices.Clone(d.from.Dists)
	b := &builder{drawing: d, out: &out, tasks: &d.from.Tasks, ids: map[[2]int]string{}}
	if b.tasks.HostAt != nil {
		b.new.HostAt = append(b.new.HostAt, 0)
	}
	for n, p := range d.picks {
		b.job(n, p)
	}
	out.Tasks = b.new
	return &out
}

// builder copies jobs with their tasks.
type builder struct {
	*drawing
	out   *simcore.Workload
	tasks *simcore.Tasks
	new   simcore.Tasks
	ids   map[[2]int]string // by copy of a chain and recorded job: that of the job drawn
}

func (b *builder) job(n int, p pick) {
	from := &b.from.Jobs[p.job]
	j := *from
	j.ID, j.Submit = fmt.Sprintf("%s#%d", from.ID, n), p.submit
	if j.After = nil; p.chain > 0 {
		b.ids[[2]int{p.chain, p.job}] = j.ID
		for _, a := range b.ahead[p.job] {
			j.After = append(j.After, b.ids[[2]int{p.chain, int(a)}])
		}
	}
	size := factor(b.key.At(drawTasks), uint64(n), b.spread.Tasks)
	pace := factor(b.key.At(drawTime), uint64(n), b.spread.Time)
	draw := b.key.At(drawTask).At(uint64(n))
	if from.Spark != nil || from.Tez != nil {
		if from.Spark != nil {
			j.Spark = b.spark(draw, from.Spark, size, pace)
		} else {
			j.Tez = b.tez(draw, from.Tez, size, pace)
		}
		b.out.Jobs = append(b.out.Jobs, j)
		return
	}
	j.Maps, j.Reduces = scaled(from.Maps, size), scaled(from.Reduces, size)
	for _, v := range []*int64{&j.InputBytes, &j.ShuffleBytes, &j.OutputBytes} {
		*v = int64(float64(*v) * size)
	}
	j.MapCPU, j.ReduceCPU = from.MapCPU*pace, from.ReduceCPU*pace
	if from.FirstTask >= 0 {
		j.FirstTask = int32(len(b.new.Duration))
		b.copyTasks(draw.At(0), from.FirstTask, from.Maps, j.Maps, pace)
		b.copyTasks(draw.At(1), from.FirstTask+from.Maps, from.Reduces, j.Reduces, pace)
	} else {
		j.MapDist, j.ReduceDist = b.dist(j.MapDist, pace), b.dist(j.ReduceDist, pace)
	}
	b.out.Jobs = append(b.out.Jobs, j)
}

// scaled is a number of tasks times a factor; at least one where there was one.
func scaled(n int32, f float64) int32 {
	if n == 0 {
		return 0
	}
	return max(1, int32(math.Round(float64(n)*f)))
}

// copyTasks fills a job's maps or reduces with those recorded for it, in their
// order as far as they go and then drawn from them; fewer are drawn too.
func (b *builder) copyTasks(draw rng.Key, first, have, want int32, pace float64) {
	for i := range want {
		t := first + i
		if want < have || i >= have {
			t = first + int32(draw.IntN(uint64(i), int(have)))
		}
		b.new.Duration = append(b.new.Duration, max(1, simcore.Time(float64(b.tasks.Duration[t])*pace)))
		if b.tasks.Shuffle != nil {
			b.new.Shuffle = append(b.new.Shuffle, simcore.Time(float64(b.tasks.Shuffle[t])*pace))
		}
		if b.tasks.Input != nil {
			b.new.Input = append(b.new.Input, b.tasks.Input[t])
		}
		if b.tasks.Output != nil {
			b.new.Output = append(b.new.Output, b.tasks.Output[t])
		}
		if b.tasks.HostAt != nil {
			b.new.Hosts = append(b.new.Hosts, b.tasks.Hosts[b.tasks.HostAt[t]:b.tasks.HostAt[t+1]]...)
			b.new.HostAt = append(b.new.HostAt, int32(len(b.new.Hosts)))
		}
	}
}

// dist adds a distribution whose times are longer by a factor.
func (b *builder) dist(i int32, f float64) int32 {
	if i < 0 || f == 1 {
		return i
	}
	d := b.from.Dists[i]
	switch d.Kind {
	case simcore.LogNormal:
		d.A += math.Log(f)
	case simcore.Pareto:
		d.A *= f
	case simcore.Empirical:
		d.Points = slices.Clone(d.Points)
		for k := range d.Points {
			d.Points[k] *= f
		}
	default:
		d.A, d.B = d.A*f, d.B*f
	}
	b.out.Dists = append(b.out.Dists, d)
	return int32(len(b.out.Dists) - 1)
}
