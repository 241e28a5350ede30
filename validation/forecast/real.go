package forecast

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/stats"
	"schedtune/internal/study"
	"schedtune/trace"
	"schedtune/tune"
)

// Promises held against a real YARN: scenarios are drawn and recorded with their
// present file, a study of the record promises a gain, the scenario is recorded
// again with the tuned file, and what came is set beside what was promised.

// pairSchema names the form of Pair in a file.
const pairSchema = "schedtune/pair/v1"

// Pair is one scenario's promise and the folders of its records.
type Pair struct {
	Schema    string   `json:"schema"`
	Scenario  string   `json:"scenario"`
	Objective string   `json:"objective"`
	Proven    bool     `json:"proven"`   // recommended; else the figures are of the best found
	Expected  Range    `json:"expected"` // on a workload like this
	Again     Range    `json:"again"`    // on this trace again
	Verdict   string   `json:"verdict"`
	Present   string   `json:"present"` // folder of the record with the current configuration
	Changes   []string `json:"changes"`
}

// leastGain is the simulated gain below which a drawn scenario is passed over: a
// file that changes nothing tests no promise.
const leastGain = 0.08

// Scenarios draws n scenarios of 80 to 140 simulated seconds with something to
// gain and writes each to DIR/NAME-present. What decides is the simulation with
// the built-in latencies, before anything is recorded.
func Scenarios(ctx context.Context, dir, settings string, seed uint64, n int) ([]string, error) {
	base, err := loadScenario(settings)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := uint64(0); len(names) < n && i < uint64(200*n); i++ {
		name := fmt.Sprintf("s%d-%d", seed, i)
		d, err := drawScenario(rng.NewKey(seed, purposeScenario).At(i), name+"-present", base.Settings)
		if err != nil {
			return nil, err
		}
		ok, err := d.worthwhile(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if err := d.scenario.write(filepath.Join(dir, name+"-present"), d.queues.Bytes()); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, ctx.Err()
}

// worthwhile reports whether a scenario has the length and the gain asked for.
func (d *drawn) worthwhile(ctx context.Context) (bool, error) {
	c, err := d.planned()
	if err != nil {
		return false, err
	}
	s, err := study.PrepareCase(ctx, c, study.Request{Objectives: []string{"makespan"},
		Constraints: []string{study.Protection(5)}, Workers: 1,
		Options: tune.Options{Seed: 1, Budget: 300}})
	if err != nil {
		return false, nil // a present file that gives no run
	}
	res, err := s.Run(ctx, nil, nil)
	if err != nil || len(res.Gain) == 0 || res.Gain[0].Again == nil {
		return false, err
	}
	for _, m := range res.Present.Metrics {
		if m.Name == "makespan" && (m.Mean < 80 || m.Mean > 140) {
			return false, nil
		}
	}
	return res.Gain[0].Again.Mean >= leastGain, nil
}

// Tuning is a study on a record, for a scenario that is to be recorded with the tuned
// file.
type Tuning struct {
	Dir       string // where the scenario and what is promised are written
	Name      string // of the scenario, without "-tuned"
	Present   string // folder of the record with the current configuration
	Settings  string // folder of a scenario with the properties that the harness needs
	Objective string
	Budget    int // runs of the study
	// Calibration is a file with the latencies of the record; empty = as far as its
	// history tells them.
	Calibration string
}

// Run tunes with the defaults of a study, and writes the same jobs with the tuned
// file to DIR/NAME-tuned and what is promised to DIR/NAME.json. A best found that is
// not recommended is taken too: its interval is as much of a promise.
func (t *Tuning) Run(ctx context.Context) (*Pair, error) {
	base, err := loadScenario(t.Settings)
	if err != nil {
		return nil, err
	}
	scen, err := loadScenario(t.Present)
	if err != nil {
		return nil, err
	}
	s, err := study.Prepare(ctx, study.Request{
		Inputs: scenario.Files{Config: filepath.Join(t.Present, "capacity-scheduler.xml"),
			Site: filepath.Join(t.Present, "settings.xml"), Traces: []string{t.Present}, Calibration: t.Calibration},
		Objectives: []string{t.Objective}, Constraints: []string{study.Protection(5)}, Workers: 2,
		Options: tune.Options{Seed: 1, Budget: t.Budget}})
	if err != nil {
		return nil, err
	}
	res, err := s.Run(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	best := res.Shown()
	if len(res.Gain) == 0 || res.Gain[0].Again == nil {
		return nil, fmt.Errorf("%s: nothing better than the current configuration was found", t.Present)
	}
	tuned, slowstart, err := s.Tuned(best.Settings)
	if err != nil {
		return nil, err
	}
	scen.Run, scen.Settings = t.Name+"-tuned", base.Settings
	if err := scen.slowstart(slowstart); err != nil {
		return nil, err
	}
	if err := scen.write(filepath.Join(t.Dir, t.Name+"-tuned"), tuned.Bytes()); err != nil {
		return nil, err
	}
	p := pairOf(res, t.Objective)
	p.Scenario, p.Present = t.Name, t.Present
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(filepath.Join(t.Dir, t.Name+".json"), append(data, '\n'), 0o644)
}

// pairOf is what a study promises of its objective.
func pairOf(res *tune.Result, objective string) *Pair {
	g := res.Gain[0]
	p := &Pair{Schema: pairSchema, Objective: objective, Proven: res.Decision.Recommended,
		Expected: Range{g.Mean, g.Low, g.High},
		Again:    Range{g.Again.Mean, g.Again.Low, g.Again.High}, Verdict: report.Verdict(res)}
	for _, c := range res.Changes {
		p.Changes = append(p.Changes, fmt.Sprintf("%s %s → %s", c.Name, c.From, c.To))
	}
	return p
}

// slowstart sets that of every job; "" leaves it.
func (s *Scenario) slowstart(text string) error {
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	for i := range s.Jobs {
		s.Jobs[i].Slowstart = v
	}
	return nil
}

// Realised is a pair with what came.
type Realised struct {
	Pair
	Before []float64 `json:"before_s"` // the objective by record
	After  []float64 `json:"after_s"`
	Came   float64   `json:"came"` // gain between the means
}

// Compare reads the promises DIR/*.json whose tuned runs are recorded in
// OUT/NAME-tuned* (repetitions have something behind it), beside the present runs
// in the folder the promise names and in OUT/NAME-present*.
func Compare(dir, out string) ([]Realised, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var rs []Realised
	for _, f := range files {
		data, err := fileio.ReadFile(f, fileio.Table)
		if err != nil {
			return nil, err
		}
		r := Realised{}
		if err := json.Unmarshal(data, &r.Pair); err != nil || r.Schema != pairSchema {
			continue
		}
		if r.After, err = measured(r.Objective, filepath.Join(out, r.Scenario+"-tuned*")); err != nil {
			return nil, err
		}
		if r.Before, err = measured(r.Objective, r.Present, filepath.Join(out, r.Scenario+"-present*")); err != nil {
			return nil, err
		}
		if len(r.After) > 0 && len(r.Before) > 0 {
			r.Came = 1 - stats.Mean(r.After)/stats.Mean(r.Before)
			rs = append(rs, r)
		}
	}
	return rs, nil
}

// measured reads an objective of every record that patterns name, each once.
func measured(objective string, patterns ...string) ([]float64, error) {
	seen := map[string]bool{}
	var out []float64
	for _, p := range patterns {
		dirs, err := filepath.Glob(p)
		if err != nil {
			return nil, err
		}
		for _, d := range dirs {
			abs, err := filepath.Abs(d)
			if err != nil {
				return nil, err
			}
			if _, err := os.Stat(filepath.Join(d, "jobs.csv")); err != nil || seen[abs] {
				continue // a run that did not come to its end
			}
			seen[abs] = true
			v, err := recordedValue(d, objective)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// recordedValue is makespan or mean completion of a record in seconds.
func recordedValue(dir, objective string) (float64, error) {
	t, err := trace.Open(dir, trace.Options{})
	if err != nil {
		return 0, err
	}
	first, last, sum := math.Inf(1), 0.0, 0.0
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if j.Result != trace.Succeeded || !j.Submit.Known() || !j.Finish.Known() {
			return 0, fmt.Errorf("%s: job %s did not succeed", dir, j.ID)
		}
		first, last = min(first, float64(j.Submit)/1000), max(last, float64(j.Finish)/1000)
		sum += float64(j.Finish-j.Submit) / 1000
	}
	switch objective {
	case "makespan":
		return last - first, nil
	case "mean-completion":
		return sum / float64(len(t.Jobs)), nil
	}
	return 0, fmt.Errorf("objective %q: must be one of makespan, mean-completion", objective)
}

// WritePairs writes promised and realised gains as Markdown.
func WritePairs(w io.Writer, rs []Realised) error {
	var again, expected []Range
	var came []float64
	for _, r := range rs {
		again, expected, came = append(again, r.Again), append(expected, r.Expected), append(came, r.Came)
	}
	inside := func(s Scores) int { return int(math.Round(s.Coverage * float64(s.Cases))) }
	a, e := score(again, came), score(expected, came)
	return pairsTable.Execute(w, struct {
		Pairs               []Realised
		Again, Expected     Scores
		InAgain, InExpected int
	}{rs, a, e, inside(a), inside(e)})
}
