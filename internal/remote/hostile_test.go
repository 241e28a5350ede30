package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"schedtune/tune"
)

// TestMain keeps the tokens of listeners out of the user's own folder, and lets
// the test binary be a message server.
func TestMain(m *testing.M) {
	if addr := os.Getenv("REMOTE_SERVE"); addr != "" {
		serveForTest(addr)
		return
	}
	dir, err := os.MkdirTemp("", "schedtune-test-")
	if err != nil {
		panic(err)
	}
	if user, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(user, "go-build")) // or tests that build would begin with an empty one
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// Nobody who has not the study's token gets anything from a listener on this
// machine; the token lies in a file that only its owner reads, and goes with the
// listener.
func TestStrangerIsRefused(t *testing.T) {
	srv, err := Listen("127.0.0.1:0", t.TempDir(), Security{})
	if err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string][]nats.Option{"no token": nil, "wrong token": {nats.Token("guess")}} {
		if nc, err := nats.Connect(srv.URL(), opts...); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", name, err)
			if nc != nil {
				nc.Close()
			}
		}
	}
	info, err := os.Stat(srv.TokenFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info.Mode(), err)
	}
	nc, err := Connect(context.Background(), srv.URL(), Security{}, "worker of the same user")
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	other, err := Listen("127.0.0.1:0", t.TempDir(), Security{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if srv.token == other.token || len(srv.token) < 32 {
		t.Error("the tokens of two studies are one")
	}
	if err := os.Chmod(srv.TokenFile(), 0o644); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(srv.URL(), "nats://"))
	if foundToken(port) != "" {
		t.Error("a token that others can read is used")
	}
	srv.Close()
	if _, err := os.Stat(srv.TokenFile()); !os.IsNotExist(err) {
		t.Errorf("the token's file is left (%v)", err)
	}
}

// Neither token nor study goes in clear to another machine, and a server that
// serves anybody is refused.
func TestClearTextIsRefused(t *testing.T) {
	for url, want := range map[string]string{
		"nats://192.0.2.1:4222": "--insecure",
		"192.0.2.1":             "--insecure",
		"nats://127.0.0.1:4222,nats://192.0.2.1:4222": "--insecure",
		"ws://192.0.2.1:80":                           "--insecure",
		"http://127.0.0.1":                            "nats",
		"nats://":                                     "is no address",
		"nats://%zz":                                  "is no address",
	} {
		start := time.Now()
		nc, err := Connect(context.Background(), url, Security{}, "test")
		if err == nil {
			nc.Close()
		}
		// nobody is asked: a connection to there would take minutes
		if err == nil || !strings.Contains(err.Error(), want) || time.Since(start) > time.Minute {
			t.Errorf("%s: %v", url, err)
		}
	}
	// A server without authentication, as an external one may be.
	bare := anybody(t)
	if _, err := Connect(context.Background(), bare, Security{}, "test"); err == nil || !strings.Contains(err.Error(),
		"serves anybody") {
		t.Errorf("a server for anybody: %v", err)
	}
	nc, err := Connect(context.Background(), bare, Security{Insecure: true}, "test")
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}

