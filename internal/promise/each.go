package promise

import (
	"context"
	"fmt"
	"sync"
)

// Each works on n cases with so many workers and returns what they gave, in the
// order of the cases. done is told of each that succeeded, one at a time, with how
// many have. Errors: the context's; else the first in the order of the cases, with
// its name.
func Each[O any](ctx context.Context, n, workers int, name func(i int) string, work func(i int) (O, error), done func(count int, o *O)) ([]O, error) {
	outs, errs := make([]O, n), make([]error, n)
	var mu sync.Mutex
	var wg sync.WaitGroup
	next, count := make(chan int), 0
	for range max(1, workers) {
		wg.Go(func() {
			for i := range next {
				if outs[i], errs[i] = work(i); errs[i] != nil || ctx.Err() != nil {
					continue
				}
				mu.Lock()
				count++
				done(count, &outs[i])
				mu.Unlock()
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
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name(i), err)
		}
	}
	return outs, nil
}
