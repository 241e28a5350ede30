package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"schedtune/tune"
)

// Worker runs items for any driver on its message server.
type Worker struct {
	Slots  int    // runs at a time
	Timing Timing // ItemLimit only; the rest is the driver's
	// Log, if set, hears what the worker does.
	Log func(format string, args ...any)
	// Prepare turns a study's package into its run; nil = Unpack. Tests put
	// faults here.
	Prepare func(pkg []byte) (tune.Run, error)

	js   jetstream.JetStream
	nc   *nats.Conn
	name string

	code   string
	ending chan struct{} // closed when what is under way has had its time

	mu     sync.Mutex
	cached string
	run    tune.Run
	failed error // of the cached study
}

// drain is how long a worker that is asked to stop goes on with what it has
// begun; the rest goes back to the queue.
const drain = 1500 * time.Millisecond

// fetchWait is how long a question for work stays open. It is not taken back when
// the worker is asked to stop: a chunk on its way would be lost for AckWait.
const fetchWait = time.Second

// Work takes chunks until the context ends. Those under way are then finished if
// that takes less than drain, and given back otherwise. Errors: a driver has
// found an answer of this worker to be false.
func (w *Worker) Work(ctx context.Context, nc *nats.Conn) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if w.code, err = CodeID(); err != nil {
		return err
	}
	w.js, w.nc, w.name = js, nc, fmt.Sprintf("%s-%d-%s", hostName(), os.Getpid(), newToken()[:6])
	w.Timing = w.Timing.withDefaults()
	w.ending = make(chan struct{})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go w.beAlive(ctx)
	var wg sync.WaitGroup
	for range max(w.Slots, 1) {
		wg.Go(func() { w.slot(ctx) })
	}
	done := make(chan struct{})
	go func() { defer close(done); wg.Wait() }()
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(drain):
			close(w.ending)
			_ = nc.FlushTimeout(200 * time.Millisecond) // what was given back; it comes back by itself otherwise
		}
	}
	return nil
}

func (w *Worker) log(format string, args ...any) {
	if w.Log != nil {
		w.Log(format, args...)
	}
}

func (w *Worker) beAlive(ctx context.Context) {
	data, err := encode(alive{w.name, max(w.Slots, 1), w.code})
	if err != nil {
		return
	}
	for {
		_ = w.nc.Publish(aliveSubject, data) // display only
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// slot takes one chunk after the other. The queue is the driver's to make, with
// its delays; until there is one the worker looks again and again.
func (w *Worker) slot(ctx context.Context) {
	for ctx.Err() == nil {
		cons, err := w.js.Consumer(ctx, workStream, workConsumer+w.code)
		if err == nil {
			var got jetstream.MessageBatch
			wait := cons.CachedInfo().Config.AckWait
			if got, err = cons.Fetch(1, jetstream.FetchMaxWait(fetchWait)); err == nil {
				for m := range got.Messages() {
					w.chunk(ctx, m, wait)
				}
				err = got.Error()
			}
		}
		if err != nil && ctx.Err() == nil {
			select { // the server is away or restarting
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
}

// chunk runs one chunk, answers, and acknowledges: a worker that dies before
// the answer leaves the chunk to others; one that dies after it has the chunk
// run twice, which changes nothing.
func (w *Worker) chunk(ctx context.Context, m jetstream.Msg, ackWait time.Duration) {
	if ctx.Err() != nil { // drained: leave it to others at once
		_ = m.Nak()
		return
	}
	var c chunk
	if err := json.Unmarshal(m.Data(), &c); err != nil || len(c.Items) == 0 {
		w.log("dropped a message that is no chunk of work (%v)", err)
		_ = m.Term()
		return
	}
	run, err := w.study(ctx, c.Items)
	if err != nil {
		w.refuse(ctx, m, c, err)
		return
	}
	a := answer{Chunk: c.ID, Worker: w.name, Results: make([]Result, len(c.Items))}
	start := time.Now()
	var progress atomic.Int64 // of the beginning of the run under way, by a clock that does not jump
	stop := w.keepAlive(m, start, &progress, ackWait)
	defer stop()
	for i, it := range c.Items {
		progress.Store(int64(time.Since(start)))
		a.Results[i] = Result{ID: it.ID, Outcome: safely(run, it.Run)}
	}
	a.Nanos = int64(time.Since(start))
	data, err := encode(a)
	if err != nil {
		w.log("answer: %v", err)
		return
	}
	// An answer is waited with even if the worker is being drained.
	answerCtx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drain, cancel) })()
	if err := publish(answerCtx, w.js, c.Reply, c.ID, data, nil); err != nil {
		w.log("answer: %v", err)
		return
	}
	// Unacknowledged, the chunk is run again, to the same end. A server that has
	// gone meanwhile never confirms.
	ackCtx, done := context.WithTimeout(answerCtx, 3*time.Second)
	defer done()
	_ = m.DoubleAck(ackCtx)
}

// keepAlive tells the server that the chunk is in work, as long as its runs
// end within ItemLimit: a run that hangs lets the chunk go to another worker.
func (w *Worker) keepAlive(m jetstream.Msg, start time.Time, progress *atomic.Int64, ackWait time.Duration) (
	stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(max(ackWait/3, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-w.ending:
				_ = m.Nak()
				return
			case <-tick.C:
				if time.Since(start)-time.Duration(progress.Load()) < w.Timing.ItemLimit {
					_ = m.InProgress()
				}
			}
		}
	}()
	return func() { close(done) }
}

// refuse leaves a chunk to workers that can run it and says why.
func (w *Worker) refuse(ctx context.Context, m jetstream.Msg, c chunk, why error) {
	text := fmt.Sprintf("worker %s refuses work: %v", w.name, why)
	w.log("%s", text)
	_ = w.nc.Publish(noticePrefix+c.Items[0].Study, []byte(text))
	_ = m.NakWithDelay(2 * time.Second)
	select { // for a while the others shall have what comes
	case <-ctx.Done():
	case <-time.After(5 * time.Second):
	}
}

// study returns the run of the chunk's study; all its items must be of one
// study, of this code, and unchanged.
func (w *Worker) study(ctx context.Context, items []Item) (tune.Run, error) {
	hash := items[0].Study
	for _, it := range items {
		if err := it.check(hash); err != nil {
			return nil, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cached == hash {
		return w.run, w.failed
	}
	data, err := getPackage(ctx, w.js, hash)
	if err != nil {
		return nil, err // may pass: not kept
	}
	prepare := w.Prepare
	if prepare == nil {
		prepare = func(pkg []byte) (tune.Run, error) {
			s, err := Unpack(context.WithoutCancel(ctx), pkg, 1)
			if err != nil {
				return nil, err
			}
			return s.Runner.Outcome, nil
		}
	}
	w.run, w.failed = prepare(data)
	w.cached = hash
	w.log("study %s, code %s", clip(hash), w.code)
	return w.run, w.failed
}

// safely turns a panic of a run into a failed outcome, as the pool in one
// process does.
func safely(run tune.Run, it tune.Item) (out tune.Outcome) {
	err := tune.Pool(1, run).Evaluate(context.Background(), []tune.Item{it}, func(_ int, o tune.Outcome) { out = o })
	if err != nil {
		out = tune.Outcome{Err: err.Error()}
	}
	return out
}
