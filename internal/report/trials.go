package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"schedtune/tune"
)

// logLine is what a report needs of a line of trials.jsonl.
type logLine struct {
	Run     *int               `json:"run"`
	Trial   int                `json:"trial"`
	Phase   string             `json:"phase"`
	Seed    uint64             `json:"seed"`
	Window  int                `json:"window"`
	Err     string             `json:"error"`
	Metrics map[string]float64 `json:"metrics"`

	Settings map[string]string `json:"settings"` // of lines that describe a trial
}

// trial is one configuration that was tried.
type trial struct {
	Runs   int     // runs spent when it ended
	Gain   float64 // over the current configuration on the same workloads, 0.1 = 10 % better; NaN = failed
	Pairs  int     // workloads and seeds behind Gain
	Steady bool    // these are enough to count as the best so far
	Best   float64 // best gain so far; it never gets smaller
}

// instance identifies the workload and the draws of a run.
type instance struct {
	seed   uint64
	window int
}

// scored is one trial of the log.
type scored struct {
	settings map[string]string
	values   map[instance]float64 // of the objective, by run of the search
	failed   bool
	trial
}

// steadyPairs is the number of workloads on which a configuration is compared with the current
// one before its gain counts as the best so far: a gain on fewer is mostly luck.
const steadyPairs = 4

// readTrials reads the search from its log and returns the trials in the order in which they
// ended; the current configuration, with a gain of 0, is the first. A trial's gain is that
// over the current configuration on the workloads and seeds that both ran in the search.
// Without a log there are no trials.
func readTrials(path string, o tune.Objective) ([]scored, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	trials := []*scored{{values: map[instance]float64{}}}
	at := map[int]*scored{0: trials[0]}
	spent := 0
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 0, 1<<16), 16<<20)
	for line := 1; in.Scan(); line++ {
		var l logLine
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		t := at[l.Trial]
		if t == nil {
			t = &scored{values: map[instance]float64{}}
			trials, at[l.Trial] = append(trials, t), t
		}
		if l.Run == nil {
			t.settings = l.Settings
			continue
		}
		spent++
		if l.Phase == "ablation" || l.Phase == "confirm" || l.Phase == "lifted" {
			continue
		}
		v, ok := l.Metrics[o.Metric]
		t.failed = t.failed || !ok || l.Err != ""
		t.values[instance{l.Seed, l.Window}] = v
		t.Runs = spent
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return ranked(trials, o), nil
}

// ranked computes gains and the best so far, and puts the trials in order of the runs spent.
func ranked(trials []*scored, o tune.Objective) (out []scored) {
	present := trials[0].values
	most := 1
	for _, t := range trials {
		if t.Runs == 0 { // it only ran in the ablation or the confirmation
			continue
		}
		var own, now float64
		for i, v := range t.values {
			if p, ok := present[i]; ok {
				own, now, t.Pairs = own+v, now+p, t.Pairs+1
			}
		}
		if t.Gain = (now - own) / math.Abs(now); o.Maximize {
			t.Gain = -t.Gain
		}
		if t.failed || math.IsInf(t.Gain, 0) {
			t.Gain = math.NaN()
		}
		if t != trials[0] {
			most = max(most, t.Pairs)
		}
		out = append(out, *t)
	}
	if len(out) < 2 {
		return out
	}
	slices.SortStableFunc(out[1:], func(a, b scored) int { return cmp.Compare(a.Runs, b.Runs) })
	out[0].Runs = min(out[0].Runs, out[1].Runs) // it is run again in every generation
	best := 0.0
	for i := range out {
		t := &out[i]
		if t.Steady = t.Pairs >= min(steadyPairs, most); t.Steady && t.Gain > best {
			best = t.Gain
		}
		t.Best = best
	}
	return out
}