// Answers that no run can give are dropped at the door, and the runs done again.
func TestImplausibleAnswers(t *testing.T) {
	bad := []tune.Outcome{
		{Metrics: map[string]float64{"cost": 1e308}},
		{Metrics: map[string]float64{"cost": -1e14}},
		{Metrics: map[string]float64{"cost": 1, "gain": 1}},
		{Metrics: map[string]float64{"cost": 1}, Err: "and failed"},
		{Err: strings.Repeat("x", maxFailure+1)},
		{},
		{Err: "stuck", Parts: []float64{1}},
		{Metrics: map[string]float64{"cost": 1}, Parts: []float64{1, 1e14}},
		{Metrics: map[string]float64{"cost": 1}, Parts: make([]float64, tune.MaxParts+1)},
	}
	for i, o := range bad {
		if plausible(o, []string{"cost"}) == nil {
			t.Errorf("%d: %+v passes", i, o)
		}
	}
	for _, o := range []tune.Outcome{{Metrics: map[string]float64{"cost": 98.9}}, {Metrics: map[string]float64{"cost": 0},
		Parts: []float64{1, -2}}, {Err: "stuck"}} {
		if err := plausible(o, []string{"cost"}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	r := newRig(t)
	r.d.Metrics = []string{"cost"}
	var mu sync.Mutex
	n := 0
	r.worker(func(ctx context.Context, it tune.Item) tune.Outcome {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%4 == 0 {
			return bad[n/4%len(bad)]
		}
		return toy(ctx, it)
	})
	r.check(items(60))
}

// A worker of other code is given no work and named once; its presence costs no
// deliveries.
func TestOtherCodeGetsNoWork(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	var said []string
	r.d.Warn = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, fmt.Sprintf(format, args...))
	}
	nc, err := Connect(context.Background(), r.srv.URL(), Security{}, "worker")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	publish := func() { // what comes before the driver listens is lost
		data, _ := json.Marshal(alive{"h-old-1", 4, "0123456789abcdef"})
		for range 3 {
			if err := nc.Publish(aliveSubject, data); err != nil {
				t.Fatal(err)
			}
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	publish()
	r.worker(toy)
	r.check(items(50))
	heard := func() bool {
		mu.Lock()
		defer mu.Unlock()
		n, _ := r.d.Workers()
		return len(said) > 0 && n > 0
	}
	for start := time.Now(); !heard() && time.Since(start) < 2*time.Minute; time.Sleep(10 * time.Millisecond) {
		publish()
	}
	if n, slots := r.d.Workers(); n != 1 || slots != 1 {
		t.Errorf("%d workers with %d slots, want the one of this code", n, slots)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(said) != 1 || !strings.Contains(said[0], "h-old-1 has another program version") {
		t.Errorf("said %q", said)
	}
}

// Workers that refuse or never end a chunk use up its deliveries; the driver
// then does the runs itself, so that nothing is recorded as failed.
func TestDriverDoesWhatNobodyFinishes(t *testing.T) {
	t.Parallel() // it waits
	r := newRig(t)
	r.d.timing.MaxDeliver = 2
	if err := setUp(context.Background(), r.d.js, r.d.code, r.d.timing); err != nil {
		t.Fatal(err)
	}
	r.d.Local, r.d.Slots = toy, 2
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for range 3 { // each hangs on the first chunk it gets
		r.worker(func(ctx context.Context, it tune.Item) tune.Outcome { <-release; return toy(ctx, it) })
	}
	r.check(items(1))
}

// A worker told to stop in the middle of a run that takes long is gone soon, and
// gives its chunk back.
func TestDrainIsShort(t *testing.T) {
	t.Parallel() // it waits
	r := newRig(t)
	release := make(chan struct{})
	defer close(release)
	began := make(chan struct{})
	var once sync.Once
	nc, err := Connect(context.Background(), r.srv.URL(), Security{}, "worker")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	w := &Worker{Slots: 1, Prepare: func([]byte) (tune.Run, error) {
		return func(ctx context.Context, it tune.Item) tune.Outcome {
			once.Do(func() { close(began) })
			<-release
			return toy(ctx, it)
		}, nil
	}}
	ctx, stop := context.WithCancel(context.Background())
	took := make(chan time.Duration, 1)
	var told time.Time
	go func() {
		<-began
		told = time.Now()
		stop()
	}()
	go func() {
		_ = w.Work(ctx, nc)
		took <- time.Since(told)
		r.worker(toy)
	}()
	r.check(items(5))
	if d := <-took; d > 2*time.Minute { // 1.7 s on an idle machine; without a drain it never ends
		t.Errorf("gone after %s", d)
	}
}

// anybody starts a server that asks for nothing.
func anybody(t *testing.T) string {
	t.Helper()
	srv, err := listen("127.0.0.1:0", filepath.Join(t.TempDir(), "js"), Security{}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv.URL()
}
