package sched_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/simcore/schedtest"
)

// scripts returns the scenarios in testdata by name.
func scripts(t *testing.T) map[string]*script {
	t.Helper()
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d scenarios, error %v", len(files), err)
	}
	all := map[string]*script{}
	for _, f := range files {
		in, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if all[filepath.Base(f)], err = parseScript(in); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	return all
}

// most counts the largest number of simultaneous tasks of each job and kind.
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

// run runs the scenario and returns the expectations that were not met. configure, which may be
// nil, adapts the run to the scheduler.
func (s *script) run(sch mr1.Scheduler, configure func(*mr1.Config)) ([]string, error) {
	m := most{make([][2]int, len(s.workload.Jobs)), make([][2]int, len(s.workload.Jobs))}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Heartbeat: s.heartbeat,
		Trace: m.event}
	if configure != nil {
		configure(&cfg)
	}
	r, err := mr1.Run(cfg, s.cluster, s.workload, sch)
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

// TestScripts runs the scenarios: those that name a scheduler with that one, the others with every
// scheduler of the table and with the reference FIFO.
func TestScripts(t *testing.T) {
	for name, sc := range scripts(t) {
		specs := []string{sc.scheduler}
		if sc.scheduler == "" {
			t.Run(name+"/reference", func(t *testing.T) { sc.check(t, &schedtest.FIFO{Slowstart: 0.05}, nil) })
			specs = nil
			for _, e := range slotSchedulers() {
				specs = append(specs, e.Name)
			}
		}
		for _, spec := range specs {
			t.Run(name+"/"+spec, func(t *testing.T) { runScript(t, sc, spec) })
		}
	}
}

// runScript runs a scenario with the scheduler of a spec.
func runScript(t *testing.T, sc *script, spec string) {
	s, err := sched.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	one, err := s.New(sched.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sc.check(t, one, func(c *mr1.Config) { c.Pool, c.TrackOutput = s.Entry.Pool, true })
}

// check reports the expectations that a scheduler does not meet.
func (s *script) check(t *testing.T, sch mr1.Scheduler, configure func(*mr1.Config)) {
	missed, err := s.run(sch, configure)
	if err != nil {
		t.Error(err)
	}
	for _, m := range missed {
		t.Error(m)
	}
}

// TestScriptReportsMisses checks that unmet expectations are reported: two maps of 10 s on one slot
// end after 20 s, not within 10, and one runs at a time, not two.
func TestScriptReportsMisses(t *testing.T) {
	s, err := parseScript(strings.NewReader(`nodes 1 maps 1 reduces 0
heartbeat 0.1
job a maps 2 10
job b maps 1 1
expect a ends within 0 10
expect a runs at-least 2 maps
expect b starts before a
expect makespan within 21 22   # this one comes`))
	if err != nil {
		t.Fatal(err)
	}
	missed, err := s.run(&schedtest.FIFO{}, nil)
	if err != nil || len(missed) != 3 {
		t.Fatalf("missed %q, error %v; want three", missed, err)
	}
	for i, want := range []string{"line 5", "line 6", "line 7"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(missed[i], want) {
				t.Errorf("%q does not name %s", missed[i], want)
			}
		})
	}
}

// TestScriptErrorsNameTheLine checks the errors of wrong scenarios.
func TestScriptErrorsNameTheLine(t *testing.T) {
	const good = "nodes 1 maps 1 reduces 1\njob a maps 1 1\n"
	for text, want := range map[string]string{
		"nodes 1 maps x reduces 1":          `line 1: nodes "x"`,
		"nodes 0 maps 1 reduces 1":          "line 1: nodes 0",
		"nodes 1 slots 2":                   "line 1: nodes 1 slots 2",
		"frobnicate":                        `line 1: statement "frobnicate"`,
		good + "job a":                      "line 3: job needs a name",
		good + "job b maps 1":               "line 3: job b: maps needs 2 more",
		good + "job b size 3":               `line 3: job b: property "size"`,
		good + "job b maps 1e9 1":           "line 3: job b: maps",
		good + "expect c ends within 1 2":   "line 3: expect needs a job",
		good + "expect a ends after 3":      "line 3: expect after 3",
		good + "expect a sleeps within 1 2": `line 3: expect a "sleeps"`,
		good + "expect a runs 3 maps":       "line 3: runs 3 maps",
		good:                                "nothing is expected",
		"job a at 5\njob b at 4":            "line 2: job b: jobs must be in the order",
		"":                                  "no nodes",
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := parseScript(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got error %v, want %q", text, err, want)
			}
		})
	}
}

// FuzzParseScript checks that no text makes the reader panic and that accepted scenarios can run.
func FuzzParseScript(f *testing.F) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("nodes 1 maps 0 reduces 0\njob a maps 1 NaN\nexpect makespan within 0 Inf")
	f.Fuzz(func(_ *testing.T, text string) {
		s, err := parseScript(strings.NewReader(text))
		if err != nil || len(s.workload.Jobs) > 20 || s.heartbeat > 0 && s.heartbeat < 100000 {
			return
		}
		for _, j := range s.workload.Jobs {
			if j.Maps+j.Reduces > 1000 || j.Submit.Seconds() > 1e5 {
				return
			}
		}
		_, _ = s.run(&schedtest.FIFO{}, nil) // it may stall
	})
}
