// Package mutate measures what the tests of a package notice: it changes one
// operator, constant or statement in a line that the tests execute, runs the
// tests, and counts the changes ("mutants") that make a test fail.
//
// The sample is drawn with the seed from all mutants in covered lines of
// functions. A mutant that does not compile is replaced by the next one drawn.
// Sources are never written: a changed file reaches the compiler through -overlay. The
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

	"schedtune/internal/parallel"
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
			few = errors.Join(few, fmt.Errorf("%s: %.0f %% of the mutants killed: must be at least %.0f %%", pkg, 100*share,
				100*o.Min))
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
	if err := r.measure(); err != nil {
		return 0, err
	}
	dead, tested := r.test(all, n)
	share := float64(dead) / float64(max(tested, 1))
	fmt.Fprintf(r.w, "%s: %d of %d killed (%.0f %%), sampled from %d with seed %d\n", r.pkg, dead, tested, 100*share,
		len(all), seed)
	return share, nil
}

// test runs the judges on the first n mutants that compile and returns how many were
// killed.
func (r *runner) test(list []mutant, n int) (dead, tested int) {
	for tested < n && len(list) > 0 {
		lot := list[:min(n-tested, len(list))]
		list = list[len(lot):]
		fates := make([]string, len(lot))
		parallel.Each(r.Workers, len(lot), func(i int) { fates[i] = r.fate(&lot[i]) })
		for i, m := range lot {
			if fates[i] == invalid {
				continue
			}
			tested++
			if fates[i] != survived {
				dead++
			}
			if fates[i] == survived || r.Verbose {
				fmt.Fprintf(r.w, "%s: %s: %s: %s\n", m, m.what, fates[i], m.context())
			}
		}
	}
	return dead, tested
}
