package trace

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"schedtune/trace/internal/history"
)

// checkSpan rejects a span that ends before it starts.
func checkSpan(job, what string, start, end Millis) error {
	if start.Known() && end.Known() && end < start {
		return jobErr(job, "%s ends at %d ms, %d ms before its start; times must not run backwards", what, end, start-end)
	}
	return nil
}

// checkAttempt rejects a successful attempt with a negative duration. Real
// histories hold such figures for attempts that failed or were killed; their
// start is forgotten, with a note, and so are phase ends outside the attempt.
func checkAttempt(job, id string, a *Attempt, n *notes) error {
	if a.Finish == 0 || a.Start == 0 && a.Finish > 1e11 {
		// Hadoop writes 0 where it has no time.
		a.Start, a.Finish = zeroUnknown(a.Start), zeroUnknown(a.Finish)
	}
	if err := checkSpan(job, "attempt "+id, a.Start, a.Finish); err != nil {
		if a.Result != Failed && a.Result != Killed {
			return err
		}
		n.add(Dropped, "starts of failed or killed attempts that lie after their end")
		a.Start = Unknown
	}
	for _, p := range []*Millis{&a.ShuffleEnd, &a.SortEnd} {
		*p = zeroUnknown(*p)
		if p.Known() && (a.Start.Known() && *p < a.Start || a.Finish.Known() && *p > a.Finish) {
			n.add(Dropped, "phase ends of reduces that lie outside their attempt")
			*p = Unknown
		}
	}
	return nil
}

func zeroUnknown(m Millis) Millis {
	if m == 0 {
		return Unknown
	}
	return m
}

// sumBytes fills the job's totals from its tasks where those are recorded.
func sumBytes(j *Job) {
	var in, shuffle, out int64 = Unknown, Unknown, Unknown
	add := func(to *int64, v int64) {
		if v >= 0 {
			*to = max(*to, 0) + v
		}
	}
	for i := range j.Tasks {
		switch t := &j.Tasks[i]; t.Kind {
		case Map:
			add(&in, t.InputBytes)
			if j.Reduces == 0 {
				add(&out, t.OutputBytes)
			}
		case Reduce:
			add(&shuffle, t.InputBytes)
			add(&out, t.OutputBytes)
		}
	}
	for to, v := range map[*int64]int64{&j.InputBytes: in, &j.ShuffleBytes: shuffle, &j.OutputBytes: out} {
		if *to < 0 {
			*to = v
		}
	}
}

// finish orders jobs and tasks, notes what they lack, and hands them on to Options.Each.
func (t *Trace) finish(n *notes, o Options) error {
	oneAttempt(n, t)
	for j := range history.Pointers(t.Jobs) {
		j.tezSize(o.TezContainer, n)
		if j.Type == "TEZ" {
			j.Name = "" // that of a DAG, which may quote a query
		}
	}
	t.forgetNegative(n)
	t.noteRepeated(n)
	t.toTheEnd(n)
	slices.SortStableFunc(t.Jobs, func(x, y Job) int { return cmp.Compare(x.Submit, y.Submit) })
	t.chain(n)
	for j := range history.Pointers(t.Jobs) {
		if err := j.sane(); err != nil {
			return err
		}
		j.Tasks = slices.Clone(j.Tasks) // no more memory than they need
		slices.SortStableFunc(j.Tasks, func(x, y Task) int {
			return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Index, y.Index))
		})
		if !n.complete && !j.Standing() {
			n.noteMissing(j)
		}
	}
	t.Notes = n.list
	if o.Each == nil || len(t.Jobs) == 0 {
		return nil
	}
	err := o.Each(t)
	t.Jobs, n.passed = t.Jobs[:0], true
	return err
}

// noJobs is ErrEmpty, with what the source holds instead.
func (t *Trace) noJobs() error {
	if t.Format == "" && len(t.Nodes) > 0 { // nothing but inventories
		return fmt.Errorf("%w: this is %s", ErrEmpty, isNodes)
	}
	return fmt.Errorf("%w: must hold jobs in a format of %s", ErrEmpty, strings.Join(OpenFormats(), ", "))
}

// eachTime calls f with every time of the job, its tasks and their attempts.
func (j *Job) eachTime(f func(*Millis)) {
	f(&j.MapTime)
	f(&j.ReduceTime)
	f(&j.ShuffleTime)
	j.eachInstant(f)
}

// eachInstant is eachTime without what tasks take.
func (j *Job) eachInstant(f func(*Millis)) {
	for _, m := range []*Millis{&j.Submit, &j.Launch, &j.Finish, &j.MasterLaunch} {
		f(m)
	}
	for t := range history.Pointers(j.Tasks) {
		f(&t.Start)
		f(&t.Finish)
		for a := range history.Pointers(t.Attempts) {
			for _, m := range []*Millis{&a.Start, &a.Up, &a.ShuffleEnd, &a.SortEnd, &a.Finish, &a.Allocated, &a.Released} {
				f(m)
			}
		}
	}
}

