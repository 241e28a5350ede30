package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"schedtune/internal/codeid"
	"schedtune/tune"
)

// Driver is an evaluator that has items run by workers. It is the only one who
// knows the study's course; workers know single runs.
type Driver struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	study  string
	id     string
	timing Timing
	cons   jetstream.Consumer
	subs   []*nats.Subscription

	// Warn, if set, hears of workers that refuse and answers that make no sense.
	Warn func(format string, args ...any)
	// Local, if set, runs items on this machine, Slots at a time: those that no
	// worker finishes, and a share of what workers answer to see whether it is
	// true. Metrics, if set, are all that an outcome may hold.
	Local   tune.Run
	Slots   int
	Metrics []string
	// Verify is the share of answers that is run again here, 0 to 1. Below 0 it
	// follows from Budget, the runs of the study, by Share.
	Verify float64
	Budget int

	code    string // identity of this code
	batches int
	book    *ledger

	perItem time.Duration // smoothed time of a run, for the size of chunks

	mu      sync.Mutex
	workers map[string]seen
	foreign map[string]bool // workers of other code
	lost    chan string     // ids of chunks that reached the delivery limit
}

// seen is a worker's last acknowledgement.
type seen struct {
	at    time.Time
	slots int
}

// NewDriver stores the package and prepares for results.
func NewDriver(ctx context.Context, nc *nats.Conn, pkg []byte, t Timing) (*Driver, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	code, err := codeid.ID()
	if err != nil {
		return nil, err
	}
	d := &Driver{code: code, book: newLedger(), foreign: map[string]bool{}, Verify: -1, nc: nc, js: js, study: Hash(pkg), id: nats.NewInbox()[len("_INBOX."):], timing: t.withDefaults(),
		workers: map[string]seen{}, lost: make(chan string, 1024)}
	if err := setUp(ctx, js, code, d.timing); err != nil {
		return nil, err
	}
	if err := putPackage(ctx, js, d.study, pkg); err != nil {
		return nil, fmt.Errorf("storing the study: %w", err)
	}
	d.cons, err = js.CreateOrUpdateConsumer(ctx, resultStream, jetstream.ConsumerConfig{
		Durable: "driver-" + d.id, FilterSubject: resultPrefix + d.id, AckPolicy: jetstream.AckExplicitPolicy,
		InactiveThreshold: time.Hour, MaxAckPending: 100_000,
	})
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return d, d.listen()
}

// listen follows workers, refusals and chunks that reached the delivery limit.
func (d *Driver) listen() error {
	for subject, handle := range map[string]nats.MsgHandler{
		aliveSubject:           d.heardWorker,
		noticePrefix + d.study: func(m *nats.Msg) { d.warn("%s", m.Data) },
		"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + workStream + ".>": d.heardLimit,
	} {
		sub, err := d.nc.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		d.subs = append(d.subs, sub)
	}
	return nil
}

func (d *Driver) warn(format string, args ...any) {
	if d.Warn != nil {
		d.Warn(format, args...)
	}
}

// alive is a worker's acknowledgement that it works.
type alive struct {
	Worker string `json:"worker"`
	Slots  int    `json:"slots"`
	Code   string `json:"code"`
}

func (d *Driver) heardWorker(m *nats.Msg) {
	var a alive
	if json.Unmarshal(m.Data, &a) != nil || !plainName(a.Worker) || a.Slots < 1 || a.Slots > maxSlots || d.book.isExpelled(a.Worker) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.workers)+len(d.foreign) > maxWorkers {
		return
	}
	if a.Code == d.code {
		d.workers[a.Worker] = seen{time.Now(), a.Slots}
	} else if !d.foreign[a.Worker] {
		d.foreign[a.Worker] = true
		d.warn("worker %s runs other code (%.16q, not %s) and gets no work", a.Worker, a.Code, d.code)
	}
}

// What an acknowledgement may claim, and how many are listened to.
const (
	maxSlots   = 4096
	maxWorkers = 100_000
)

// Workers returns how many workers sent an acknowledgement lately, and their slots.
func (d *Driver) Workers() (workers, slots int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.workers {
		if time.Since(s.at) < 5*time.Second {
			workers++
			slots += s.slots
		}
	}
	return workers, slots
}

