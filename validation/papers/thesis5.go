package papers

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/sched"
)

// The thesis's chapter 5: makespans measured on a real cluster (table 5.1) and
// how often two reduces met on one node (tables 5.2 and 5.3). Nothing is
// calibrated on them; the cost of the benchmarks is that of OMO's.

// thesis5Row is one experiment of table 5.1.
type thesis5Row struct {
	name, set  string
	capacities []float64
	differ     func(c *sched.MR1Config) // sets what differs from table 2.1's defaults
}

func thesis5Rows() []thesis5Row {
	each := func(f func(q *sched.MR1Queue)) func(*sched.MR1Config) {
		return func(c *sched.MR1Config) {
			for i := range c.Queues {
				f(&c.Queues[i])
			}
		}
	}
	none := func(*sched.MR1Config) {}
	limit := each(func(q *sched.MR1Queue) { q.MaximumCapacity = q.Capacity })
	user25 := each(func(q *sched.MR1Queue) { q.MinimumUserLimitPercent = 25 })
	factor2 := each(func(q *sched.MR1Queue) { q.UserLimitFactor = 2 })
	half, ninety, third, one := []float64{50, 50}, []float64{90, 10}, []float64{33, 33, 33}, []float64{100}
	tasks := func(queue int) func(*sched.MR1Config) {
		return each(func(q *sched.MR1Queue) { q.MaxInitializedTasks, q.MaxInitializedTasksPerUser = queue, 80 })
	}
	jobs := func(n int) func(*sched.MR1Config) { return func(c *sched.MR1Config) { c.MaximumSystemJobs = n } }
	return []thesis5Row{
		{"2 queues 50-50", "thesis-sensitivity-2", half, none},
		{"2 queues 90-10", "thesis-sensitivity-2", ninety, none},
		{"3 queues 33", "thesis-sensitivity-3", third, none},
		{"maximum-capacity 50-50", "thesis-sensitivity-2", half, limit},
		{"maximum-capacity 90-10", "thesis-sensitivity-2", ninety, limit},
		{"minimum-user-limit-percent 100", "thesis-user-limit", one, none},
		{"minimum-user-limit-percent 25", "thesis-user-limit", one, user25},
		{"minimum-user-limit-percent 25 with 5 reduces", "thesis-user-limit-reduces", one, user25},
		{"user-limit-factor 2 50-50 1 reduce", "thesis-sensitivity-2", half, factor2},
		{"user-limit-factor 1 90-10 2 reduces", "thesis-sensitivity-2-reduces", ninety, none},
		{"user-limit-factor 2 90-10 2 reduces", "thesis-sensitivity-2-reduces", ninety, factor2},
		{"priority", "thesis-sensitivity-2", half, each(func(q *sched.MR1Queue) { q.SupportsPriority = true })},
		{"maximum-system-jobs 2", "thesis-sensitivity-2", half, jobs(2)},
		{"maximum-system-jobs 4", "thesis-sensitivity-2", half, jobs(4)},
		{"maximum-initialized-active-tasks 100", "thesis-sensitivity-2", half, tasks(100)},
		{"maximum-initialized-active-tasks 160", "thesis-sensitivity-2", half, tasks(160)},
	}
}

func queueNames(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("queue%d", i+1))
	}
	return names
}

// thesisTable51 reproduces table 5.1.
func thesisTable51(r *runner) ([]Section, error) {
	s := Section{Paper: "thesis", ID: "table 5.1", Setup: "data sets thesis-sensitivity-* and thesis-user-limit*, capacity-mr1; 5 replications (the thesis: 3)"}
	pub, err := published(&s, "thesis", "5.1")
	if err != nil {
		return nil, err
	}
	rows := thesis5Rows()
	m, err := r.thesisMakespans(rows)
	if err != nil {
		return nil, err
	}
	var ours, theirs, nulls []float64
	spans, pub51 := map[string][]float64{}, map[string]float64{}
	for i, row := range rows {
		for q := range row.capacities {
			text, err := pub.Cell(row.name, fmt.Sprintf("queue %d", q+1))
			if err != nil {
				return nil, err
			}
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, err
			}
			e := estimate(column(m[i], q))
			s.show(fmt.Sprintf("%s, queue %d", row.name, q+1), "s", v, e)
			ours, theirs, nulls = append(ours, e.Mean), append(theirs, v), append(nulls, float64(len(row.capacities)))
			key := fmt.Sprintf("%s %d", row.name, q+1)
			spans[key], pub51[key] = column(m[i], q), v
		}
	}
	s.rank("rank correlation over the table", ours, theirs, nulls, "number of queues")
	s.show("mean relative error (a job's cost is not given)", "%", nan(), exact(100*meanRelativeError(ours, theirs)))
	thesisReductions(&s, pub51, spans)
	err = r.sharedReduces(&s)
	return []Section{s}, err
}

