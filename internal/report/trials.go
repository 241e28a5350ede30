package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"schedtune/internal/report/html"
	"schedtune/tune"
)

// logLine is what a report needs of a line of trials.jsonl.
type logLine struct {
	Run     *int               `json:"run"`
	Trial   int                `json:"trial"`
	Phase   string             `json:"phase"`
	Err     string             `json:"error"`
	Metrics map[string]float64 `json:"metrics"`

	Settings map[string]string `json:"settings"` // of lines that describe a trial
}

// scored is one trial of the log.
type scored struct {
	sum   float64
	runs  int
	last  int // runs spent when its last one of the search ended
	error bool

	settings map[string]string
}

// add takes in a run, the one of this number among all runs.
func (t *scored) add(l *logLine, metric string, number int) {
	v, ok := l.Metrics[metric]
	t.error = t.error || !ok || l.Err != ""
	t.sum += v
	t.runs++
	t.last = number
}

// readTrials reads the scores of the search out of its log, in the order in
// which the trials were first run. A score is the mean over the trial's runs of
// the search; runs of the ablation and the confirmation do not count. Without
// a log there are no trials. tried are the same in the order of their first runs.
func readTrials(path string, o tune.Objective) (ranked []html.Trial, tried []scored, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	trials, settings := map[int]*scored{}, map[int]map[string]string{}
	var order []int
	spent := 0
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 0, 1<<16), 16<<20)
	for line := 1; in.Scan(); line++ {
		var l logLine
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if l.Run == nil {
			if l.Settings != nil {
				settings[l.Trial] = l.Settings
			}
			continue
		}
		spent++
		if l.Phase == "ablation" || l.Phase == "confirm" || l.Phase == "lifted" {
			continue
		}
		t := trials[l.Trial]
		if t == nil {
			t = &scored{settings: settings[l.Trial]}
			trials[l.Trial] = t
			order = append(order, l.Trial)
		}
		t.add(&l, o.Metric, spent)
	}
	if err := in.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, id := range order {
		tried = append(tried, *trials[id])
	}
	return rank(trials, order, o), tried, nil
}

// rank turns the sums into scores in order of the runs spent, with the best so
// far. The current configuration stays first.
func rank(trials map[int]*scored, order []int, o tune.Objective) []html.Trial {
	out := make([]html.Trial, 0, len(order))
	for _, id := range order {
		t := trials[id]
		score := math.NaN()
		if !t.error && t.runs > 0 {
			score = t.sum / float64(t.runs)
		}
		out = append(out, html.Trial{Runs: t.last, Score: score})
	}
	if len(out) > 1 {
		slices.SortStableFunc(out[1:], func(a, b html.Trial) int { return a.Runs - b.Runs })
		out[0].Runs = min(out[0].Runs, out[1].Runs) // it is run again in every race
	}
	best := math.NaN()
	for i := range out {
		s := out[i].Score
		if !math.IsNaN(s) && (math.IsNaN(best) || o.Maximize && s > best || !o.Maximize && s < best) {
			best = s
		}
		out[i].Best = best
	}
	return out
}
