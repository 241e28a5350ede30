package remote

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"schedtune/validation/testdata"
)

// Study after study over one server, each with a driver and a worker of its own:
// neither goroutines nor consumers are left.
func TestNothingIsLeftOfDrivers(t *testing.T) {
	n := testdata.Cases(80)
	srv, err := Listen("127.0.0.1:0", t.TempDir(), Security{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	ctx, stop := context.WithTimeout(context.Background(), 9*time.Minute)
	defer stop()
	before := 0
	for k := range n {
		oneStudy(t, ctx, srv.URL())
		if k == 2 { // pools and caches are full
			before = settled(1 << 30)
		}
	}
	if after := settled(before + 5); after > before+5 {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines after 3 studies, %d after %d\n%s", before, after, n, buf[:runtime.Stack(buf, true)])
	}
	nc, err := Connect(ctx, srv.URL(), Security{}, "look")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(ctx, resultStream)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := s.Info(ctx); err != nil || info.State.Consumers > 0 || info.State.Msgs > 0 {
		t.Errorf("left at the server: %+v, %v", info, err)
	}
}

// oneStudy runs six items with a driver and a worker, and ends both.
func oneStudy(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	nc, err := Connect(ctx, url, Security{}, "driver")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t}
	if r.d, err = NewDriver(ctx, nc, []byte("package"), fast()); err != nil {
		t.Fatal(err)
	}
	defer r.d.Close()
	kill := r.workerAt(url, Security{}, toy)
	defer kill()
	r.evaluate(ctx, items(6), func(int) {})
}

// settled waits until there are at most so many goroutines, for half a minute at
// most, and returns how many there are.
func settled(most int) int {
	n := 0
	for range 300 {
		if n = runtime.NumGoroutine(); n <= most && most < 1<<30 {
			return n
		}
		time.Sleep(100 * time.Millisecond)
		if most == 1<<30 && runtime.NumGoroutine() >= n {
			return n
		}
	}
	return n
}