// forgetNegative makes times below -1, which no source means, unknown.
func (t *Trace) forgetNegative(n *notes) {
	for j := range history.Pointers(t.Jobs) {
		j.eachTime(func(m *Millis) {
			if *m < Unknown {
				*m = Unknown
				n.addFirst(1, Dropped, "job "+j.ID, "times below 0 other than -1, taken as unknown")
			}
		})
	}
}

// noteRepeated reports jobs whose ID an earlier one has.
func (t *Trace) noteRepeated(n *notes) {
	if n.seen == nil {
		n.seen = make(map[uint64]bool, len(t.Jobs))
	}
	for i := range t.Jobs {
		sum := hashOf(t.Jobs[i].ID)
		if n.seen[sum] {
			n.again = cmp.Or(n.again, t.Jobs[i].ID)
			n.repeated++
		}
		n.seen[sum] = true
	}
	n.set(n.repeated, Assumed, "jobs with the id of an earlier one, kept as jobs of their own; the first is %s", n.again)
}

func hashOf(id string) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(id))
	return hash.Sum64()
}

// Bounds beyond which a figure is a mistake: they keep times in microseconds
// and counts of a whole workload well inside what the kernel can hold.
const (
	maxMillis = 1 << 50 // 35,000 years
	maxTasks  = 1 << 30 // of one job
	maxBytes  = 1 << 60
	maxSize   = 1 << 40 // MiB or vcores of one container
)

// sane rejects figures that cannot be meant.
func (j *Job) sane() error {
	for t := range history.Pointers(j.Tasks) {
		for k := range t.Attempts {
			if err := t.Attempts[k].Size.sane(j.ID); err != nil {
				return err
			}
		}
		if t.InputBytes > maxBytes || t.OutputBytes > maxBytes {
			return jobErr(j.ID, "a task of %d and %d bytes: must be at most %d", t.InputBytes, t.OutputBytes, int64(maxBytes))
		}
	}
	if err := j.checkProgram(); err != nil {
		return jobErr(j.ID, "%w", err)
	}
	late := Millis(0)
	j.eachTime(func(m *Millis) { late = max(late, *m) })
	if late > maxMillis {
		return jobErr(j.ID, "a time of %d ms: must be at most %d", late, int64(maxMillis))
	}
	if j.Maps > maxTasks || j.Reduces > maxTasks || len(j.Tasks) > maxTasks {
		return jobErr(j.ID, "%d maps and %d reduces: must be at most %d", j.Maps, j.Reduces, maxTasks)
	}
	for _, s := range []Size{j.MapSize, j.ReduceSize, j.AMSize} {
		if err := s.sane(j.ID); err != nil {
			return err
		}
	}
	return nil
}

// checkProgram rejects a program of Spark or Tez whose parts do not fit together.
func (j *Job) checkProgram() error {
	if j.Spark != nil {
		return j.Spark.Check()
	}
	if j.Tez != nil {
		return j.Tez.Check()
	}
	return nil
}

func (s Size) sane(job string) error {
	if s.MiB < 0 || s.VCores < 0 || s.MiB > maxSize || s.VCores > maxSize {
		return jobErr(job, "a container of %d MiB and %d vcores: must be between 0 and %d", s.MiB, s.VCores, int64(maxSize))
	}
	return nil
}

// noteMissing lists what the record of a job lacks.
func (n *notes) noteMissing(j *Job) {
	spark, tez := j.Spark != nil, j.Tez != nil
	single := !spark && !tez
	for _, c := range []struct {
		missing bool
		kind    NoteKind
		what    string
	}{
		{j.Queue == "", Missing, "queue of the job"},
		{j.User == "", Missing, "user of the job"},
		{!j.Submit.Known(), Missing, "submission time of the job"},
		{j.SubmitAssumed(), Assumed, "Spark applications count as submitted when their SparkContext begins; an event log " +
			"does not tell how long the driver waited before"},
		{spark && j.Spark.TaskCount() == 0, Missing, "tasks of Spark applications"},
		{tez && j.Tez.TaskCount() == 0 && !j.Tez.LLAP(), Missing, "tasks of Tez applications"},
		{tez && j.MapSize.MiB == 0, Missing, "container size of the Tez application"},
		{!spark && !j.Finish.Known(), Missing, "finish time of the job"},
		{single && len(j.Tasks) == 0, Missing, "single tasks of the job"},
		{single && j.MapSize.MiB == 0 && j.Maps != 0, Missing, "container size of maps"},
		{single && j.ReduceSize.MiB == 0 && j.Reduces > 0, Missing, "container size of reduces"},
		{!spark && j.AMSize.MiB == 0, Missing, "container size of the application master"},
		{single && j.Slowstart < 0 && j.Reduces > 0, Missing, "slowstart of the job"},
	} {
		if c.missing {
			n.add(c.kind, "%s", c.what)
		}
	}
}
