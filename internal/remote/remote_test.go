package remote

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"schedtune/internal/rng"
	"schedtune/tune"
	"schedtune/validation/testdata"
)

// fast are delays for tests.
func fast() Timing {
	return Timing{AckWait: 400 * time.Millisecond, ItemLimit: 600 * time.Millisecond, MaxDeliver: 50,
		Target: 5 * time.Millisecond}
}

// toy is a run whose outcome is a pure function of its item.
func toy(_ context.Context, it tune.Item) tune.Outcome {
	v := rng.NewKey(it.Seed, 1).At(uint64(it.Trial)).Float64(0)
	return tune.Outcome{Metrics: map[string]float64{"cost": v}}
}

func items(n int) []tune.Item {
	out := make([]tune.Item, n)
	for i := range out {
		out[i] = tune.Item{Trial: i / 3, Seed: uint64(i % 3), Settings: tune.Settings{{Name: "x", Value: fmt.Sprint(i)}}}
	}
	return out
}

// bench is a server with a driver and workers of this process.
type rig struct {
	t    *testing.T
	dir  string
	addr string
	srv  *Server
	d    *Driver
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), addr: "127.0.0.1:0"}
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	nc, err := Connect(context.Background(), r.srv.URL(), Security{}, "driver")
	if err != nil {
		t.Fatal(err)
	}
	r.d, err = NewDriver(context.Background(), nc, []byte("package"), fast())
	if err != nil {
		t.Fatal(err)
	}
	r.d.Warn = t.Logf
	t.Cleanup(func() { r.d.Close(); r.srv.Close() })
	return r
}

func (r *rig) start() error {
	srv, err := Listen(r.addr, r.dir, Security{})
	if err != nil {
		return err
	}
	r.srv, r.addr = srv, strings.TrimPrefix(srv.URL(), "nats://")
	return nil
}

// worker starts a worker; the returned function cuts it off like SIGKILL:
// its connection goes without a word.
func (r *rig) worker(run tune.Run) (kill func()) {
	r.t.Helper()
	return r.workerAt(r.srv.URL(), Security{}, run)
}

// workerAt is worker for any server.
func (r *rig) workerAt(url string, sec Security, run tune.Run) (kill func()) {
	r.t.Helper()
	nc, err := Connect(context.Background(), url, sec, "worker")
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Worker{Slots: 1, Timing: fast(), Prepare: func([]byte) (tune.Run, error) { return run, nil }}
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Work(ctx, nc) }()
	var once sync.Once
	kill = func() { once.Do(func() { nc.Close(); cancel() }) }
	r.t.Cleanup(kill)
	return kill
}

// check evaluates items and compares every outcome with the toy's own.
func (r *rig) check(its []tune.Item) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	r.evaluate(ctx, its, func(int) {})
}

// evaluate is check with a context; told hears how many outcomes there are.
func (r *rig) evaluate(ctx context.Context, its []tune.Item, told func(n int)) {
	r.t.Helper()
	got := make([]int, len(its))
	all := 0
	err := r.d.Evaluate(ctx, its, func(i int, o tune.Outcome) {
		got[i]++
		all++
		defer told(all)
		if want := toy(ctx, its[i]); o.Err != "" || o.Metrics["cost"] != want.Metrics["cost"] {
			r.t.Errorf("item %d: %+v, want %+v", i, o, want)
		}
	})
	if err != nil {
		r.t.Fatal(err, context.Cause(ctx))
	}
	for i, n := range got {
		if n != 1 {
			r.t.Fatalf("item %d told %d times", i, n)
		}
	}
}

func TestWorkersShareABatch(t *testing.T) {
	r := newRig(t)
	for range 3 {
		r.worker(toy)
	}
	r.check(items(500))
	r.check(items(200)) // a second generation over the same driver
}

