package trace

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/trace/internal/history"
	"schedtune/trace/tezlog"
)

// TezInfo sums the Tez applications of a trace up.
type TezInfo struct {
	Applications     int          `json:"applications"`      // how many
	Sessions         int          `json:"sessions"`          // of them, masters that take one DAG after another
	DAGs             int          `json:"dags"`              // those that only make containers ready included
	Prewarm          int          `json:"prewarm"`           // of them, those
	Vertices         int          `json:"vertices"`          // of all DAGs
	Tasks            int          `json:"tasks"`             // that ended
	Attempts         int          `json:"attempts"`          // of all tasks
	Failed           int          `json:"failed"`            // attempts
	Killed           int          `json:"killed"`            // attempts, those preempted left out
	Preempted        int          `json:"preempted"`         // attempts
	Containers       int          `json:"containers"`        // that ran tasks
	Reused           int          `json:"reused"`            // tasks that were not the first of their container
	Sizes            []Count      `json:"sizes"`             // applications by size of their containers
	Schedulers       []Count      `json:"schedulers"`        // applications by the master's task scheduler
	Callers          []Count      `json:"callers"`           // applications by what made their DAGs
	Arrivals         int          `json:"arrivals"`          // DAGs whose query's submission to Hive is known
	ContainerSeconds float64      `json:"container_seconds"` // from launch to stop
	Busy             float64      `json:"busy"`              // share of it in which a task ran
	Idle             float64      `json:"think_seconds"`     // of sessions, in which no DAG ran
	Apps             []TezAppInfo `json:"apps"`              // one by one
}

// TezAppInfo is one application.
type TezAppInfo struct {
	ID         string  `json:"id"`            // of YARN
	Queue      string  `json:"queue"`         // where it was
	Session    bool    `json:"session"`       // its master takes one DAG after another
	DAGs       int     `json:"dags"`          // submitted
	Vertices   int     `json:"vertices"`      // of all DAGs
	Tasks      int     `json:"tasks"`         // that ended
	Containers int     `json:"containers"`    // that ran tasks
	MiB        int64   `json:"container_mib"` // of each; 0 = not known
	SpanMS     Millis  `json:"span_ms"`       // from submission to end
	DAGMS      Millis  `json:"dag_ms"`        // mean, from a DAG's submission to its end
	Idle       float64 `json:"think_seconds"` // in which no DAG ran
	Result     string  `json:"result"`        // how it ended
}

// tez sums up the Tez applications; nil where there is none.
func (t *Trace) tez() *TezInfo {
	s := &TezInfo{Apps: []TezAppInfo{}}
	sizes, schedulers, callers := map[string]int{}, map[string]int{}, map[string]int{}
	busy := Millis(0)
	for j := range history.Pointers(t.Jobs) {
		app := j.Tez
		if app == nil {
			continue
		}
		s.add(j)
		busy += app.TaskTime()
		schedulers[app.Scheduler]++
		callers[app.Caller]++
		size := ""
		if j.MapSize.MiB > 0 {
			size = fmt.Sprintf("%d MiB, %d vcores", j.MapSize.MiB, j.MapSize.VCores)
		}
		sizes[size]++
	}
	if s.Applications == 0 {
		return nil
	}
	if s.ContainerSeconds > 0 {
		s.Busy = min(1, float64(busy)/1000/s.ContainerSeconds)
	}
	s.Sizes, s.Schedulers, s.Callers = sorted(sizes), sorted(schedulers), sorted(callers)
	return s
}

// add counts an application.
func (s *TezInfo) add(j *Job) {
	app := j.Tez
	row := TezAppInfo{ID: j.ID, Queue: j.Queue, Session: app.Session(), DAGs: len(app.DAGs), Tasks: app.TaskCount(),
		Containers: len(app.Containers), MiB: j.MapSize.MiB, SpanMS: Unknown, DAGMS: Unknown, Result: j.Result.String()}
	if from := j.Submit.Or(j.Launch); from.Known() && j.Finish >= from {
		row.SpanMS = j.Finish - from
	}
	ended, took := 0, Millis(0)
	before := app.Ready
	for d := range history.Pointers(app.DAGs) {
		if d.Prewarm {
			s.Prewarm++
		}
		if d.Arrival.Known() {
			s.Arrivals++
		}
		if d.Submit.Known() && before.Known() && d.Submit > before {
			row.Idle += float64(d.Submit-before) / 1000
		}
		before = max(before, d.End)
		if d.Submit.Known() && d.End >= d.Submit {
			ended++
			took += d.End - d.Submit
		}
	}
	if ended > 0 {
		row.DAGMS = took / Millis(ended)
	}
	begun := firstStarts(app)
	for _, v := range app.Vertices() {
		row.Vertices++
		for a := range history.Pointers(v.Attempts) {
			s.Attempts++
			switch {
			case a.Preempted:
				s.Preempted++
			case a.Result == tezlog.Failed:
				s.Failed++
			case a.Result == tezlog.Killed:
				s.Killed++
			}
			if a.Container >= 0 && a.Start > begun[a.Container] {
				s.Reused++
			}
		}
	}
	for _, life := range app.Lives(tezIdle) {
		if life[0].Known() && life[1] > life[0] {
			s.ContainerSeconds += float64(life[1]-life[0]) / 1000
		}
	}
	s.Applications++
	if row.Session {
		s.Sessions++
	}
	s.DAGs += row.DAGs
	s.Vertices += row.Vertices
	s.Tasks += row.Tasks
	s.Containers += row.Containers
	s.Idle += row.Idle
	s.Apps = append(s.Apps, row)
}

// TezIdle returns when a Tez application held memory without working: the master of a session
// without a DAG, and a container after a task until its next one or its end.
func (j *Job) TezIdle() (master, containers [][2]Millis) {
	app := j.Tez
	before := app.Ready
	for d := range history.Pointers(app.DAGs) {
		master, before = append(master, [2]Millis{before, d.Submit}), max(before, d.End)
	}
	if master = append(master, [2]Millis{before, j.Finish.Or(app.Last)}); !app.Session() {
		master = nil
	}
	uses := make([][][2]Millis, len(app.Containers))
	for _, v := range app.Vertices() {
		for t := range history.Pointers(v.Attempts) {
			if t.Container >= 0 && t.Start.Known() && t.End.Known() {
				uses[t.Container] = append(uses[t.Container], [2]Millis{t.Start, t.End})
			}
		}
	}
	for i, life := range app.Lives(tezIdle) {
		slices.SortFunc(uses[i], func(x, y [2]Millis) int { return cmp.Compare(x[0], y[0]) })
		for k, use := range uses[i] {
			until := life[1]
			if k+1 < len(uses[i]) {
				until = uses[i][k+1][0]
			}
			containers = append(containers, [2]Millis{use[1], until})
		}
	}
	none := func(s [2]Millis) bool { return !s[0].Known() || s[1] <= s[0] }
	return slices.DeleteFunc(master, none), slices.DeleteFunc(containers, none)
}
