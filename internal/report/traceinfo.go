package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"schedtune/internal/text"
	"schedtune/trace"
)

// PrintTrace writes the summary of a trace.
func PrintTrace(w io.Writer, in *trace.Info) error {
	tw := text.New(w)
	line := func(format string, args ...any) { fmt.Fprintf(tw, format+"\n", args...) }
	line("trace\t%s (%s)", in.Name, in.Format)
	line("jobs\t%d (%s)", in.Jobs, counts(in.Results))
	line("tasks\t%s", taskLine(&in.Tasks))
	line("duration\t%s from the first submission to the last record", text.PlainDuration(float64(in.SpanMS)/1000))
	if in.Nodes > 0 {
		line("nodes\t%d", in.Nodes)
	}
	if in.Spark != nil {
		sparkLines(line, in.Spark)
	}
	if in.Tez != nil {
		tezLines(line, in.Tez)
	}
	traceGroups(tw, "queue", in.Queues)
	traceGroups(tw, "user", in.Users)
	if err := tw.Flush(); err != nil {
		return err
	}
	printLoad(w, in)
	if in.Spark != nil {
		printSpark(w, in.Spark)
	}
	if in.Tez != nil {
		printTez(w, in.Tez)
	}
	if len(in.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range in.Notes {
		fmt.Fprintf(w, "%s\n", n)
	}
	if len(in.Use) > 0 {
		fmt.Fprintln(w, "\nin a simulation:")
	}
	for _, n := range in.Use {
		fmt.Fprintf(w, "%s\n", n)
	}
	if in.Problem != "" {
		fmt.Fprintf(w, "\ncannot be simulated: %s\n", in.Problem)
	}
	return nil
}

func counts(list []trace.Count) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("%d %s", c.Jobs, c.Name))
	}
	return strings.Join(parts, ", ")
}

func taskLine(c *trace.TaskCounts) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{c.Maps, "maps"}, {c.Reduces, "reduces"}, {c.Spark, "tasks of Spark stages"},
		{c.Tez, "tasks of Tez vertices"},
		{c.Containers, "containers of unknown purpose"}, {c.Masters, "application masters"},
		{c.Derived, "derived, not recorded individually"}, {c.Other, "others"}, {c.Attempts, "attempts"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(parts, ", ")
}

// mostGroups is the largest number of queues or users in a table.
const mostGroups = 12

