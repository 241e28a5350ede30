package remote

import (
	"context"
	"fmt"
	"sync"
	"time"

	"schedtune/tune"
)

// here is an outcome of a run on this machine.
type here struct {
	i int // index in the batch
	o tune.Outcome
}

// localRuns runs items on this machine.
type localRuns struct {
	turn sync.Mutex // of a chunk, whose runs share the slots
	out  chan here
	open int
	last time.Time // something began or ended
}

// start runs the items of a chunk.
func (l *localRuns) start(ctx context.Context, pool tune.Evaluator, f *flight) {
	l.open += len(f.c.Items)
	l.last = time.Now()
	var runs []tune.Item
	for _, it := range f.c.Items {
		runs = append(runs, it.Run)
	}
	go func() {
		l.turn.Lock()
		defer l.turn.Unlock()
		_ = pool.Evaluate(ctx, runs, func(i int, o tune.Outcome) { l.out <- here{f.first + i, o} }) // the context's end
	}()
}

// overdue is the error of a run on this machine that hangs, nil if none does.
func (b *batch) overdue() error {
	if b.local.open == 0 || time.Since(b.local.last) <= b.d.timing.ItemLimit {
		return nil
	}
	return fmt.Errorf("a run that no worker finished in %d deliveries does not end here within %s either",
		b.d.timing.MaxDeliver, b.d.timing.ItemLimit.Round(time.Second))
}
