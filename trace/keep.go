package trace

import (
	"cmp"
	"iter"
	"regexp"
	"strconv"

	"schedtune/trace/sparklog"
)

// hadoopID is the id of one job for all time: it has the instant at which the
// ResourceManager came up.
var hadoopID = regexp.MustCompile(`^(?:job|application)_\d+_\d+$`)

// key is the same for all sources of a job: a MapReduce job job_X_Y is the
// ResourceManager's application_X_Y. Empty where the id may be another job's too.
func (j *Job) key() string {
	if hadoopID.MatchString(j.ID) {
		return jobOf(j.ID)
	}
	if j.Spark != nil {
		return j.ID
	}
	return ""
}

// madeIDs are formats whose ids a simulator or the reader gives: equal ones need not
// be one job.
var madeIDs = map[string]bool{"sls": true, "synth": true, "swim": true, "swf": true}

// jobsOf iterates over the jobs of several traces.
func jobsOf(ts []*Trace) iter.Seq2[*Trace, *Job] {
	return func(yield func(*Trace, *Job) bool) {
		for _, t := range ts {
			for i := range t.Jobs {
				if !yield(t, &t.Jobs[i]) {
					return
				}
			}
		}
	}
}

// dropJobs takes jobs out of the traces.
func dropJobs(gone map[*Job]bool, ts []*Trace) {
	for _, t := range ts {
		kept := t.Jobs[:0]
		for i := range t.Jobs {
			if !gone[&t.Jobs[i]] {
				kept = append(kept, t.Jobs[i])
			}
		}
		t.Jobs = kept
	}
}

// oneAttempt keeps of the attempts of a Spark application, from whichever trace, the
// last that ran tasks: a simulation makes one attempt of each application, and the
// earlier ones failed.
func oneAttempt(n *notes, ts ...*Trace) {
	best := map[string]*Job{}
	for _, j := range jobsOf(ts) {
		if b := best[j.ID]; j.Spark != nil && (b == nil || laterAttempt(j.Spark, b.Spark)) {
			best[j.ID] = j
		}
	}
	gone := map[*Job]bool{}
	for _, j := range jobsOf(ts) {
		b := best[j.ID]
		if j.Spark == nil || b == j {
			continue
		}
		if gone[j] = true; b.Spark.Attempt == j.Spark.Attempt {
			n.add(Dropped, againNote)
		} else {
			n.addFirst(1, Dropped, j.ID+" attempt "+j.Spark.Attempt, "attempts of Spark applications before the last")
		}
	}
	dropJobs(gone, ts)
}

// laterAttempt reports whether a stands for the application rather than b.
func laterAttempt(a, b *sparklog.App) bool {
	if x, y := a.TaskCount() > 0, b.TaskCount() > 0; x != y {
		return x
	}
	x, _ := strconv.Atoi(a.Attempt)
	y, _ := strconv.Atoi(b.Attempt)
	// of the same attempt twice the longer log
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.TaskCount(), b.TaskCount())) > 0
}

const againNote = "applications that are also in another file"

// keepOne keeps of each application one job, from whichever trace: of those that several
// sources tell of the most detailed, which takes from the others what it lacks.
func keepOne(n *notes, ts ...*Trace) {
	oneAttempt(n, ts...)
	best, keys := map[string]*Job{}, map[*Job]string{}
	for t, j := range jobsOf(ts) {
		if key := j.key(); key != "" && !madeIDs[t.Format] {
			keys[j] = key
			if b := best[key]; b == nil || j.tellsMore(b) {
				best[key] = j
			}
		}
	}
	gone := map[*Job]bool{}
	dropped, derived, again, shifted, sessions := 0, 0, 0, 0, 0
	for _, j := range jobsOf(ts) {
		b := best[keys[j]]
		if b == nil || b == j {
			continue
		}
		gone[j] = true
		if b.Spark != nil && b.intoLife(j) {
			shifted++
		}
		switch {
		case b.complete(j):
		case b.ID == j.ID && b.rank() == j.rank():
			again++
		default:
			dropped++
		}
		if j.rank() == 0 && j.MapTime.Known() {
			derived++
		} else if j.Type == "TEZ" && j.Tez == nil && len(j.Tasks) > 0 {
			sessions++
		}
	}
	n.less(derived, Assumed, derivedNote)
	n.less(sessions, Assumed, tezSessionNote)
	dropJobs(gone, ts)
	n.addCount(dropped, Dropped, "applications that another source tells more of")
	n.addCount(again, Dropped, againNote)
	n.addCount(shifted, Assumed, "event logs outside of the application's life in the ResourceManager's list, by a clock "+
		"that is off: their times are shifted into it")
}

