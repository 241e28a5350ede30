package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"schedtune/internal/stats"
	"schedtune/lp"
	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/sched"
)

// What is measured on a run, by paper: the figures that data/rows-*.csv name.

// figures returns the figures of a run.
func (o *outcome) figures() map[string]float64 {
	f := map[string]float64{}
	paper, _, _ := strings.Cut(o.set.Name, "-")
	switch {
	case paper == "coshh":
		o.coshh(f)
	case paper == "coupling":
		o.coupling(f)
	case paper == "learning":
		o.learning(f)
	case paper == "omo":
		o.omo(f)
	case o.set.ConfigXML != nil:
		o.chapter6(f)
	default:
		o.chapter5(f)
	}
	return f
}

// computed returns the figures of the papers' worked examples, which need no run.
func computed() measured {
	a := must(lp.MaxLambda([]float64{2.45, 2.45}, [][]float64{{9, 5}, {2, 1}}))
	m := measured{
		"lp/lambda":     {a.Lambda},
		"equation 2/ps": {100 * predict.AllLocalProbability(28, 48.5, 15, 427)},
	}
	for i, row := range a.Delta {
		for j, v := range row {
			m[fmt.Sprintf("lp/delta %d %d", i+1, j+1)] = []float64{v}
		}
	}
	return m
}

func minutes(t simcore.Time) float64 { return t.Seconds() / 60 }

// coshh measures the paper's metrics. Fairness counts slots as shares of the cluster's (datasets/choices.csv).
func (o *outcome) coshh(f map[string]float64) {
	slots := float64(o.Slots[simcore.MapSlots] + o.Slots[simcore.ReduceSlots])
	f["completion"] = o.value("mean-completion")
	f["Dissatisfaction"] = o.value("dissatisfaction")
	f["Fairness"] = o.value("fairness") / slots
	f["Locality"] = 100 * o.value("locality")
}

// coupling measures times by job, in seconds, starvation and instants in minutes.
func (o *outcome) coupling(f map[string]float64) {
	var times, waits []float64
	for i := range o.Jobs {
		j := &o.Jobs[i]
		times = append(times, j.Completion().Seconds())
		waits = append(waits, minutes(j.Starvation()))
		n := fmt.Sprintf(" %02d", i+1)
		f["time"+n], f["starvation"+n], f["maps done"+n] = times[i], waits[i], minutes(j.MapsDone)
		f["first reduce"+n] = minutes(o.recording.reduceStart(simcore.JobID(i), 0))
	}
	f["mean time"], f["mean starvation"] = stats.Mean(times), stats.Mean(waits)
	f["slots taken"] = minutes(o.recording.reduceStart(0, 13))
	f["map time"] = o.recording.mapTime()
	f["spread"] = minutes(o.recording.reached(simcore.Map, 44))
	f["local"], f["traffic"] = 100*o.value("locality"), float64(o.Traffic.In)/1e9
	var cores int32
	for i := range o.set.Cluster.Nodes {
		cores += o.set.Cluster.Nodes[i].Cores
	}
	f["idle"] = 100 * (1 - o.Traffic.CPU.Seconds()/(float64(cores)*o.value("makespan")))
}

// accuracyWindow is the number of decisions for which the learning paper reports accuracy;
// a run of 1600 maps has six such windows.
const accuracyWindow, accuracyWindows = 250, 6

// learning measures run times of successive jobs in minutes, the load per processor and the
// share of confirmed decisions by window.
func (o *outcome) learning(f map[string]float64) {
	last := simcore.Time(0)
	for i := range o.Jobs {
		f[fmt.Sprintf("run %d", i+1)] = minutes(o.Jobs[i].Finish - last)
		last = o.Jobs[i].Finish
	}
	f["makespan"] = o.value("makespan")
	f["tasks"] = o.Total.Busy[simcore.Map].Seconds() / (o.value("makespan") * float64(len(o.set.Cluster.Nodes)))
	l, ok := o.scheduler.(*sched.Learning)
	if !ok {
		return
	}
	var n, sum, busy, load float64
	for _, s := range l.Loads() {
		// The beginning and the tail, in which tasks run out, are left out.
		if s.At >= simcore.Time(0.1*float64(o.End)) && s.At <= simcore.Time(0.95*float64(o.End)) {
			n, sum = n+1, sum+s.Ratio
		}
		if slices.ContainsFunc(o.Jobs, func(j simcore.JobResult) bool {
			return s.At >= o.set.Workload.Jobs[j.Job].Submit && s.At <= j.Finish
		}) {
			busy, load = busy+1, load+s.Ratio
		}
	}
	f["load"], f["busy load"] = sum/n, 4*(load/busy)
	judged := l.Judged()
	for k := range accuracyWindows {
		part := judged[min(k*accuracyWindow, len(judged)):min((k+1)*accuracyWindow, len(judged))]
		share := 0.0
		for _, right := range part {
			if right {
				share += 100 / float64(len(part))
			}
		}
		f[fmt.Sprintf("accuracy %d", accuracyWindow*(k+1))] = share
	}
}

