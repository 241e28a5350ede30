//go:build linux

// Command trial damages what the programs read and kills what they do, many
// times, and prints a table of what came of it: studies killed at random moments
// and gone on with, mutated files given to every reader, and to the command
// itself, whose time and memory are measured. Run it in the checkout.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// row is one line of the table.
type row struct {
	what         string
	asked        int // runs at this scale; fewer are done where the time was over
	runs, faults int
	ctx          context.Context // of the row: what its end cuts off is no fault
	left         string          // why it was left out; empty = it was not
	first        string          // the first fault
	took         time.Duration
	peak         int64 // largest resident set of a process, bytes
	slowest      time.Duration
}

// trial is one run of the command.
type trial struct {
	bin, dir string
	seed     uint64
	rows     []row
}

func main() {
	scale := flag.Float64("scale", 1, "part of the full trial: 1 is 1,000 kills, 100,000 mutations read, 1,000 commands, 100 damaged logs, 200 kills of workers, 40 full disks, 10,000 tuned files")
	seed := flag.Uint64("seed", 1, "seed of every draw")
	limit := flag.Duration("limit", 28*time.Minute, "stop after this time, with what is done so far; every part has its share of it")
	only := flag.String("only", strings.Join(partNames(), ","), "parts to run")
	bin := flag.String("tune", "", "the command tune to try")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	if err := run(ctx, *bin, *only, *seed, *scale); err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin, only string, seed uint64, scale float64) error {
	if bin == "" {
		return fmt.Errorf("-tune: missing; allowed: the path of a built cmd/tune")
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "schedtune-trial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &trial{bin: bin, dir: dir, seed: seed}
	chosen, all := []part{}, 0.0
	for _, name := range strings.Split(only, ",") {
		at := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if at < 0 {
			return fmt.Errorf("-only: %q; allowed: %s", name, strings.Join(partNames(), ", "))
		}
		chosen, all = append(chosen, parts[at]), all+parts[at].share
	}
	for _, p := range chosen {
		t.part(ctx, p, all, scale)
		all -= p.share
	}
	t.print(scale)
	for _, r := range t.rows {
		if r.faults > 0 {
			return fmt.Errorf("%s: %d faults in %d runs; the first: %s", r.what, r.faults, r.runs, r.first)
		}
	}
	return nil
}

// part is one kind of trial.
type part struct {
	name  string
	full  int     // runs at scale 1
	share float64 // of the time, relative to the other parts
	run   func(t *trial, ctx context.Context, n int)
}

var parts = []part{
	{"kills", 1000, 8, (*trial).kills},
	{"workers", 200, 4, (*trial).workers},
	{"logs", 100, 2, (*trial).logs},
	{"disk", 40, 1, (*trial).disk},
	{"mutations", 100_000, 2, (*trial).mutations},
	{"processes", 1000, 2, (*trial).processes},
	{"judge", 10_000, 6, (*trial).judge},
}

func partNames() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// part runs one kind within its share of the time that is left for those still
// to come, whose shares add up to all.
func (t *trial) part(ctx context.Context, p part, all, scale float64) {
	if end, ok := ctx.Deadline(); ok {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(float64(time.Until(end))*p.share/all))
		defer cancel()
	}
	p.run(t, ctx, max(1, int(scale*float64(p.full))))
}

// begin starts the clock of a row; the function it returns adds the row.
func (t *trial) begin(ctx context.Context, r *row) (end func()) {
	r.ctx = ctx
	start := time.Now()
	return func() {
		r.took = time.Since(start)
		t.rows = append(t.rows, *r)
	}
}

func (t *trial) print(scale float64) {
	fmt.Printf("Seed %d, scale %g.\n\n| what | runs | of | faults | largest process, MiB | slowest, s | took, s |\n|---|---|---|---|---|---|---|\n", t.seed, scale)
	for _, r := range t.rows {
		if r.left != "" {
			fmt.Printf("| %s | left out: %s | %d | | | | |\n", r.what, r.left, r.asked)
			continue
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %.1f | %.0f |\n", r.what, r.runs, r.asked, r.faults, r.peak>>20, r.slowest.Seconds(), r.took.Seconds())
	}
}
