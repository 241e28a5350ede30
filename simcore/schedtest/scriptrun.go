package schedtest

import (
	"embed"
	"fmt"
	"path"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

//go:embed scenarios/*.txt
var scriptFiles embed.FS

// Scripts returns the built-in scenarios by name, in alphabetical order.
func Scripts() (names []string, scripts []*Script, err error) {
	files, err := scriptFiles.ReadDir("scenarios")
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		in, err := scriptFiles.Open(path.Join("scenarios", f.Name()))
		if err != nil {
			return nil, nil, err
		}
		s, err := ParseScript(in)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		names, scripts = append(names, f.Name()), append(scripts, s)
	}
	return names, scripts, nil
}

// most counts how many tasks of each job and kind run at most at a time.
type most struct{ now, peak [][2]int }

func (m *most) event(_ simcore.Time, e mr1.Event) {
	switch e.Kind {
	case mr1.TaskStarted:
		now, peak := &m.now[e.Task.Job][e.Task.Kind], &m.peak[e.Task.Job][e.Task.Kind]
		*now++
		*peak = max(*peak, *now)
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		m.now[e.Task.Job][e.Task.Kind]--
	}
}

// Run runs the scenario and returns what was expected and did not come.
// configure, which may be nil, adapts the run to the scheduler.
func (s *Script) Run(sch mr1.Scheduler, configure func(*mr1.Config)) ([]string, error) {
	m := most{make([][2]int, len(s.Workload.Jobs)), make([][2]int, len(s.Workload.Jobs))}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Heartbeat: s.Heartbeat, Trace: m.event}
	if configure != nil {
		configure(&cfg)
	}
	r, err := mr1.Run(cfg, s.Cluster, s.Workload, sch)
	if err != nil {
		return nil, err
	}
	var missed []string
	for _, e := range s.expects {
		got := e.value(r, &m)
		if e.other >= 0 {
			o := e
			o.job = e.other
			e.hi = o.value(r, &m)
		}
		if !(got >= e.lo && got <= e.hi) {
			missed = append(missed, fmt.Sprintf("line %d: %s: got %v, want %v to %v", e.line, e.text, got, e.lo, e.hi))
		}
	}
	return missed, nil
}

func (e *expectation) value(r *simcore.Result, m *most) float64 {
	switch e.figure {
	case "starts":
		return r.Jobs[e.job].Start.Seconds()
	case "ends":
		return r.Jobs[e.job].Finish.Seconds()
	case "maps":
		return float64(m.peak[e.job][simcore.Map])
	case "reduces":
		return float64(m.peak[e.job][simcore.Reduce])
	}
	last := slices.MaxFunc(r.Jobs, func(a, b simcore.JobResult) int { return int(min(max(a.Finish-b.Finish, -1), 1)) })
	return (last.Finish - r.Jobs[0].Submit).Seconds()
}