// TestKilledWorkers cuts workers off at random moments, 20 times, while others
// join: nothing is lost and nothing counts twice.
func TestKilledWorkers(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	r := newRig(t)
	r.worker(slow(toy, time.Millisecond))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		k := rng.NewKey(seed, 1)
		for i := uint64(0); i < 20; i++ {
			kill := r.worker(slow(toy, time.Millisecond))
			time.Sleep(time.Duration(5+k.IntN(i, 60)) * time.Millisecond)
			kill()
		}
		close(stop)
	})
	for done := false; !done; {
		r.check(items(300))
		select {
		case <-stop:
			done = true
		default:
		}
	}
	wg.Wait()
}

func slow(run tune.Run, d time.Duration) tune.Run {
	return func(ctx context.Context, it tune.Item) tune.Outcome {
		time.Sleep(d)
		return run(ctx, it)
	}
}

// TestServerRestart stops the server during a batch, when some of its outcomes
// are there, and starts it again on the same store and port, when the driver has
// seen it go. On an idle machine it takes the five seconds after which an open
// question for messages counts as lost; on a busy one every message takes tenths
// of a second, hence few items and a long deadline.
func TestServerRestart(t *testing.T) {
	t.Parallel() // it waits
	r := newRig(t)
	r.worker(slow(toy, 2*time.Millisecond))
	limit, done := context.WithTimeout(context.Background(), 4*time.Minute)
	defer done()
	ctx, fail := context.WithCancelCause(limit)
	gone := r.d.nc.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING)
	some := make(chan struct{})
	restarted := make(chan struct{})
	go func() {
		defer close(restarted)
		select {
		case <-some:
		case <-ctx.Done():
			return
		}
		r.srv.Close()
		select {
		case <-gone:
		case <-ctx.Done():
		}
		if err := r.start(); err != nil {
			fail(err) // nobody will answer any more
		}
	}()
	r.evaluate(ctx, items(120), func(n int) {
		if n == 20 {
			close(some)
		}
	})
	<-restarted
}

// TestHangingWorker: a worker that never comes back from a run loses its chunk
// to another.
func TestHangingWorker(t *testing.T) {
	r := newRig(t)
	hung := make(chan struct{})
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	var once sync.Once
	r.worker(func(ctx context.Context, it tune.Item) tune.Outcome {
		once.Do(func() { close(hung) })
		<-release
		return toy(ctx, it)
	})
	go func() {
		<-hung // the healthy worker comes when the other holds a chunk
		r.worker(toy)
	}()
	r.check(items(50))
}

// TestGarbage: an answer that is JSON but makes no sense has its runs sent out
// again; one that is no JSON at all too, once nobody holds its chunk.
func TestGarbage(t *testing.T) {
	r := newRig(t)
	var n atomic.Int64
	r.worker(func(ctx context.Context, it tune.Item) tune.Outcome {
		if n.Add(1)%3 == 1 {
			return tune.Outcome{} // neither metrics nor an error
		}
		return toy(ctx, it)
	})
	js := r.d.js
	if err := publish(context.Background(), js, resultPrefix+r.d.id, "noise", []byte("not json"), nil); err != nil {
		t.Fatal(err)
	}
	if err := publish(context.Background(), js, workPrefix+r.d.code, "noise", []byte("not json"), nil); err != nil {
		t.Fatal(err)
	}
	r.check(items(30))
}

// TestLateAndRepeatedResults: answers for chunks that are done, and the same
// answer twice, change nothing.
func TestLateAndRepeatedResults(t *testing.T) {
	r := newRig(t)
	r.worker(toy)
	r.check(items(20))
	its := items(1)
	it, err := NewItem(r.d.study, its[0])
	if err != nil {
		t.Fatal(err)
	}
	c := newChunk(resultPrefix+r.d.id, []Item{it}, 0)
	wrong := answer{Chunk: c.ID, Worker: "late", Results: []Result{
		{ID: it.ID, Outcome: tune.Outcome{Metrics: map[string]float64{"cost": -1}}}}}
	data, err := encode(wrong)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // for a batch that is over: nobody waits for them
		if err := publish(context.Background(), r.d.js, resultPrefix+r.d.id, fmt.Sprint("late", i), data, nil); err != nil {
			t.Fatal(err)
		}
	}
	r.check(items(40)[3:])
}

