package parallel

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// Each number has its call, so many at a time at most, and a panic of one is passed on after
// all goroutines have ended.
func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 50} {
		calls := make([]atomic.Int32, 40)
		var now, most atomic.Int32
		Each(workers, len(calls), func(i int) {
			most.Store(max(most.Load(), now.Add(1)))
			calls[i].Add(1)
			time.Sleep(10 * time.Microsecond)
			now.Add(-1)
		})
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Errorf("%d workers: %d calls for %d", workers, n, i)
			}
		}
		if m := int(most.Load()); m > max(1, workers) {
			t.Errorf("%d calls at a time on %d goroutines", m, workers)
		}
		func() {
			var running atomic.Int32
			defer func() {
				if v := recover(); v == nil || fmt.Sprint(v) != "here" || running.Load() != 0 {
					t.Errorf("%d workers: %v is passed on with %d calls under way", workers, v, running.Load())
				}
			}()
			Each(workers, 40, func(i int) {
				running.Add(1)
				defer running.Add(-1)
				if i == 7 {
					panic("here")
				}
			})
		}()
	}
}
