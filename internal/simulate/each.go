package simulate

import (
	"cmp"
	"context"

	"schedtune/internal/parallel"
)

// Each calls f for 0 to n-1, so many at a time, and returns the first error in that
// order. When the context ends no more are begun, and its error is returned.
func Each(ctx context.Context, n, workers int, f func(i int) error) error {
	errs := make([]error, n)
	parallel.Each(workers, n, func(i int) {
		if ctx.Err() == nil {
			errs[i] = f(i)
		}
	})
	return cmp.Or(append([]error{ctx.Err()}, errs...)...)
}