// TestDeliveryLimit: a chunk that no worker survives is recorded as failed, and
// the batch ends.
func TestDeliveryLimit(t *testing.T) {
	t.Parallel() // it waits
	r := newRig(t)
	r.d.timing.MaxDeliver = 3
	if err := setUp(context.Background(), r.d.js, r.d.code, r.d.timing); err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for range 4 { // each hangs on the first chunk it gets
		nc, err := Connect(context.Background(), r.srv.URL(), Security{}, "worker")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(func() { nc.Close(); cancel() })
		tm := fast()
		tm.MaxDeliver = 3
		w := &Worker{Slots: 1, Timing: tm, Prepare: func([]byte) (tune.Run, error) {
			return func(ctx context.Context, it tune.Item) tune.Outcome { <-release; return toy(ctx, it) }, nil
		}}
		go func() { _ = w.Work(ctx, nc) }()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var failed atomic.Int64
	err := r.d.Evaluate(ctx, items(1), func(_ int, o tune.Outcome) {
		if strings.Contains(o.Err, "3 deliveries") {
			failed.Add(1)
		}
	})
	if err != nil || failed.Load() != 1 {
		t.Errorf("error %v, %d failures recorded; want none and 1", err, failed.Load())
	}
}

// TestRefusal: a worker of another study package, or code version, takes no
// item.
func TestRefusal(t *testing.T) {
	it, err := NewItem("study", items(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := it.check("study"); err != nil {
		t.Errorf("refuses its own item: %v", err)
	}
	for name, change := range map[string]func(*Item){
		"other code":   func(i *Item) { i.Code = "9" },
		"other study":  func(i *Item) { i.Study = "x" },
		"changed seed": func(i *Item) { i.Run.Seed++ },
	} {
		bad := it
		change(&bad)
		if bad.check("study") == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestManyItems: thousands of items through the queue with a bounded number on
// their way.
func TestManyItems(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	r := newRig(t)
	r.d.timing.Target = 20 * time.Millisecond
	for range 2 {
		r.worker(toy)
	}
	r.check(items(testdata.Cases(100_000)))
}

func TestListenNeedsSecurity(t *testing.T) {
	if _, err := Listen("0.0.0.0:0", t.TempDir(), Security{}); err == nil || !strings.Contains(err.Error(), "--insecure") {
		t.Errorf("an open address without security: %v", err)
	}
	for _, addr := range []string{"nonsense", "127.0.0.1:99999"} {
		if _, err := Listen(addr, t.TempDir(), Security{}); err == nil {
			t.Errorf("%s was accepted", addr)
		}
	}
}

// TestLimitToldLate: the server reports a chunk that has reached the delivery
// limit after the driver has sent its runs out again by another name: they have
// failed all the same, once.
func TestLimitToldLate(t *testing.T) {
	told := 0
	b := &batch{d: &Driver{timing: fast()}, open: map[string]*flight{"new": {chunk{ID: "new", Items: make([]Item, 2)}, 3,
		1}, "other": {chunk{ID: "other", Items: make([]Item, 1)}, 0, 0}},
		resent: map[string]int{"old": 3}, done: make([]bool, 6), left: 6, tell: func(i int, o tune.Outcome) {
			if told++; i < 3 || i > 4 || o.Err == "" {
				t.Errorf("item %d has %+v", i, o)
			}
		}}
	for range 2 {
		b.giveUp(context.Background(), "old")
	}
	b.giveUp(context.Background(), "unknown")
	if told != 2 || b.left != 4 || b.open["new"] != nil || b.open["other"] == nil {
		t.Errorf("%d items told, %d left, open %v; want 2, 4 and the other chunk", told, b.left, b.open)
	}
}
