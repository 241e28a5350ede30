package remote

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"schedtune/internal/rng"
	"schedtune/tune"
)

// A run is a pure function of its item, so an answer can be checked by running
// the item again here. Which ones are checked nobody can foresee.

// Share is the part of a worker's n answers that must be run again so that one
// with a false answer in a hundred is found with 99.9 %: 1 - 0.001^(100/n).
func Share(n int) float64 {
	return 1 - math.Pow(0.001, 100/float64(max(n, 1)))
}

// LiarError is a worker whose answer differs from the same run here. Nothing it
// answered counts; Did is true for its items.
type LiarError struct {
	Worker string
	Item   tune.Item
	Diff   string
	Did    func(tune.Item) bool
}

func (e *LiarError) Error() string {
	return fmt.Sprintf("worker %s answers falsely (trial %d, seed %d: %s)", e.Worker, e.Item.Trial, e.Item.Seed, e.Diff)
}

// runKey is what tells a study's items apart.
type runKey struct {
	trial  int
	seed   uint64
	window int
}

func keyOf(it tune.Item) runKey { return runKey{it.Trial, it.Seed, it.Window} }

// checked is an outcome from a worker that is not known to lie.
type checked struct {
	worker string
	o      tune.Outcome
}

// maxKnown bounds the outcomes kept for the case that a worker is thrown out
// and the study goes back.
const maxKnown = 1 << 17

// ledger is who answered what.
type ledger struct {
	mu       sync.Mutex
	did      map[string]map[runKey]bool
	known    map[runKey]checked
	expelled map[string]bool
	draws    rng.Key
	drawn    uint64
}

func newLedger() *ledger {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return &ledger{did: map[string]map[runKey]bool{}, known: map[runKey]checked{}, expelled: map[string]bool{},
		draws: rng.NewKey(binary.LittleEndian.Uint64(b[:]), 0)}
}

// enter notes a worker's answer.
func (l *ledger) enter(worker string, it tune.Item, o tune.Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.did[worker] == nil {
		l.did[worker] = map[runKey]bool{}
	}
	l.did[worker][keyOf(it)] = true
	if len(l.known) < maxKnown {
		l.known[keyOf(it)] = checked{worker, o}
	}
}

// recall returns an outcome that is known already.
func (l *ledger) recall(it tune.Item) (tune.Outcome, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.known[keyOf(it)]
	return c.o, ok
}

// expel throws a worker out with all it did.
func (l *ledger) expel(worker string) (did map[runKey]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expelled[worker] = true
	maps.DeleteFunc(l.known, func(_ runKey, c checked) bool { return c.worker == worker })
	return l.did[worker]
}

func (l *ledger) isExpelled(worker string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.expelled[worker]
}

// draw decides whether an answer is run again.
func (l *ledger) draw(share float64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drawn++
	return l.draws.Float64(l.drawn) < share
}

// share is the part of the answers to run again: what was asked for, or what
// the size of the study and the number of workers demand.
func (d *Driver) share() float64 {
	switch {
	case d.Local == nil:
		return 0
	case d.Verify >= 0:
		return d.Verify
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return Share(d.Budget / max(len(d.workers), 1))
}

// Local outcomes.

// here is an outcome of a run on this machine.
type here struct {
	i      int // index in the batch
	worker string
	said   tune.Outcome
	o      tune.Outcome
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
func (l *localRuns) start(ctx context.Context, run tune.Run, it tune.Item, i int, worker string, said tune.Outcome) {
	l.open++
	l.last = time.Now()
	go func() {
		select {
		case l.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		defer func() { <-l.slots }()
		l.out <- here{i, worker, said, safely(run, it)}
	}()
}

// Lines checks result lines before they count: a share of what each machine
// answered is run again here.
type Lines struct {
	Run     tune.Run
	Metrics []string
	Share   float64 // 0 to 1
	Slots   int
	book    *ledger
}

// Liar runs a drawn share of results again and returns the first machine whose
// result differs, with the difference; "" if none does. items and results stand
// side by side.
func (l *Lines) Liar(ctx context.Context, items []tune.Item, results []Result) (host, diff string, err error) {
	if l.book == nil {
		l.book = newLedger()
	}
	runs := newLocalRuns(l.Slots, len(items))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, it := range items {
		if err := plausible(results[i].Outcome, l.Metrics); err != nil {
			return results[i].Host, err.Error(), nil
		}
		if l.book.draw(l.Share) {
			runs.start(ctx, l.Run, it, i, results[i].Host, results[i].Outcome)
		}
	}
	for range runs.open {
		select {
		case h := <-runs.out:
			if diff := difference(h.said, h.o); diff != "" {
				return h.worker, diff, nil
			}
		case <-ctx.Done():
			return "", "", ctx.Err()
		}
	}
	return "", "", nil
}

// judge compares a worker's answer with the run here.
func (b *batch) judge(h here) error {
	if h.worker == "" {
		b.finish(h.i, h.o)
		return nil
	}
	diff := difference(h.said, h.o)
	if diff == "" {
		return nil
	}
	did := b.d.book.expel(h.worker)
	_ = b.d.nc.Publish(expelPrefix+h.worker, []byte(diff)) // a courtesy; its answers are dropped in any case
	return &LiarError{Worker: h.worker, Item: b.items[h.i].Run, Diff: diff, Did: func(it tune.Item) bool {
		return did[keyOf(it)]
	}}
}

// difference tells where two outcomes differ; "" if nowhere.
func difference(said, is tune.Outcome) string {
	if said.Err != is.Err {
		return fmt.Sprintf("fails with %.80q, and with %.80q here", said.Err, is.Err)
	}
	if !slices.Equal(said.Lost, is.Lost) {
		return fmt.Sprintf("%d pieces of work lost, %d here, or others", len(said.Lost), len(is.Lost))
	}
	if !slices.Equal(said.Parts, is.Parts) {
		return fmt.Sprintf("%d numbers of parts, %d here, or others", len(said.Parts), len(is.Parts))
	}
	if !slices.Equal(said.Hints, is.Hints) {
		return fmt.Sprintf("%d hints, %d here, or others", len(said.Hints), len(is.Hints))
	}
	if len(said.Metrics) != len(is.Metrics) {
		return fmt.Sprintf("%d metrics, %d here", len(said.Metrics), len(is.Metrics))
	}
	for name, v := range is.Metrics {
		if w, ok := said.Metrics[name]; !ok || w != v {
			return fmt.Sprintf("%s is %v, %v here", name, w, v)
		}
	}
	return ""
}

// overdueHere reports whether a run on this machine hangs.
func (b *batch) overdueHere() bool {
	return b.local.open > 0 && time.Since(b.local.last) > b.d.timing.ItemLimit
}

// overdue is the error of a run that nobody ends.
func (b *batch) overdue() error {
	return fmt.Errorf("a run that no worker finished in %d deliveries does not end here within %s either",
		b.d.timing.MaxDeliver, b.d.timing.ItemLimit.Round(time.Second))
}
