package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/internal/report/svg"
	"schedtune/internal/text"
	"schedtune/predict"
)

// Windows is a series of windows: how many containers were released in each,
// and how many could come free at its beginning (OMO, section IV-A: those that
// run maps, and reduces of jobs whose maps are done).
type Windows struct {
	Seconds   float64   `json:"window_s"`
	Released  []float64 `json:"released"`
	Available []float64 `json:"available"`
}

// mostWindows bounds the memory that a window much too short would take.
const mostWindows = 1e7

// WindowsOf counts spans in windows of the given seconds, from the first start
// to the last end.
func WindowsOf(spans []predict.TaskRun, seconds float64) (*Windows, error) {
	if !(seconds > 0) || math.IsInf(seconds, 0) {
		return nil, fmt.Errorf("--window %v s: must be positive and finite", seconds)
	}
	if len(spans) == 0 {
		return nil, errors.New("no task with a start and an end; use a trace that records attempts")
	}
	from, to := math.Inf(1), math.Inf(-1)
	mapsDone := map[int]float64{} // read by key only
	for _, s := range spans {
		from, to = math.Min(from, s.Start), math.Max(to, s.End)
		if !s.Reduce {
			mapsDone[s.Job] = math.Max(mapsDone[s.Job], s.End)
		}
	}
	if (to-from)/seconds >= mostWindows {
		return nil, fmt.Errorf("%.4g s are %.4g windows of %v s: must be less than %d, so longer windows or a shorter trace",
			to-from, (to-from)/seconds, seconds, int(mostWindows))
	}
	n := int((to-from)/seconds) + 1
	w := &Windows{Seconds: seconds, Released: make([]float64, n), Available: make([]float64, n)}
	change := make([]float64, n+1) // of the available containers at the beginning of a window
	for _, s := range spans {
		w.Released[int((s.End-from)/seconds)]++
		since := s.Start
		if s.Reduce {
			since = math.Max(since, mapsDone[s.Job])
		}
		// Counted at the beginnings of windows in [since, end).
		a, b := int(math.Ceil((since-from)/seconds)), int(math.Ceil((s.End-from)/seconds))
		if a < b {
			change[a]++
			change[b]--
		}
	}
	now := 0.0
	for t := range w.Available {
		now += change[t]
		w.Available[t] = now
	}
	return w, nil
}

// ReadWindows reads a log with the columns released and available, one row per
// window of the given seconds.
func ReadWindows(sources []Source, seconds float64, reading Reading) (*Windows, *Intake, error) {
	s, err := openStream(sources, Names{}, reading)
	if err != nil {
		return nil, nil, err
	}
	released, available := slices.Index(s.columns, "released"), slices.Index(s.columns, "available")
	if released < 0 || available < 0 {
		return nil, nil, &fileio.FileError{File: sources[0].Name, Line: 1,
			Reason: fmt.Sprintf("columns %.100v: must include released and available", s.columns)}
	}
	used := make([]bool, len(s.columns))
	used[released], used[available] = true, true
	s.use(columnUse{used: used})
	w := &Windows{Seconds: seconds}
	err = s.each(nil, func(row *Row) {
		r, a := row.Values[released], row.Values[available]
		if row.Err == nil && !(r >= 0 && a >= 0) {
			row.Err = fmt.Errorf("released %v, available %v: must be 0 or more", r, a)
		}
		if row.Err != nil {
			s.in.fault(row, row.Err)
			return
		}
		w.Released, w.Available = append(w.Released, r), append(w.Available, a)
	})
	return w, s.in, err
}

// fault counts a row that could not be read, or cannot be used.
func (in *Intake) fault(row *Row, err error) {
	if in.BadRows++; in.BadRows <= maxFaults {
		in.Faults = append(in.Faults, (&fileio.FileError{File: row.File, Line: row.Line, Err: err}).Error())
	}
}

// ReleaseModel is the fitted weight and the state of the averages after the
// last window, from which a scheduler, or a further fit, goes on. It keeps the
// windows: the weight of a continued fit is that of all of them.
type ReleaseModel struct {
	Schema  string          `json:"schema"`
	Beta    float64         `json:"beta"`
	State   predict.Release `json:"state"`
	Windows Windows         `json:"windows"`
}