// heardLimit looks the message up that was given up, tells its chunk and
// removes it from the queue.
func (d *Driver) heardLimit(m *nats.Msg) {
	var adv struct {
		Seq uint64 `json:"stream_seq"`
	}
	if json.Unmarshal(m.Data, &adv) != nil {
		return
	}
	go func() { // a callback must not wait for the server's answer
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		s, err := d.js.Stream(ctx, workStream)
		if err != nil {
			return
		}
		raw, err := s.GetMsg(ctx, adv.Seq)
		if err != nil {
			return
		}
		var c chunk
		if json.Unmarshal(raw.Data, &c) != nil || c.Reply != resultPrefix+d.id {
			return
		}
		if s.DeleteMsg(ctx, adv.Seq) == nil {
			d.lost <- c.ID
		}
	}()
}

// Close ends the driver; what it stored for others to find stays.
func (d *Driver) Close() {
	for _, s := range d.subs {
		_ = s.Unsubscribe() // the connection is going away in any case
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = d.js.DeleteConsumer(ctx, resultStream, "driver-"+d.id) // expires by itself otherwise
	d.nc.Close()
}

// batch is one call of Evaluate under way.
type batch struct {
	d     *Driver
	items []Item
	open  map[string]*flight // chunks on their way
	done  []bool
	left  int
	tell  func(int, tune.Outcome)
	local *localRuns
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

// window is how many chunks may be on their way: four for every slot, and some
// for workers that are still to come. It bounds the server's memory, and keeps
// the first chunks, sent before a run's time is known, few.
func (d *Driver) window() int {
	_, slots := d.Workers()
	return max(64, 4*slots)
}

// Evaluate implements tune.Evaluator.
func (d *Driver) Evaluate(ctx context.Context, runs []tune.Item, done func(int, tune.Outcome)) error {
	d.batches++
	b := &batch{d: d, number: d.batches, open: map[string]*flight{}, done: make([]bool, len(runs)), left: len(runs), tell: done}
	for _, r := range runs {
		it, err := NewItem(d.study, r)
		if err != nil {
			return err
		}
		b.items = append(b.items, it)
	}
	for i, r := range runs { // what an honest worker answered before the study went back
		if o, ok := d.book.recall(r); ok {
			b.finish(i, o)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	b.local = newLocalRuns(d.Slots, 2*len(runs))
	defer cancel()
	return b.run(ctx)
}

func (b *batch) run(ctx context.Context) error {
	msgs, err := b.d.cons.Messages(jetstream.PullMaxMessages(64), jetstream.PullExpiry(5*time.Second))
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	defer msgs.Stop()
	in := make(chan jetstream.Msg)
	quit := make(chan struct{})
	defer close(quit)
	go receive(msgs, in, quit)
	next := 0
	quiet := time.NewTimer(b.d.timing.AckWait)
	defer quiet.Stop()
	for b.left > 0 || b.local.open > 0 {
		for next < len(b.items) && len(b.open) < b.d.window() {
			n := b.run1(&next)
			if n == 0 {
				break
			}
			if err := b.send(ctx, next, n, 0); err != nil {
				return err
			}
			next += n
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case h := <-b.local.out:
			b.local.open--
			b.local.last = time.Now()
			if err := b.judge(h); err != nil {
				return err
			}
			quiet.Reset(b.d.timing.AckWait)
		case m := <-in:
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

// resend sends chunks again that nobody has any more: nothing waits in the
// queue or is in work, yet answers are missing. That happens only if an answer
// was unreadable, or the server lost its store.
func (b *batch) resend(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if b.overdueHere() {
		return b.overdue()
	}
	cons, err := b.d.js.Consumer(ask, workStream, workConsumer+b.d.code)
	if err != nil {
		return b.restore(ctx)
	}
	info, err := cons.Info(ask)
	if err != nil || info.NumPending > 0 || info.NumAckPending > 0 {
		return nil // somebody has them, or the server is away: look again later
	}
	var again []*flight
	for _, f := range b.open {
		again = append(again, f)
	}
	sort.Slice(again, func(i, j int) bool { return again[i].first < again[j].first })
	for _, f := range again {
		delete(b.open, f.c.ID)
		if f.attempt+1 >= b.d.timing.MaxDeliver {
			b.fail(ctx, f)
			continue
		}
		if err := b.send(ctx, f.first, len(f.c.Items), f.attempt+1); err != nil {
			return err
		}
	}
	return nil
}

// restore makes the queues again if a server came back without its store.
func (b *batch) restore(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := setUp(ask, b.d.js, b.d.code, b.d.timing); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}

// receive moves messages from the server's iterator into a channel.
func receive(msgs jetstream.MessagesContext, in chan<- jetstream.Msg, quit <-chan struct{}) {
	for {
		m, err := msgs.Next()
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return
		}
		if err != nil { // a server that restarts; the iterator goes on by itself
			select {
			case <-quit:
				return
			case <-time.After(100 * time.Millisecond):
				continue
			}
		}
		select {
		case in <- m:
		case <-quit:
			return
		}
	}
}

// chunkSize is how many items take Target together, one until a run's time is
// known; a chunk never exceeds a share of the batch that would leave workers
// idle, nor a message's size.
func (d *Driver) chunkSize(batch int) int {
	if d.perItem <= 0 {
		return 1
	}
	_, slots := d.Workers()
	n := int(d.timing.Target / d.perItem)
	return max(1, min(n, batch/max(2*slots, 1), 256))
}

func (b *batch) send(ctx context.Context, first, n, attempt int) error {
	c := newChunk(resultPrefix+b.d.id, b.items[first:first+n], b.number<<16|attempt)
	b.open[c.ID] = &flight{c, first, attempt}
	data, err := encode(c)
	if err != nil {
		return err
	}
	if err := publish(ctx, b.d.js, workPrefix+b.d.code, c.ID, data); err != nil {
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
		b.d.warn("an answer is no JSON (%v)", err)
		return nil // its chunk, if any, is still unacknowledged or answered again
	}
	f := b.open[a.Chunk]
	if f == nil {
		return nil
	}
	err := a.check(&f.c, b.d.Metrics)
	if err != nil {
		b.d.warn("worker %.100q: malformed result (%v); its runs go out again", a.Worker, err)
	}
	if err != nil || b.d.book.isExpelled(a.Worker) {
		delete(b.open, a.Chunk)
		if f.attempt+1 >= b.d.timing.MaxDeliver {
			b.fail(ctx, f)
			return nil
		}
		return b.send(ctx, f.first, len(f.c.Items), f.attempt+1)
	}
	delete(b.open, a.Chunk)
	b.d.learn(time.Duration(a.Nanos) / time.Duration(len(a.Results)))
	share := b.d.share()
	for i, r := range a.Results {
		if b.d.Local != nil {
			b.d.book.enter(a.Worker, f.c.Items[i].Run, r.Outcome)
			if b.d.book.draw(share) {
				b.local.start(ctx, b.d.Local, f.c.Items[i].Run, f.first+i, a.Worker, r.Outcome)
			}
		}
		b.finish(f.first+i, r.Outcome)
	}
	return nil
}

// run1 passes items that are done and returns how many of the next go out
// together.
func (b *batch) run1(next *int) int {
	for *next < len(b.items) && b.done[*next] {
		*next++
	}
	n := 0
	for most := b.d.chunkSize(len(b.items)); n < most && *next+n < len(b.items) && !b.done[*next+n]; n++ {
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
	if f := b.open[id]; f != nil {
		delete(b.open, id)
		b.fail(ctx, f)
	}
}

// fail has the runs of a chunk that no worker finished done here. Without Local
// they are recorded as failed.
func (b *batch) fail(ctx context.Context, f *flight) {
	if b.d.Local != nil {
		b.d.warn("no worker finished %d runs in %d deliveries; they are done here", len(f.c.Items), b.d.timing.MaxDeliver)
		for i, it := range f.c.Items {
			b.local.start(ctx, b.d.Local, it.Run, f.first+i, "", tune.Outcome{})
		}
		return
	}
	for i := range f.c.Items {
		b.finish(f.first+i, tune.Outcome{Err: fmt.Sprintf("no worker finished this run in %d deliveries", b.d.timing.MaxDeliver)})
	}
}

// learn smooths the time of a run.
func (d *Driver) learn(t time.Duration) {
	if d.perItem == 0 {
		d.perItem = t
		return
	}
	d.perItem += (t - d.perItem) / 8
}
