package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Search runs a study to its end with the problem's evaluator. A cancelled
// context is no error: the result so far comes back with Status Cancelled. Any
// other failure of the evaluator comes back with the result so far.
func Search(ctx context.Context, p Problem, o Options) (*Result, error) {
	if p.Evaluator == nil {
		return nil, fmt.Errorf("tune: the problem has no evaluator")
	}
	s, err := NewStudy(p, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		items, err := s.Ask()
		if items == nil {
			return s.Result(), err
		}
		err = s.evaluate(ctx, p.Evaluator, items, o.Progress)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			s.d.found.status = Cancelled
			return s.Result(), nil
		}
		if err != nil {
			return s.Result(), err
		}
	}
}

// evaluate has items run and tells their outcomes in order as they come in, so
// that a kill loses at most what is out of order.
func (s *Study) evaluate(ctx context.Context, e Evaluator, items []Item, report func(Progress)) error {
	got := make([]*Outcome, len(items))
	told := 0
	var failed error
	err := e.Evaluate(ctx, items, func(i int, o Outcome) {
		for got[i] = &o; told < len(items) && got[told] != nil && failed == nil; told++ {
			failed = s.Tell(*got[told])
			if report != nil {
				report(s.Progress())
			}
		}
	})
	if err = cmp.Or(failed, err); err == nil && told < len(items) {
		err = cmp.Or(ctx.Err(), fmt.Errorf("tune: the evaluator returned no error, but only %d of %d runs", told, len(items)))
	}
	return err
}
