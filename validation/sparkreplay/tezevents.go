package sparkreplay

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/simcore/yarn/spark"
	"schedtune/validation/replay"
)

// DAGs and calls of Tez applications, recorded and simulated.

// compareDAGs compares completion times of DAGs, the mean over runs of each: of a session from the
// DAG's submission to the master, else from that of the application.
func (e *Errors) compareDAGs(w *simcore.Workload, ended []simcore.DAGResult, runs []*Run) {
	took := map[replay.Row][]float64{}
	for _, d := range ended {
		k := replay.Row{App: w.Jobs[d.Job].ID, DAG: d.DAG + 1}
		took[k] = append(took[k], d.Completion().Seconds())
	}
	for _, a := range runs[0].Apps {
		for _, d := range a.DAGs {
			k := replay.Row{App: a.Name, DAG: d.Number}
			if len(took[k]) == 0 {
				continue
			}
			out := k
			out.Simulated = stats.Mean(took[k])
			for _, r := range runs {
				for _, o := range r.Apps {
					if o.Name == a.Name {
						out.Recorded += o.completion(d.Number) / float64(len(runs))
					}
				}
			}
			out.Error = out.Simulated/out.Recorded - 1
			e.DAGs = append(e.DAGs, out)
		}
	}
	for _, d := range e.DAGs {
		share := 1 / float64(len(e.DAGs))
		e.DAGMean += math.Abs(d.Error) * share
		e.DAGRecorded, e.DAGTime = e.DAGRecorded+d.Recorded*share, e.DAGTime+d.Simulated*share
	}
}

// completion is the recorded completion time of a DAG in seconds, NaN if it did not run.
func (a *App) completion(number int32) float64 {
	if int(number) > len(a.DAGs) {
		return math.NaN()
	}
	d := a.DAGs[number-1]
	if a.Kind == tezSession {
		return (d.Finish - d.Submit).Seconds()
	}
	return (d.Finish - a.Submit).Seconds()
}

// callScore counts the calls of Tez applications whose asks are the recorded ones: number, size and
// place of every row.
type callScore struct {
	Calls     int `json:"calls"`
	Equal     int `json:"equal"`
	Asks      int `json:"with_asks"` // calls that carry asks in either run
	EqualAsks int `json:"with_asks_equal"`
	// Unequal lists those that differ.
	Unequal []string `json:"unequal"`
}

// callID names a call by its instant.
type callID struct {
	app int32
	at  simcore.Time
}

// ask notes a row of a simulated call.
func (l *events) ask(k callID, e *yarn.SparkEvent) {
	if l.rows == nil {
		l.rows = map[callID][]string{}
	}
	l.rows[k] = append(l.rows[k], fmt.Sprintf("%d at %d: %d of %d MiB", e.Executor, e.Stage, e.Count, e.MiB))
}

// place is that of an ask as in yarn.SparkEvent.
func (r *Run) place(where string) int32 {
	if n := r.NodeIndex(where); n >= 0 {
		return n
	}
	if where == "*" {
		return spark.AnyHost
	}
	return -2
}

// compareCalls compares the calls of Tez applications, made at the given instants.
func (r *Run) compareCalls(handled [][]simcore.Time, simulated map[callID][]string) *callScore {
	s := &callScore{}
	for i, a := range r.Apps {
		for k, c := range a.Calls {
			if !a.tez() {
				break
			}
			var want []string
			for _, x := range a.Asks {
				if x.Response == c.Response && x.Kind == "ASK" {
					want = append(want, fmt.Sprintf("%d at %d: %d of %d MiB", x.Priority, x.At, x.Count, x.MiB))
				}
			}
			got := simulated[callID{int32(i), handled[i][k]}]
			slices.Sort(want)
			slices.Sort(got)
			same, asks := slices.Equal(want, got), one(len(want)+len(got) > 0)
			s.Calls, s.Equal, s.Asks, s.EqualAsks = s.Calls+1, s.Equal+one(same), s.Asks+asks, s.EqualAsks+asks*one(same)
			if !same {
				s.Unequal = append(s.Unequal, fmt.Sprintf("%s %.3f s: %q, simulated %q", a.Name, handled[i][k].Seconds(),
					want, got))
			}
		}
	}
	return s
}

// tez lists the events of a Tez application.
func (l *events) tez(app int32, a *App, handled []simcore.Time) {
	first := []int32{0}
	for _, d := range a.DAGs {
		first = append(first, first[len(first)-1]+int32(len(d.Vertices)))
	}
	tasks := slices.Clone(a.Tasks)
	slices.SortStableFunc(tasks, func(x, y *Task) int { return cmp.Compare(x.Launch, y.Launch) })
	for _, t := range tasks {
		of := [4]int32{first[t.DAG-1] + t.Stage, 0, t.Index}
		l.add(t.Launch, eventID{app, "task start", of}, a.ordinalOf(t.Container))
		l.add(t.Finish, eventID{app, "task end", of}, a.ordinalOf(t.Container))
	}
	for k, c := range a.Calls {
		for _, x := range a.Asks {
			if x.Response == c.Response && x.Kind == "ASK" {
				l.add(handled[k], eventID{app, "ask", [4]int32{x.Priority, x.At}}, x.Count)
			}
		}
	}
	for id, at := range a.GivenUp {
		l.add(at, eventID{app, "kill", [4]int32{a.ordinalOf(id)}}, 0)
	}
}

// meanDAG is the mean completion time of DAGs in seconds.
func meanDAG(ended []simcore.DAGResult) (mean float64) {
	for i := range ended {
		mean += ended[i].Completion().Seconds() / float64(len(ended))
	}
	return mean
}