// ReleaseResult is what a fit of the release frequency found; frequencies and
// errors are containers per second.
type ReleaseResult struct {
	Schema  string  `json:"schema"`
	Source  string  `json:"source"`
	Windows int     `json:"windows"`
	Seconds float64 `json:"window_s"`
	predict.ReleaseFit
	HalfLife text.Num     `json:"half_life_windows"`
	Default  float64      `json:"error_default"` // equation 1 with the scheduler's default weight 0.3
	BadRows  int64        `json:"bad_rows"`
	Model    ReleaseModel `json:"-"`
}

// Ends reports whether the model's last windows are these; windows that are all alike, as
// those of an idle cluster, may come again and are none. It is false for nil.
func (m *ReleaseModel) Ends(w *Windows) bool {
	if m == nil {
		return false
	}
	from := len(m.Windows.Released) - len(w.Released)
	if from < 0 || !slices.Equal(m.Windows.Released[from:], w.Released) || !slices.Equal(m.Windows.Available[from:],
		w.Available) {
		return false
	}
	for t := range w.Released {
		if w.Released[t] != w.Released[0] || w.Available[t] != w.Available[0] {
			return true
		}
	}
	return false
}

// FitRelease chooses the weight on the windows; model, if not nil, is a saved
// fit whose windows come first.
func FitRelease(source string, w *Windows, model *ReleaseModel) (*ReleaseResult, error) {
	all := *w
	if model != nil {
		if model.Windows.Seconds != w.Seconds {
			return nil, fmt.Errorf("windows of %v s after a model of %v s: must be equal windows", w.Seconds,
				model.Windows.Seconds)
		}
		all.Released = append(slices.Clone(model.Windows.Released), w.Released...)
		all.Available = append(slices.Clone(model.Windows.Available), w.Available...)
	}
	if n := len(all.Released); n < 2 {
		return nil, &fileio.FileError{File: source, Reason: fmt.Sprintf("%s of %g s: must be 2 or more; use a longer "+
			"recording or shorter windows", text.Count(n, "window"), w.Seconds)}
	}
	f, err := predict.FitRelease(all.Released, all.Available, all.Seconds)
	if err != nil {
		return nil, &fileio.FileError{File: source, Err: err}
	}
	state, err := predict.NewRelease(f.Beta)
	if err != nil {
		return nil, err
	}
	for t := range all.Released {
		if err := state.Observe(all.Released[t], all.Available[t], all.Seconds); err != nil {
			return nil, err
		}
	}
	return &ReleaseResult{Schema: text.SchemaFitRelease, Source: source, Windows: len(all.Released), Seconds: all.Seconds,
		ReleaseFit: f, HalfLife: text.Num(state.Frequency.HalfLife()), Default: f.Errors[29],
		Model: ReleaseModel{Schema: text.SchemaFitReleaseModel, Beta: f.Beta, State: *state, Windows: all}}, nil
}

// Validate checks a model read from a file.
func (m *ReleaseModel) Validate() error {
	if m.Schema != text.SchemaFitReleaseModel {
		return fmt.Errorf("schema %q: must be %q", m.Schema, text.SchemaFitReleaseModel)
	}
	if len(m.Windows.Released) != len(m.Windows.Available) {
		return fmt.Errorf("%d windows of released and %d of available containers: must be as many", len(m.Windows.Released),
			len(m.Windows.Available))
	}
	return nil
}

// Chart draws the releases and their prediction, as figure 7 of the OMO paper.
func (r *ReleaseResult) Chart() []byte {
	seen, guess := svg.Series{Name: "released", Shape: svg.Step},
		svg.Series{Name: fmt.Sprintf("estimation, weight %.2f", r.Beta)}
	for t, n := range r.Model.Windows.Released {
		x := float64(t) * r.Seconds
		seen.Points = append(seen.Points, svg.Point{X: x, Y: n / r.Seconds})
		guess.Points = append(guess.Points, svg.Point{X: x, Y: r.Forecast[t]})
	}
	c := svg.Chart{Title: "Container release rate", X: svg.Axis{Label: "time", Seconds: true},
		Y: svg.Axis{Label: "containers/s"}, Series: []svg.Series{seen, guess}}
	return c.File()
}
