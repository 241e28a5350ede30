package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"schedtune/internal/text"
	"schedtune/trace"
)

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
	line("spark\t%s (%s; %s; %d with dynamic allocation)", text.Count(s.Applications, "application"), strings.Join(versions, ", "), strings.Join(managers, ", "), s.Dynamic)
	line("\t%d jobs, %d stages (%d more skipped), %d task attempts (%d failed), %d cached data sets, %s between jobs",
		s.Jobs, s.Stages, s.Skipped, s.Tasks, s.FailedTasks, s.Caches, duration(s.Idle))
	line("executors\t%d (%s), %s of executor time, %.0f %% of it busy", s.Executors, counts(s.Ends), duration(s.ExecutorSeconds), s.Busy*100)
}

// printSpark lists executors over time, the applications, and the stages of a
// single one.
func printSpark(w io.Writer, s *trace.SparkInfo) {
	top := 0.0
	for _, p := range s.Load {
		top = max(top, p.Executors)
	}
	if top > 0 {
		fmt.Fprintf(w, "\nexecutors over time\n%10s  %s\n", "from", "mean of registered executors")
		for _, p := range s.Load {
			fmt.Fprintf(w, "%10s  %-50s %s\n", duration(float64(p.FromMS)/1000), strings.Repeat("#", int(p.Executors/top*50+0.5)), number(p.Executors))
		}
	}
	tw := text.New(w)
	fmt.Fprintf(tw, "\nSpark application\tqueue\tjobs\tstages\ttasks\texecutors\tat most\texecutor time\tbusy\tspan\n")
	for i, a := range s.Apps {
		if i == mostGroups {
			fmt.Fprintf(tw, "… %d more\n", len(s.Apps)-i)
			break
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%.0f %%\t%s\n", text.Begin(cmp.Or(a.Name, a.ID), 32), cmp.Or(a.Queue, "(none)"), a.Jobs, a.Stages, a.Tasks,
			a.Executors, a.MostExecutors, duration(a.ExecutorSeconds), a.Busy*100, spanText(a.SpanMS))
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
		fmt.Fprintf(tw, "%s\t%d\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", id, st.Job, strings.Trim(fmt.Sprint(st.Parents), "[]"), st.Tasks,
			spanText(st.FromMS), spanText(st.SpanMS), spanText(st.MedianMS), spanText(st.LongestMS), text.Begin(st.Name, 32))
	}
}

func spanText(m trace.Millis) string {
	if !m.Known() {
		return "?"
	}
	return duration(float64(m) / 1000)
}
