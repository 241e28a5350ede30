package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Each judges recorded runs, each with those of other scenarios among them and with the
// repetitions of its own.
func Each[R any](dirs []string, load func(dir string) (*R, error), same func(a, b *R) bool,
	judge func(r *R, others, equal []*R) error) error {
	runs, err := LoadAll(dirs, load)
	if err != nil {
		return err
	}
	for i, r := range runs {
		var others, equal []*R
		for _, o := range runs {
			switch {
			case o == r:
			case same(o, r):
				equal = append(equal, o)
			default:
				others = append(others, o)
			}
		}
		if err := judge(r, others, equal); err != nil {
			return fmt.Errorf("%s: %w", dirs[i], err)
		}
	}
	return nil
}

// LoadAll loads recorded runs.
func LoadAll[R any](dirs []string, load func(dir string) (*R, error)) (runs []*R, err error) {
	for _, dir := range dirs {
		r, err := load(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// Sleeping returns the runs that may teach a calibration: those whose tasks sleep. How long
// tasks that read files take does not show in a scenario.
func Sleeping(runs []*Run) []*Run {
	return slices.DeleteFunc(runs, func(r *Run) bool { return slices.ContainsFunc(r.Jobs, r.readsFiles) })
}

// Study is the result of several runs.
type Study struct {
	Schema string    `json:"schema"`
	Runs   []*Report `json:"runs"`
}

// CheckAll compares several recorded runs. Those of one scenario are repetitions
// of each other: predictions are compared with their mean. With opt.LeaveOut each is
// judged with a calibration fitted on the other scenarios among them.
func CheckAll(ctx context.Context, dirs []string, opt Options) (*Study, error) {
	st := &Study{Schema: "schedtune/replay/v2"}
	err := Each(dirs, Load, sameScenario, func(r *Run, others, equal []*Run) (err error) {
		if opt.LeaveOut {
			if opt.Calibration, err = Fit(Sleeping(others)); err != nil {
				return err
			}
		}
		rep, err := r.check(ctx, opt, equal)
		st.Runs = append(st.Runs, rep)
		return err
	})
	return st, err
}

// Print writes the reports as text, with an empty line between two.
func (s *Study) Print(w io.Writer) (err error) {
	for i, r := range s.Runs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		err = errors.Join(err, r.Print(w))
	}
	return err
}
