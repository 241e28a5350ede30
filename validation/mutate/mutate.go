// Package mutate measures what the tests of a package notice: it changes one
// operator, constant or statement in a line that the tests execute, runs the
// tests, and counts the changes ("mutants") that make a test fail.
//
// The sample is drawn with the seed from all mutants in covered lines of
// functions. A mutant that does not compile is replaced by the next one drawn.
// The package is built once for the whole sample (schemata): each mutant is a copy
// of its function, and the environment of a test process names the one that runs.
// Sources are never written: the copies reach the compiler through -overlay. The
// quickest tests run first, and the first failure ends them; a mutant that makes
// them take more than three times as long as all tests of the unchanged package
// and ten seconds, or use more than 8 GiB of addresses, is killed.
package mutate

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
)

// Options of a run.
type Options struct {
	Mutants int      // of each package
	Seed    uint64   // of the sample
	Min     float64  // share of the sample that must be killed, 0 to 1
	Tests   []string // further packages whose tests judge
	Run     string   // only tests that match, as go test -run
	File    string   // only files whose name contains this
	Line    int      // only mutants of this line
	Workers int      // test processes at once
	Verbose bool     // print killed mutants too
}

// Run tests mutants of every package and writes the survivors and the share killed.
// Errors: the share is below o.Min in a package; tests that fail without a change.
func Run(w io.Writer, packages []string, o Options) error {
	var few error
	for _, pkg := range packages {
		r := runner{Options: o, w: w, pkg: pkg, judges: []*judge{{pkg: pkg}}}
		for _, t := range o.Tests {
			r.judges = append(r.judges, &judge{pkg: t})
		}
		share, err := r.sample()
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		if share < o.Min {
			few = errors.Join(few, fmt.Errorf("%s: %.0f %% of the mutants killed: must be at least %.0f %%", pkg, 100*share, 100*o.Min))
		}
	}
	return few
}

// sample tests up to r.Mutants mutants and returns the share that was killed.
func (r *runner) sample() (float64, error) {
	n, seed := r.Mutants, r.Seed
	var err error
	if r.tmp, err = os.MkdirTemp("", "mutate"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(r.tmp)
	files, err := r.covered()
	if err != nil {
		return 0, err
	}
	var all []mutant
	for _, f := range files {
		m, err := f.mutants()
		if err != nil {
			return 0, err
		}
		for _, m := range m {
			if r.Line == 0 || m.line == r.Line {
				all = append(all, m)
			}
		}
	}
	if len(all) == 0 {
		return 0, errors.New("no mutants in covered lines")
	}
	draw := rand.New(rand.NewPCG(seed, 0))
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	list := all[:min(len(all), n+n/2+20)] // about one in ten does not compile
	invalid, err := r.build(list)
	if err != nil {
		return 0, err
	}
	var ids []int
	for i := range list {
		if !invalid[i+1] && len(ids) < n {
			ids = append(ids, i+1)
		}
	}
	dead := r.test(list, ids)
	share := float64(dead) / float64(max(len(ids), 1))
	fmt.Fprintf(r.w, "%s: %d of %d killed (%.0f %%), sampled from %d with seed %d\n", r.pkg, dead, len(ids), 100*share, len(all), seed)
	return share, nil
}

// test runs the judges on the numbered mutants and returns how many were killed.
func (r *runner) test(list []mutant, ids []int) (dead int) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := 0
	for range r.Workers {
		workers.Go(func() {
			for {
				mu.Lock()
				k := next
				next++
				mu.Unlock()
				if k >= len(ids) {
					return
				}
				fate := r.fate(ids[k])
				mu.Lock()
				m := list[ids[k]-1]
				if fate != survived {
					dead++
				}
				if fate == survived || r.Verbose {
					fmt.Fprintf(r.w, "%s: %s: %s: %s\n", m, m.what, fate, m.context())
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return dead
}