func traceGroups(w io.Writer, what string, list []trace.GroupInfo) {
	fmt.Fprintf(w, "\n%s\tjobs\ttasks\ttask time\tshare\n", what)
	for i, g := range list {
		if i == mostGroups {
			fmt.Fprintf(w, "… %d more\n", len(list)-i)
			break
		}
		name := g.Name
		if name == "" {
			name = "(none)"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.1f %%\n", name, g.Jobs, g.Tasks, text.PlainDuration(g.TaskSeconds), g.Share*100)
	}
}

// printLoad draws arrivals and running tasks as bars of text.
func printLoad(w io.Writer, in *trace.Info) {
	if len(in.Load) == 0 || in.SpanMS == 0 {
		return
	}
	what, of := "running tasks, mean", func(p *trace.LoadPoint) float64 { return p.Running }
	if in.PeakDemand == 0 {
		what, of = "task-seconds submitted", func(p *trace.LoadPoint) float64 { return p.Work }
	}
	rows, values := make([]string, len(in.Load)), make([]float64, len(in.Load))
	for i := range in.Load {
		p := &in.Load[i]
		rows[i], values[i] = fmt.Sprintf("%s\t%d", text.PlainDuration(float64(p.FromMS)/1000), p.Jobs), of(p)
	}
	fmt.Fprintf(w, "\nload over time, every %s\n", text.PlainDuration(float64(in.BucketMS)/1000))
	printBars(w, "from\tjobs\t"+what, rows, values)
}

// printBars writes a table whose rows end in a bar of their value, at most 50 characters long.
func printBars(w io.Writer, head string, rows []string, values []float64) {
	tw := text.New(w)
	fmt.Fprintln(tw, head)
	top := slices.Max(values)
	for i, v := range values {
		bar := 0
		if top > 0 {
			bar = int(v/top*50 + 0.5)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", rows[i], strings.Repeat("#", bar), text.Plain(v))
	}
	tw.Flush()
}

// sparkLines writes the totals of the Spark applications of a trace.
func sparkLines(line func(string, ...any), s *trace.SparkInfo) {
	versions := make([]string, len(s.Versions))
	for i, v := range s.Versions {
		versions[i] = fmt.Sprintf("%d of version %s", v.Jobs, cmp.Or(v.Name, "unknown"))
	}
	managers := make([]string, len(s.Managers))
	for i, m := range s.Managers {
		managers[i] = fmt.Sprintf("%d on %s", m.Jobs, cmp.Or(m.Name, "an unknown manager"))
	}
	line("spark\t%s (%s; %s; %d with dynamic allocation)", text.Count(s.Applications, "application"),
		strings.Join(versions, ", "), strings.Join(managers, ", "), s.Dynamic)
	line("\t%d jobs, %d stages (%d more skipped), %d task attempts (%d failed), %d cached data sets, %s between jobs",
		s.Jobs, s.Stages, s.Skipped, s.Tasks, s.FailedTasks, s.Caches, text.PlainDuration(s.Idle))
	line("executors\t%d (%s), %s of executor time, %.0f %% of it busy", s.Executors, counts(s.Ends),
		text.PlainDuration(s.ExecutorSeconds), s.Busy*100)
}

// printSpark lists executors over time, the applications, and the stages of a
// single one.
func printSpark(w io.Writer, s *trace.SparkInfo) {
	rows, values := make([]string, len(s.Load)), make([]float64, len(s.Load))
	for i, p := range s.Load {
		rows[i], values[i] = text.PlainDuration(float64(p.FromMS)/1000), p.Executors
	}
	if len(values) > 0 && slices.Max(values) > 0 {
		fmt.Fprintln(w, "\nexecutors over time")
		printBars(w, "from\tmean of registered executors", rows, values)
	}
	tw := text.New(w)
	fmt.Fprintf(tw, "\nSpark application\tqueue\tjobs\tstages\ttasks\texecutors\tat most\texecutor time\tbusy\tspan\n")
	for i, a := range s.Apps {
		if i == mostGroups {
			fmt.Fprintf(tw, "… %d more\n", len(s.Apps)-i)
			break
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%.0f %%\t%s\n", text.Begin(cmp.Or(a.Name, a.ID), 32),
			cmp.Or(a.Queue, "(none)"), a.Jobs, a.Stages, a.Tasks,
			a.Executors, a.MostExecutors, text.PlainDuration(a.ExecutorSeconds), a.Busy*100, spanText(a.SpanMS))
	}
	if len(s.Apps) == 1 && len(s.Apps[0].StageList) > 0 {
		printStages(tw, s.Apps[0].StageList)
	}
	tw.Flush()
}

// mostStageRows is the largest number of stages in the table; --json has all.
const mostStageRows = 30

func printStages(tw io.Writer, stages []trace.SparkStageInfo) {
	fmt.Fprintf(tw, "\nstage\tjob\tafter\ttasks\tfrom\ttakes\tmedian task\tlongest\tname\n")
	for i, st := range stages {
		if i == mostStageRows {
			fmt.Fprintf(tw, "… %d more\n", len(stages)-i)
			break
		}
		id := fmt.Sprint(st.ID)
		if st.Attempt > 0 {
			id += fmt.Sprintf(".%d", st.Attempt)
		}
		fmt.Fprintf(tw, "%s\t%d\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", id, st.Job, strings.Trim(fmt.Sprint(st.Parents), "[]"),
			st.Tasks,
			spanText(st.FromMS), spanText(st.SpanMS), spanText(st.MedianMS), spanText(st.LongestMS), text.Begin(st.Name, 32))
	}
}

// tezLines writes the totals of the Tez applications of a trace.
func tezLines(line func(string, ...any), s *trace.TezInfo) {
	named := func(list []trace.Count, unknown string) string {
		for i := range list {
			list[i].Name = cmp.Or(list[i].Name, unknown)
		}
		return counts(list)
	}
	line("tez\t%s (%s; %s; %d sessions)", text.Count(s.Applications, "application"), named(slices.Clone(s.Callers),
		"of an unknown caller"), named(slices.Clone(s.Schedulers), "with an unknown scheduler"), s.Sessions)
	line("\t%d DAGs (%d to prewarm, %d with their arrival in Hive), %d vertices, %d task attempts (%d failed, %d killed, "+
		"%d preempted), %s without a DAG", s.DAGs, s.Prewarm, s.Arrivals, s.Vertices, s.Attempts, s.Failed, s.Killed,
		s.Preempted, text.PlainDuration(s.Idle))
	line("containers\t%d (applications: %s), %d tasks in reused ones, %s of container time, %.0f %% of it busy",
		s.Containers, named(slices.Clone(s.Sizes), "of unknown size"), s.Reused,
		text.PlainDuration(s.ContainerSeconds), s.Busy*100)
}

// printTez lists the Tez applications.
func printTez(w io.Writer, s *trace.TezInfo) {
	tw := text.New(w)
	fmt.Fprintf(tw, "\nTez application\tqueue\tDAGs\tvertices\ttasks\tcontainers\tMiB each\tmean DAG"+
		"\twithout a DAG\tspan\n")
	for i, a := range s.Apps {
		if i == mostGroups {
			fmt.Fprintf(tw, "… %d more\n", len(s.Apps)-i)
			break
		}
		size := "?"
		if a.MiB > 0 {
			size = fmt.Sprint(a.MiB)
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", a.ID, cmp.Or(a.Queue, "(none)"), a.DAGs,
			a.Vertices, a.Tasks, a.Containers, size, spanText(a.DAGMS), text.PlainDuration(a.Idle), spanText(a.SpanMS))
	}
	tw.Flush()
}

func spanText(m trace.Millis) string {
	if !m.Known() {
		return "?"
	}
	return text.PlainDuration(float64(m) / 1000)
}