// thesisMakespans runs the experiments of table 5.1: makespans of up to three queues,
// in seconds.
func (r *runner) thesisMakespans(rows []thesis5Row) ([][][]float64, error) {
	var trials []trial
	for _, row := range rows {
		ds, err := r.load(row.set)
		if err != nil {
			return nil, err
		}
		c := sched.NewMR1Config(queueNames(len(row.capacities)), row.capacities)
		row.differ(c)
		trials = append(trials, trial{set: ds, scheduler: "capacity-mr1", queues: c})
	}
	return r.measure("thesis, table 5.1", 5, trials, func(o *outcome) []float64 {
		var out []float64
		for q := range 3 {
			out = append(out, value(o, fmt.Sprintf("queue.queue%d.makespan", q+1)))
		}
		return out
	})
}

// thesisReductions judges what a setting brings by the table's makespans, published and
// ours by replication; keys are experiment and queue.
func thesisReductions(s *Section, published map[string]float64, ours map[string][]float64) {
	less := func(what, a, b string) {
		s.gain(what, 100*(1-published[a]/published[b]), estimate(reduction(ours[a], ours[b])))
	}
	less("two queues below three", "2 queues 50-50 1", "3 queues 33 1")
	less("90-10: large queue below small one", "2 queues 90-10 1", "2 queues 90-10 2")
	less("90-10, small queue: no limit below maximum-capacity", "2 queues 90-10 2", "maximum-capacity 90-10 2")
	less("user limit 100 % below 25 %", "minimum-user-limit-percent 100 1", "minimum-user-limit-percent 25 1")
	less("user limit 25 %: five reduces below one", "minimum-user-limit-percent 25 with 5 reduces 1", "minimum-user-limit-percent 25 1")
	less("90-10, small queue, two reduces: user-limit-factor 2 below 1", "user-limit-factor 2 90-10 2 reduces 2", "user-limit-factor 1 90-10 2 reduces 2")
	less("initialised tasks 160 below 100", "maximum-initialized-active-tasks 160 1", "maximum-initialized-active-tasks 100 1")
	less("no limit below maximum-system-jobs 2", "2 queues 50-50 1", "maximum-system-jobs 2 1")
}

// sharedReduces adds figure 5.3(b): a reduce alone on its node takes 14 minutes,
// two together 28.
func (r *runner) sharedReduces(s *Section) error {
	c, err := loadClaims("thesis")
	if err != nil {
		return err
	}
	tol, err := loadTolerances()
	if err != nil {
		return err
	}
	ds, err := r.load("thesis-user-limit")
	if err != nil {
		return err
	}
	conf := sched.NewMR1Config(queueNames(1), []float64{100})
	conf.Queues[0].MinimumUserLimitPercent = 25
	m, err := r.measure("thesis, figure 5.3", 20, []trial{{set: ds, scheduler: "capacity-mr1", queues: conf, record: true}}, reduceTimes)
	if err != nil {
		return err
	}
	alone, paired := estimate(finite(column(m[0], 0))), estimate(finite(column(m[0], 1)))
	one, two := c.value("reduce-isolated"), c.value("reduce-paired")
	s.near("reduce time of a job alone on its node", "min", one, alone, tol.time, "")
	s.near("reduce time of two jobs on one node", "min", two, paired, tol.time, "")
	both := make([]float64, 0, len(m[0]))
	for _, rep := range m[0] {
		both = append(both, 100*(1-rep[0]/rep[1]))
	}
	s.gain("reduce alone below reduces together", 100*(1-one/two), estimate(finite(both)))
	return nil
}

// reduceTimes are the mean times, in minutes, of reduces that shared their node
// with none and with another job's reduce; NaN without such.
func reduceTimes(o *outcome) []float64 {
	var sum, n [2]float64
	own := isolated(o)
	for _, t := range o.recording.tasks {
		if t.kind == simcore.Reduce {
			k := 1 - int(own[t.job])
			sum[k], n[k] = sum[k]+minutes(t.end-t.start), n[k]+1
		}
	}
	return []float64{sum[0] / n[0], sum[1] / n[1]}
}

