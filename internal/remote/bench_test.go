package remote

import (
	"context"
	"testing"
	"time"

	"schedtune/tune"
)

// BenchmarkOverhead runs batches of 2,000 items that keep a core busy for one
// millisecond each, in the pool of one process and over the message queue, with
// two workers each. ns/op is per batch; the ratio of the two is the transport's
// overhead on the same cores.
func BenchmarkOverhead(b *testing.B) {
	busy := func(ctx context.Context, it tune.Item) tune.Outcome {
		for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
		}
		return toy(ctx, it)
	}
	its := items(2000)
	run := func(b *testing.B, e tune.Evaluator) {
		b.ReportAllocs()
		for b.Loop() {
			if err := e.Evaluate(context.Background(), its, func(int, tune.Outcome) {}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(its)*b.N)/b.Elapsed().Seconds(), "runs/s")
	}
	b.Run("transport=pool", func(b *testing.B) { run(b, tune.Pool(2, busy)) })
	b.Run("transport=jetstream", func(b *testing.B) {
		srv, err := Listen("127.0.0.1:0", b.TempDir(), Security{})
		if err != nil {
			b.Fatal(err)
		}
		defer srv.Close()
		nc, err := Connect(context.Background(), srv.URL(), Security{}, "driver")
		if err != nil {
			b.Fatal(err)
		}
		d, err := NewDriver(context.Background(), nc, []byte("package"), Timing{})
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		wnc, err := Connect(context.Background(), srv.URL(), Security{}, "worker")
		if err != nil {
			b.Fatal(err)
		}
		defer wnc.Close()
		w := &Worker{Slots: 2, Prepare: func([]byte) (tune.Run, error) { return busy, nil }}
		go func() { _ = w.Work(ctx, wnc) }()
		// The first batch finds the size of chunks.
		if err := d.Evaluate(ctx, its, func(int, tune.Outcome) {}); err != nil {
			b.Fatal(err)
		}
		run(b, d)
	})
}
