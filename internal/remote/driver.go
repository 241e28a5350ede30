package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"schedtune/tune"
)

// Driver is an evaluator that has items run by workers. It is the only one who
// knows the study's course; workers know single runs.
type Driver struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	study  string
	pkg    []byte // for a server that loses its store
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

	code    string // identity of this code
	batches int

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
	code, err := CodeID()
	if err != nil {
		return nil, err
	}
	d := &Driver{code: code, foreign: map[string]bool{}, nc: nc, js: js, study: Hash(pkg),
		pkg: pkg, id: nats.NewInbox()[len("_INBOX."):], timing: t.withDefaults(),
		workers: map[string]seen{}, lost: make(chan string, 1024)}
	if err := d.store(ctx); err != nil {
		return nil, err
	}
	return d, d.listen()
}

// store makes what the driver needs at the server: queues, the study's package
// and the consumer of its results. What is there already stays.
func (d *Driver) store(ctx context.Context) error {
	if err := setUp(ctx, d.js, d.code, d.timing); err != nil {
		return err
	}
	if err := putPackage(ctx, d.js, d.study, d.pkg); err != nil {
		return fmt.Errorf("storing the study: %w", err)
	}
	cons, err := d.js.CreateOrUpdateConsumer(ctx, resultStream, jetstream.ConsumerConfig{
		Durable: resultConsumer + d.id, FilterSubject: resultPrefix + d.id, AckPolicy: jetstream.AckExplicitPolicy,
		InactiveThreshold: time.Hour, MaxAckPending: 100_000,
	})
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	d.cons = cons
	return nil
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
	if json.Unmarshal(m.Data, &a) != nil || !plainName(a.Worker) || a.Slots < 1 || a.Slots > maxSlots {
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
		d.warn("worker %s has another program version (%.16q, not %s) and gets no work", a.Worker, a.Code, d.code)
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
	_ = d.js.DeleteConsumer(ctx, resultStream, resultConsumer+d.id) // expires by itself otherwise
	d.nc.Close()
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
	b := &batch{d: d, number: d.batches, open: map[string]*flight{}, resent: map[string]int{}, done: make([]bool,
		len(runs)), left: len(runs),
		tell: done}
	for _, r := range runs {
		it, err := NewItem(d.study, r)
		if err != nil {
			return err
		}
		b.items = append(b.items, it)
	}
	ctx, cancel := context.WithCancel(ctx)
	b.local = &localRuns{out: make(chan here, len(runs))}
	defer cancel()
	return b.run(ctx)
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

// learn smooths the time of a run.
func (d *Driver) learn(t time.Duration) {
	d.perItem = cmp.Or(d.perItem, t)
	d.perItem += (t - d.perItem) / 8
}