// thesisPairs reproduces tables 5.2 to 5.4: isolated and paired reduces.
func thesisPairs(r *runner) ([]Section, error) {
	ds, err := r.load("thesis-validation-2")
	if err != nil {
		return nil, err
	}
	var trials []trial
	for _, set := range []func(*sched.MR1Config){
		func(*sched.MR1Config) {},
		func(c *sched.MR1Config) { c.Queues[0].MaximumCapacity, c.Queues[1].MaximumCapacity = 50, 50 },
		func(c *sched.MR1Config) {
			c.Queues[0].MinimumUserLimitPercent, c.Queues[1].MinimumUserLimitPercent = 50, 50
		},
		func(c *sched.MR1Config) { c.MaximumSystemJobs = 2 },
	} {
		c := sched.NewMR1Config(queueNames(2), []float64{50, 50})
		set(c)
		trials = append(trials, trial{set: ds, scheduler: "capacity-mr1", queues: c, record: true})
	}
	m, err := r.measure("thesis, tables 5.2 and 5.3", 10, trials, func(o *outcome) []float64 { return isolated(o) })
	if err != nil {
		return nil, err
	}
	var out []Section
	for _, id := range []string{"5.2", "5.3"} {
		s, err := thesisIsolated(id, ds, m)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	s, err := thesisStragglers()
	return append(out, s), err
}

// thesisIsolated is table 5.2 or 5.3 from the isolated reduces by setting, replication
// and job.
func thesisIsolated(id string, ds *datasets.Set, m [][][]float64) (Section, error) {
	s := Section{Paper: "thesis", ID: "table " + id, Setup: "data set thesis-validation-2, capacity-mr1; 10 replications"}
	pub, err := published(&s, "thesis", id)
	if err != nil {
		return s, err
	}
	ours, theirs := make([]float64, len(pub.Rows)), make([]float64, len(pub.Rows))
	cells := float64(len(pub.Columns) - 1)
	for i, row := range pub.Rows {
		for c := 1; c < len(row); c++ {
			v, err := strconv.ParseFloat(row[c], 64)
			if err != nil {
				return s, err
			}
			n := 0.0
			for _, rep := range m[i] {
				n += rep[jobOf(ds, pub.Columns[c])]
			}
			n *= 10 / float64(len(m[i]))
			reach := isolatedReach(v)
			s.within(row[0]+", "+pub.Columns[c], "isolated of 10", v, exact(n), reach, fmt.Sprintf("within %.2g", reach), "isolated")
			ours[i], theirs[i] = ours[i]+n/cells, theirs[i]+v/cells
		}
	}
	// Eight jobs of ten runs are one count out of eighty.
	for i, row := range pub.Rows {
		reach := isolatedReach(theirs[i]) / math.Sqrt(cells)
		s.within(row[0]+", mean of the jobs", "isolated of 10", theirs[i], exact(ours[i]), reach, fmt.Sprintf("within %.2g", reach), "mean")
	}
	last := len(pub.Rows) - 1
	s.claim("one job at a time per queue: more isolated than otherwise", "of 10", theirs[last]-(theirs[0]+theirs[1]+theirs[2])/3,
		exact(ours[last]-(ours[0]+ours[1]+ours[2])/3), noDifference, "above 0", func(e Estimate) bool { return e.Mean > 0 })
	return s, nil
}

// thesisStragglers is table 5.4, which the simulator does not give.
func thesisStragglers() (Section, error) {
	s := Section{Paper: "thesis", ID: "table 5.4", Setup: "not simulated"}
	pub, err := published(&s, "thesis", "5.4")
	if err != nil {
		return s, err
	}
	for _, row := range pub.Rows {
		for c := 1; c < len(row); c++ {
			v, err := strconv.ParseFloat(row[c], 64)
			if err != nil {
				return s, err
			}
			s.absent(row[0]+", "+pub.Columns[c], "stragglers", v, countReach(v), "stragglers", "stragglers are an input of the simulation (StragglerShare), not an outcome; the thesis's simulator has none either")
		}
	}
	return s, nil
}

// jobOf finds the job of a column such as "TSort 3" or "Sort 1": the number is
// the user's.
func jobOf(ds *datasets.Set, column string) int {
	var kind string
	var user int
	if _, err := fmt.Sscanf(column, "%s %d", &kind, &user); err != nil {
		return 0
	}
	want := map[string]string{"TSort": "Terasort", "Sort": "Sort"}[kind]
	for i, j := range ds.Workload.Jobs {
		if j.Name == want && ds.Workload.Users[j.User] == fmt.Sprintf("user%d", user) {
			return i
		}
	}
	return 0
}

// isolated is 1 for each job no reduce of which shared its node with another
// job's reduce.
func isolated(o *outcome) []float64 {
	out := make([]float64, len(o.Jobs))
	for i := range out {
		out[i] = 1
	}
	runs := o.recording.tasks
	for i := range runs {
		for k := range runs[:i] {
			a, b := &runs[i], &runs[k]
			if a.kind == simcore.Reduce && b.kind == simcore.Reduce && a.node == b.node && a.job != b.job && a.start < b.end && b.start < a.end {
				out[a.job], out[b.job] = 0, 0
			}
		}
	}
	return out
}
