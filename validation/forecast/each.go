package forecast

import (
	"context"
	"fmt"
	"sync"

	"schedtune/internal/simulate"
)

// Each works on n cases with so many workers and returns what they gave, in the
// order of the cases. done is called for each that succeeded, one at a time, with how
// many have. Errors: the context's; else the first in the order of the cases, with
// its name.
func Each[O any](ctx context.Context, n, workers int, name func(i int) string, work func(i int) (O, error),
	done func(count int, o *O)) ([]O, error) {
	outs, count := make([]O, n), 0
	var mu sync.Mutex
	err := simulate.Each(ctx, n, workers, func(i int) (err error) {
		if outs[i], err = work(i); err != nil {
			return fmt.Errorf("%s: %w", name(i), err)
		}
		if ctx.Err() == nil {
			mu.Lock()
			defer mu.Unlock()
			count++
			done(count, &outs[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outs, nil
}
