//go:build linux

// Package trial damages what the programs read and kills what they do, many
// times, and prints a table of what came of it: commands killed and hindered in every way,
// mutated files given to every reader, and to the command
// itself, whose time and memory are measured. Run it in the source tree.
package trial

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// row is one line of the table.
type row struct {
	what         string
	asked        int // runs at this scale; fewer are done where the time was over
	runs, faults int
	ctx          context.Context // of the row: what its end cuts off is no fault
	first        []string        // faults, as many as are shown
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

// Run runs the parts within the time limit, writes the table, and returns the first
// fault as an error.
func Run(ctx context.Context, w io.Writer, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	bin, err := filepath.Abs(o.Tune)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "schedtune-trial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &trial{bin: bin, dir: dir, seed: o.Seed}
	chosen, all := []part{}, 0.0
	for _, name := range o.Only {
		at := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if at < 0 {
			return fmt.Errorf("part %q: must be one of %s", name, strings.Join(Parts(), ", "))
		}
		chosen, all = append(chosen, parts[at]), all+parts[at].share
	}
	for _, p := range chosen {
		t.part(ctx, p, all, o.Scale)
		all -= p.share
	}
	t.print(w, o.Scale)
	for _, r := range t.rows {
		if r.faults > 0 {
			return fmt.Errorf("%s: %d faults in %d runs; the first:\n%s", r.what, r.faults, r.runs, strings.Join(r.first, "\n"))
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
	{"matrix", 1000, 8, (*trial).matrix},
	{"mutations", 100_000, 2, (*trial).mutations},
	{"processes", 1000, 2, (*trial).processes},
}

// Parts returns the names of all parts.
func Parts() []string {
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

// faultsShown is how many faults of a part are shown.
const faultsShown = 40

func (r *row) fault(format string, args ...any) {
	if r.ctx.Err() != nil {
		return // the time is over, and what was under way was stopped
	}
	if r.faults++; len(r.first) < faultsShown {
		r.first = append(r.first, fmt.Sprintf(format, args...))
	}
}

func (t *trial) print(w io.Writer, scale float64) {
	fmt.Fprintf(w, "Seed %d, scale %g.\n\n| what | runs | of | faults | largest process, MiB | slowest, s | took, s "+
		"|\n|---|---|---|---|---|---|---|\n", t.seed, scale)
	for _, r := range t.rows {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %.1f | %.0f |\n", r.what, r.runs, r.asked, r.faults, r.peak>>20,
			r.slowest.Seconds(), r.took.Seconds())
	}
}
