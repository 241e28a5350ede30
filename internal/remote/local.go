package remote

import (
	"context"
	"fmt"
	"time"

	"schedtune/tune"
)

// Local outcomes.

// here is an outcome of a run on this machine.
type here struct {
	i int // index in the batch
	o tune.Outcome
}

// localRuns runs items on this machine, some at a time.
type localRuns struct {
	slots chan struct{}
	out   chan here
	open  int
	last  time.Time // something began or ended
}

func newLocalRuns(slots, most int) *localRuns {
	return &localRuns{slots: make(chan struct{}, max(slots, 1)), out: make(chan here, most)}
}

// start runs an item; worker and said are what it is compared with, worker ""
// if nobody has answered.
func (l *localRuns) start(ctx context.Context, run tune.Run, it tune.Item, i int) {
	l.open++
	l.last = time.Now()
	go func() {
		select {
		case l.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		defer func() { <-l.slots }()
		l.out <- here{i, safely(run, it)}
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
