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
	"strings"
	"syscall"
	"time"
)

// row is one line of the table.
type row struct {
	what         string
	runs, faults int
	first        string // the first fault
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
	scale := flag.Float64("scale", 1, "part of the full trial: 1 is 1,000 kills, 100,000 mutations read, 1,000 commands")
	seed := flag.Uint64("seed", 1, "seed of every draw")
	limit := flag.Duration("limit", 30*time.Minute, "stop after this time, with what is done so far")
	only := flag.String("only", "kills,mutations,processes", "parts to run")
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
	n := func(full int) int { return max(1, int(scale*float64(full))) }
	for _, part := range strings.Split(only, ",") {
		switch part {
		case "kills":
			t.kills(ctx, n(1000))
		case "mutations":
			t.mutations(ctx, n(100_000))
		case "processes":
			t.processes(ctx, n(1000))
		default:
			return fmt.Errorf("-only: %q; allowed: kills, mutations, processes", part)
		}
	}
	t.print(scale)
	for _, r := range t.rows {
		if r.faults > 0 {
			return fmt.Errorf("%s: %d faults in %d runs; the first: %s", r.what, r.faults, r.runs, r.first)
		}
	}
	return nil
}

func (t *trial) print(scale float64) {
	fmt.Printf("Seed %d, scale %g.\n\n| what | runs | faults | largest process, MiB | slowest, s | took, s |\n|---|---|---|---|---|---|\n", t.seed, scale)
	for _, r := range t.rows {
		fmt.Printf("| %s | %d | %d | %d | %.1f | %.0f |\n", r.what, r.runs, r.faults, r.peak>>20, r.slowest.Seconds(), r.took.Seconds())
	}
}