// omo measures makespan, end of the maps, time to the first reduce and from the last map to
// the end of the last copy, in seconds; the maps in the last batch of a job; and the errors
// of two estimates of the release rate, in containers per second.
func (o *outcome) omo(f map[string]float64) {
	f["span"] = o.value("makespan")
	if o.recording == nil {
		return // on YARN
	}
	f["small"], f["batch"], f["most batch"] = 0, 0, 0
	var maps simcore.Time
	for i := range o.Jobs {
		j := &o.Jobs[i]
		maps = max(maps, j.MapsDone)
		n := float64(o.recording.lastBatch(j.Job))
		if n < 5 {
			f["small"] += 1 / float64(len(o.Jobs))
		}
		f["batch"] += n / float64(len(o.Jobs))
		f["most batch"] = math.Max(f["most batch"], n)
	}
	f["maps"], f["tail"] = maps.Seconds(), max(o.recording.lastCopy-maps, 0).Seconds()
	f["map only"] = min(o.recording.reduceStart(-1, 0), maps).Seconds()
	f["rate error"], f["mean error"] = o.recording.releaseErrors(o.Result)
}

// chapter5 measures makespans of the thesis's queues in seconds, which jobs' reduces were
// alone on their nodes, and the mean minutes of reduces that were and were not.
func (o *outcome) chapter5(f map[string]float64) {
	o.queues(f)
	var sum, n [2]float64
	alone := o.recording.isolated(len(o.Jobs))
	for _, t := range o.recording.tasks {
		if t.kind == simcore.Reduce {
			k := 1 - int(alone[t.job])
			sum[k], n[k] = sum[k]+minutes(t.end-t.start), n[k]+1
		}
	}
	f["alone"], f["paired"] = sum[0]/n[0], sum[1]/n[1]
	for i, j := range o.set.Workload.Jobs {
		user := strings.TrimPrefix(o.set.Workload.Users[j.User], "user")
		f["isolated "+strings.Replace(j.Name, "Terasort", "TSort", 1)+" "+user] = alone[i]
	}
}

// queues measures the makespans of queues 1 to 4.
func (o *outcome) queues(f map[string]float64) {
	for q := 1; q <= 4; q++ {
		f[fmt.Sprintf("queue %d", q)] = o.value(fmt.Sprintf("queue.queue%d.makespan", q))
	}
}

// chapter6 measures the makespans of queues, and by type 1 to 7 the mean response ratio (r)
// and the rack-local maps in percent (l): of queue 1 (0), queue 2 (1) and both (2). With
// four queues, queues 1 and 3 count as the first.
func (o *outcome) chapter6(f map[string]float64) {
	o.queues(f)
	for half := range 3 {
		for ty := 1; ty <= 7; ty++ {
			var ratio, n float64
			var rack, all int32
			for i := range o.Jobs {
				j := &o.Jobs[i]
				w := &o.set.Workload.Jobs[j.Job]
				if o.typeOf(w) != ty || half < 2 && int(w.Queue)%2 != half {
					continue
				}
				ratio, n = ratio+j.ResponseRatio(), n+1
				rack += j.At[simcore.RackLocal]
				for _, c := range j.At {
					all += c
				}
			}
			f[fmt.Sprintf("r%d %d", half, ty)] = ratio / n
			f[fmt.Sprintf("l%d %d", half, ty)] = 100 * float64(rack) / float64(all)
		}
	}
	for i := range o.Jobs {
		j := &o.Jobs[i]
		w := &o.set.Workload.Jobs[j.Job]
		f[fmt.Sprintf("execution %d %d %d", w.Queue%2, o.typeOf(w), i)] = j.Execution().Seconds()
	}
}

// typeOf returns the thesis's number of a job's type.
func (o *outcome) typeOf(j *simcore.Job) int {
	return int(o.set.Workload.Classes[j.Class][len("type")] - '0')
}

// variations adds, for runs of chapter 6, the coefficient of variation of a job's execution
// time over the runs ("variability in results for same experiment across different runs",
// section 6.1.3), averaged over the jobs of a type: v, with queue and type as in chapter6.
func (m measured) variations() {
	for half := range 3 {
		for ty := 1; ty <= 7; ty++ {
			var sum, n float64
			for i := range 100 {
				for _, queue := range []int{0, 1} {
					x, ok := m[fmt.Sprintf("run/execution %d %d %d", queue, ty, i)]
					if !ok || half < 2 && queue != half {
						continue
					}
					n++
					if len(x) > 1 {
						mean, sd := stat.MeanStdDev(x, nil)
						sum += sd / mean
					}
				}
			}
			if n > 0 {
				m[fmt.Sprintf("run/v%d %d", half, ty)] = []float64{sum / n}
			}
		}
	}
}
