package snapshot

import (
	"regexp"
	"slices"
	"strings"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/trace/sparklog"
)

// past is an application of the history that succeeded.
type past struct {
	job               int // in the case's workload
	name, plain       string
	user, queue, kind string
	span              simcore.Time // of its master, from launch to end; 0: not known
	// times of the tasks' attempts by kind, ascending: of maps from their launch, of
	// reduces from the later of their launch and the last map's end.
	times [2][]simcore.Time
	spark *sparklog.App // nil: no Spark application
}

// history is what earlier applications tell of later ones.
type history struct {
	list  []past // by submission
	all   [2][]simcore.Time
	spark []simcore.Time // of the tasks of all Spark applications, ascending
}

// Kinds of application.
const (
	mapReduce = "MAPREDUCE"
	spark     = "SPARK"
)

var numerals = regexp.MustCompile(`[0-9]+`)

// plainName puts # for every number in a name: dates and counters change from run to
// run.
func plainName(s string) string { return numerals.ReplaceAllString(s, "#") }

// newHistory takes the applications that are over.
func newHistory(c *scenario.Case, now map[string]bool) *history {
	h := &history{}
	if c.Recorded == nil {
		return h
	}
	at := map[string]int{}
	for i := range c.Work.Jobs {
		at[c.Work.Jobs[i].ID] = i
	}
	for i := range c.Recorded.Jobs {
		j := &c.Recorded.Jobs[i]
		k, ok := at[j.ID]
		if !ok || j.Result != trace.Succeeded || now[j.ID] || now["application_"+strings.TrimPrefix(j.ID, "job_")] {
			continue
		}
		h.list = append(h.list, h.pastOf(c, j, k))
	}
	slices.Sort(h.spark)
	for k := range h.all {
		slices.Sort(h.all[k])
	}
	return h
}

func (h *history) pastOf(c *scenario.Case, j *trace.Job, k int) past {
	w := &c.Work.Jobs[k]
	p := past{job: k, name: j.Name, plain: plainName(j.Name), user: j.User, queue: c.Work.Queues[w.Queue], kind: j.Type}
	if p.kind == "" || j.Spark != nil {
		p.kind = mapReduce
		if j.Spark != nil {
			p.kind = spark
		}
	}
	if from := max(j.Submit, j.Launch); from.Known() && j.Finish > from {
		p.span = simcore.Time(j.Finish-from) * simcore.Millisecond
	}
	p.spark = j.Spark
	if j.Spark != nil {
		for _, took := range tookIn(j.Spark, -1) {
			h.spark = append(h.spark, simcore.Time(took)*simcore.Millisecond)
		}
	}
	if j.Spark != nil && j.Spark.Start.Known() && j.Spark.Start < j.Finish {
		p.span = simcore.Time(j.Finish-j.Spark.Start) * simcore.Millisecond
	}
	last := trace.Millis(0)
	for i := range j.Tasks {
		if a := j.Tasks[i].Winner(); a != nil && j.Tasks[i].Kind == trace.Map {
			last = max(last, a.Finish)
		}
	}
	for i := range j.Tasks {
		a := j.Tasks[i].Winner()
		kind := j.Tasks[i].Kind
		if a == nil || kind != trace.Map && kind != trace.Reduce {
			continue
		}
		from := a.Start
		if kind == trace.Reduce {
			from = max(from, last)
		}
		d := simcore.Time(max(a.Finish-from, 0)) * simcore.Millisecond
		p.times[kind] = append(p.times[kind], d)
		h.all[kind] = append(h.all[kind], d)
	}
	for k := range p.times {
		slices.Sort(p.times[k])
	}
	return p
}

// mostTwins bounds how many earlier applications stand for one.
const mostTwins = 50

// like returns earlier applications that stand for one, the latest last: those of
// its name and user, else of its name but for numbers in it, else of its user in its
// queue, its queue, its kind. named: they have its name.
func (h *history) like(a *App, queue string) (list []*past, named bool) {
	kind, plain := a.Type, plainName(a.Name)
	tests := []func(p *past) bool{
		func(p *past) bool { return p.name == a.Name && p.user == a.User },
		func(p *past) bool { return p.plain == plain },
		func(p *past) bool { return p.kind == kind && p.user == a.User && p.queue == queue },
		func(p *past) bool { return p.kind == kind && p.queue == queue },
		func(p *past) bool { return p.kind == kind },
		func(*past) bool { return true },
	}
	for level, test := range tests {
		var out []*past
		for i := len(h.list) - 1; i >= 0 && len(out) < mostTwins; i-- {
			if p := &h.list[i]; test(p) {
				out = append(out, p)
			}
		}
		if len(out) > 0 {
			slices.Reverse(out)
			return out, level < 2
		}
	}
	return nil, false
}

// pick draws one of them, where it can be among those that may last longer than the
// application's oldest task.
func pick(list []*past, kind simcore.Kind, oldest simcore.Time, key rng.Key) *past {
	if len(list) == 0 {
		return nil
	}
	var fit []*past
	for _, p := range list {
		if t := p.times[kind]; oldest > 0 && len(t) > 0 && t[len(t)-1] > oldest {
			fit = append(fit, p)
		}
	}
	if len(fit) > 0 {
		list = fit
	}
	return list[key.IntN(0, len(list))]
}

// left draws what remains of something of an age from ascending times of what is
// over: of those that lasted longer, one; where none did, a part of the age.
func left(times []simcore.Time, age simcore.Time, key rng.Key) simcore.Time {
	i, _ := slices.BinarySearch(times, age+1)
	if i < len(times) {
		return times[i+key.IntN(1, len(times)-i)] - age
	}
	return max(simcore.Time(beyond*float64(age)*key.Exp(2)), simcore.Second/2)
}

// beyond is the mean of what remains, as a part of the age, of what has lasted
// longer than all before it.
const beyond = 0.1