// tellsMore reports whether a job stands for its application rather than another of
// the same key. Of two of equal detail it is the one that ended, and of these the one
// with more attempts of tasks: histories of running jobs and of earlier masters are
// parts of the last. Else the first stays.
func (j *Job) tellsMore(b *Job) bool {
	if x, y := j.rank(), b.rank(); x != y {
		return x > y
	}
	if x, y := j.Result != Unfinished, b.Result != Unfinished; x != y {
		return x
	}
	return j.attempts() > b.attempts()
}

func (j *Job) attempts() (n int) {
	for i := range j.Tasks {
		n += len(j.Tasks[i].Attempts)
	}
	return n
}

// rank is detail, with the ResourceManager's list, of which no more than averages follow,
// behind any history.
func (j *Job) rank() int {
	if d := j.detail(); d > 1 || jobOf(j.ID) == j.ID {
		return 1 + d
	}
	return 0
}

// complete takes from another source of the same application what this one does not
// tell. For an event log or a history of Tez that is when it was submitted, to which queue, and its charges.
// Of a MapReduce job the ResourceManager tells priority and label as it decided them, when
// its master was launched, and its charges; complete reports whether other is that.
func (j *Job) complete(other *Job) bool {
	own := j.Spark != nil || j.Tez != nil // it has its program in its own history
	j.Workflow = cmp.Or(j.Workflow, other.Workflow)
	byRM := !own && jobOf(j.ID) == j.ID && jobOf(other.ID) != other.ID && other.Spark == nil
	if other.Queue != "" && !other.Asked && (byRM || own) {
		j.Queue, j.Asked = other.Queue, false // which is given
	}
	switch {
	case byRM:
		j.Labels = cmp.Or(j.Labels, other.Labels)
		if other.PrioritySet {
			j.Priority, j.PrioritySet = other.Priority, true
		}
		j.MasterLaunch = j.MasterLaunch.Or(other.MasterLaunch)
	case !own:
		return false // other is another history's word
	default:
		j.MasterLaunch, j.Submit = other.MasterLaunch.Or(j.MasterLaunch), other.Submit.Or(j.Submit)
		j.User = cmp.Or(j.User, other.User)
		j.Finish = max(j.Finish, other.Finish)
	}
	j.MemorySeconds, j.VCoreSeconds = max(j.MemorySeconds, other.MemorySeconds), max(j.VCoreSeconds, other.VCoreSeconds)
	return byRM
}

// intoLife shifts the times of an event log that lies outside of the application's life as
// the ResourceManager tells it, so that it ends with that, and reports whether it did. A
// driver in client mode begins before the submission.
func (j *Job) intoLife(other *Job) bool {
	const slack = 1000 // ms
	from, to := j.Spark.From(), j.Spark.To()
	if other.Spark != nil || !other.Submit.Known() || !other.Finish.Known() || !from.Known() || !j.Spark.End.Known() ||
		to <= other.Finish+slack && (from >= other.Submit-slack || to > other.Submit && !inCluster(j.Spark)) {
		return false
	}
	assumed := j.SubmitAssumed()
	j.shift(other.Finish - to)
	if assumed {
		j.Submit = j.Spark.From()
	}
	return true
}

// detail ranks how much is known of a job: stages or maps and reduces (3),
// containers (2), or figures alone.
func (j *Job) detail() int {
	if j.Spark != nil || j.Tez != nil {
		return 3
	}
	d := 0
	if j.MapTime.Known() {
		d = 1
	}
	for i := range j.Tasks {
		switch j.Tasks[i].Kind {
		case Map, Reduce:
			return 3
		case Container, AM:
			d = 2
		}
	}
	return d
}
