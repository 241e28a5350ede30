package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"schedtune/tune"

	"github.com/nats-io/nats.go/jetstream"
)

// batch is one call of Evaluate under way.
type batch struct {
	d     *Driver
	items []Item
	open  map[string]*flight // chunks on their way
	// resent are chunks that went out again by another name, with their first item:
	// one that had reached the delivery limit may be told of only after that.
	resent map[string]int
	done   []bool
	next   int // first item that has not been handed out, or is done
	left   int
	tell   func(int, tune.Outcome)
	local  *localRuns
	msgs   jetstream.ConsumeContext
	in     chan jetstream.Msg
	quit   chan struct{}
	// number of the batch: one that is asked again must not have the names of
	// messages that the server has seen
	number int
}

// flight is a chunk on its way.
type flight struct {
	c       chunk
	first   int // index of its first item
	attempt int
}

func (b *batch) run(ctx context.Context) error {
	b.in, b.quit = make(chan jetstream.Msg), make(chan struct{})
	defer close(b.quit)
	if err := b.inbox(); err != nil {
		return err
	}
	defer func() { b.msgs.Stop() }()
	quiet := time.NewTimer(b.d.timing.AckWait)
	defer quiet.Stop()
	for b.left > 0 || b.local.open > 0 {
		if err := b.hand(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case h := <-b.local.out:
			b.local.open--
			b.local.last = time.Now()
			b.finish(h.i, h.o)
			quiet.Reset(b.d.timing.AckWait)
		case m := <-b.in:
			quiet.Reset(b.d.timing.AckWait)
			if err := b.receive(ctx, m); err != nil {
				return err
			}
		case id := <-b.d.lost:
			b.giveUp(ctx, id)
		case <-quiet.C:
			quiet.Reset(b.d.timing.AckWait)
			if err := b.resend(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// hand sends chunks out as long as there are items and the window takes more.
func (b *batch) hand(ctx context.Context) error {
	for b.next < len(b.items) && len(b.open) < b.d.window() {
		n := b.together()
		if n == 0 {
			break
		}
		if err := b.send(ctx, b.next, n, 0); err != nil {
			return err
		}
		b.next += n
	}
	return nil
}

// resend sends chunks again that nobody has any more: nothing waits in the
// queue or is in work, yet answers are missing. That happens only if an answer
// was unreadable, or the server lost its store.
func (b *batch) resend(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := b.overdue(); err != nil {
		return err
	}
	cons, err := b.d.js.Consumer(ask, workStream, workConsumer+b.d.code)
	if err == nil {
		_, err = b.d.js.Consumer(ask, resultStream, resultConsumer+b.d.id)
	}
	if err != nil {
		return b.restore(ctx)
	}
	info, err := cons.Info(ask)
	if err != nil || info.NumPending > 0 || info.NumAckPending > 0 {
		return nil // somebody has them, or the server is away: look again later
	}
	again := slices.Collect(maps.Values(b.open))
	slices.SortFunc(again, func(a, b *flight) int { return cmp.Compare(a.first, b.first) })
	for _, f := range again {
		b.resent[f.c.ID] = f.first
		if err := b.again(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// again sends a chunk by another name, up to the delivery limit.
func (b *batch) again(ctx context.Context, f *flight) error {
	delete(b.open, f.c.ID)
	if f.attempt+1 >= b.d.timing.MaxDeliver {
		b.fail(ctx, f)
		return nil
	}
	return b.send(ctx, f.first, len(f.c.Items), f.attempt+1)
}

// restore makes everything at the server again if that came back without its
// store; while there is no server, it is tried again later.
func (b *batch) restore(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := b.d.store(ask); err != nil {
		return ctx.Err()
	}
	b.msgs.Stop()
	return b.inbox()
}

// inbox begins to receive results; while the server restarts, the library goes on by itself.
func (b *batch) inbox() error {
	msgs, err := b.d.cons.Consume(func(m jetstream.Msg) {
		select {
		case b.in <- m:
		case <-b.quit:
		}
	}, jetstream.PullMaxMessages(64), jetstream.PullExpiry(5*time.Second))
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	b.msgs = msgs
	return nil
}

func (b *batch) send(ctx context.Context, first, n, attempt int) error {
	c := newChunk(resultPrefix+b.d.id, b.items[first:first+n], b.number<<16|attempt)
	b.open[c.ID] = &flight{c, first, attempt}
	data, err := encode(c)
	if err != nil {
		return err
	}
	if err := publish(ctx, b.d.js, workPrefix+b.d.code, c.ID, data, func() error { return b.restore(ctx) }); err != nil {
		return fmt.Errorf("sending work: %w", err)
	}
	return nil
}

// receive takes one answer: late and repeated ones are dropped, malformed ones
// are run again.
func (b *batch) receive(ctx context.Context, m jetstream.Msg) error {
	_ = m.Ack() // an answer whose acknowledgement is lost comes again, and is dropped then
	var a answer
	if err := json.Unmarshal(m.Data(), &a); err != nil {
		b.d.warn("an answer is not JSON (%v)", err)
		return nil // its chunk, if any, is still unacknowledged or answered again
	}
	f := b.open[a.Chunk]
	if f == nil {
		return nil
	}
	if err := a.check(&f.c, b.d.Metrics); err != nil {
		b.d.warn("worker %.100q: malformed result (%v); its runs go out again", a.Worker, err)
		return b.again(ctx, f)
	}
	delete(b.open, a.Chunk)
	b.d.learn(time.Duration(a.Nanos) / time.Duration(len(a.Results)))
	for i, r := range a.Results {
		b.finish(f.first+i, r.Outcome)
	}
	return nil
}

// together passes items that are done and returns how many of the next go out
// together.
func (b *batch) together() int {
	for b.next < len(b.items) && b.done[b.next] {
		b.next++
	}
	n := 0
	for most := b.d.chunkSize(len(b.items)); n < most && b.next+n < len(b.items) && !b.done[b.next+n]; n++ {
	}
	return n
}

func (b *batch) finish(i int, o tune.Outcome) {
	if b.done[i] {
		return
	}
	b.done[i] = true
	b.left--
	b.tell(i, o)
}

// giveUp takes a chunk back after the delivery limit.
func (b *batch) giveUp(ctx context.Context, id string) {
	f := b.open[id]
	if first, again := b.resent[id]; f == nil && again {
		for _, o := range b.open {
			if o.first == first {
				f = o
			}
		}
	}
	if f != nil {
		delete(b.open, f.c.ID)
		b.fail(ctx, f)
	}
}

// fail has the runs of a chunk that no worker finished done here. Without Local
// they are recorded as failed.
func (b *batch) fail(ctx context.Context, f *flight) {
	if b.d.Local != nil {
		b.d.warn("no worker finished %d runs in %d deliveries; done by the driver", len(f.c.Items), b.d.timing.MaxDeliver)
		b.local.start(ctx, tune.Pool(b.d.Slots, b.d.Local), f)
		return
	}
	for i := range f.c.Items {
		b.finish(f.first+i, tune.Outcome{Err: fmt.Sprintf("no worker finished this run in %d deliveries",
			b.d.timing.MaxDeliver)})
	}
}
