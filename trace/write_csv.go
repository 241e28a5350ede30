package trace

import (
	"encoding/csv"
	"io"
	"schedtune/trace/internal/history"
	"strconv"
)

// jobsHeader are the columns of WriteJobsCSV.
func jobsHeader() []string {
	return []string{"job", "name", "user", "queue", "class", "type", "result", "submit_ms", "launch_ms", "finish_ms",
		"maps", "reduces", "map_mib", "map_vcores", "reduce_mib", "reduce_vcores", "am_mib", "am_vcores", "slowstart",
		"map_task_ms", "reduce_task_ms", "input_bytes", "shuffle_bytes", "output_bytes"}
}

// WriteJobsCSV writes one row per job, times in milliseconds from the first
// submission; an empty cell is unknown. map_task_ms and reduce_task_ms add up
// the winning attempts, shuffle included.
func (t *Trace) WriteJobsCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(jobsHeader()); err != nil {
		return err
	}
	origin, _ := t.Begin()
	time := func(m Millis) string { return figure(int64(m-origin), m.Known()) }
	count := func(v int64) string { return figure(v, v >= 0) }
	size := func(v int64) string { return figure(v, v != 0) }
	for j := range history.Pointers(t.Jobs) {
		maps, reduces := j.TaskTime(Map)+j.TaskTime(Container), j.TaskTime(Reduce)
		slowstart := ""
		if j.Slowstart >= 0 {
			slowstart = strconv.FormatFloat(j.Slowstart, 'g', -1, 64)
		}
		row := []string{j.ID, j.Name, j.User, j.Queue, j.Class, j.Type, j.Result.String(),
			time(j.Submit), time(j.Launch), time(j.Finish), count(int64(j.Maps)), count(int64(j.Reduces)),
			size(j.MapSize.MiB), size(j.MapSize.VCores), size(j.ReduceSize.MiB), size(j.ReduceSize.VCores),
			size(j.AMSize.MiB), size(j.AMSize.VCores), slowstart, count(int64(maps)), count(int64(reduces)),
			count(j.InputBytes), count(j.ShuffleBytes), count(j.OutputBytes)}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// TaskTime adds up the times of a job's tasks of one kind: of the winning
// attempts where tasks were recorded singly, else of the tasks derived.
func (j *Job) TaskTime(k Kind) Millis {
	var sum Millis
	single := false
	for t := range history.Pointers(j.Tasks) {
		if t.Kind == k {
			if a := t.Winner(); a != nil {
				sum += a.Finish - a.Start
				single = true
			}
		}
	}
	if single || len(j.Tasks) > 0 {
		return sum
	}
	switch k {
	case Map:
		return Millis(max(0, j.Maps)) * max(0, j.MapTime)
	case Reduce:
		return Millis(max(0, j.Reduces)) * (max(0, j.ReduceTime) + max(0, j.ShuffleTime))
	}
	return 0
}

// figure is a cell of a figure that is known, or of one that is not.
func figure(v int64, known bool) string {
	if !known {
		return ""
	}
	return strconv.FormatInt(v, 10)
}
