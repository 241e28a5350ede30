//go:build linux

package trial

import (
	"context"
	"math/rand/v2"
	"net"
	"os/exec"
	"sync"
	"time"
)

// workers has studies run by worker processes that are killed at random moments,
// and now and then kills the driver.
func (t *trial) workers(ctx context.Context, n int) {
	r := row{what: "workers and drivers killed", asked: n}
	defer t.begin(ctx, &r)()
	draw := rand.New(rand.NewPCG(t.seed, 4))
	t.studies(ctx, &r, n, func(c *command, dir string) bool { return t.fanOut(ctx, &r, draw, *c, dir) })
}

// fanOut starts a driver and two workers, kills workers until the driver has
// ended, and kills that after a while with a chance of one in four. It reports
// whether the study has ended.
func (t *trial) fanOut(ctx context.Context, r *row, draw *rand.Rand, c command, dir string) bool {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.fault("%v", err)
		return true
	}
	addr := free.Addr().String()
	free.Close()
	done, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	kills := make(chan struct{}, 1000)
	for range 2 {
		seed := draw.Uint64()
		all.Go(func() { t.dyingWorkers(done, "nats://"+addr, rand.New(rand.NewPCG(seed, 5)), c.takes, kills) })
	}
	after := 10 * time.Minute // the driver is left alone
	if draw.IntN(4) == 0 {
		after = time.Duration((0.5 + 2*draw.Float64()) * float64(c.takes))
	}
	c.args = append(c.args[:len(c.args):len(c.args)], "--listen", addr, "--ack-wait", "1s")
	if end, ok := ctx.Deadline(); ok {
		after = min(after, time.Until(end)) // its workers end then too
	}
	ended := r.killed(ctx, &c, dir, after)
	stop()
	all.Wait()
	r.runs += len(kills)
	return ended
}

// dyingWorkers starts one worker after the other and kills each after a while.
func (t *trial) dyingWorkers(ctx context.Context, url string, draw *rand.Rand, takes time.Duration,
	kills chan<- struct{}) {
	for ctx.Err() == nil {
		cmd := exec.Command(t.bin, "worker", "--connect", url, "--slots", "1", "--quiet")
		if cmd.Start() != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration((0.5 + 2*draw.Float64()) * float64(takes))):
			select {
			case kills <- struct{}{}:
			default:
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
