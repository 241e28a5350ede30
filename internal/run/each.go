package run

import (
	"cmp"
	"context"
	"sync"
)

// Each calls f for 0 to n-1, so many at a time, and returns the first error in that
// order. When the context ends no more are begun, and its error is returned.
func Each(ctx context.Context, n, workers int, f func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, min(workers, n)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return cmp.Or(append([]error{ctx.Err()}, errs...)...)
}
