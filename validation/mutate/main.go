// Command mutate measures what the tests of a package notice: it changes one
// operator, constant or statement in a line that the tests execute, runs the
// tests, and counts the changes ("mutants") that make a test fail.
//
//	go run ./validation/mutate -n 60 -seed 1 ./lp
//	go run ./validation/mutate -n 60 -tests ./validation/conformance/replay ./simcore/sched/capacity
//	go run ./validation/mutate -file race.go -line 40 ./tune      # all mutants of one line
//
// The sample is drawn with the seed from all mutants in covered lines of
// functions. A mutant that does not compile is replaced by the next one drawn.
// Exit code 1: fewer than -min of the sample were killed.
//
// The package is built once for the whole sample (schemata): each mutant is a copy
// of its function, and the environment of a test process names the one that runs.
// Sources are never written: the copies reach the compiler through -overlay. The
// quickest tests run first, and the first failure ends them; a mutant that makes
// them take more than three times as long as all tests of the unchanged package
// and ten seconds, or use more than 8 GiB of addresses, is killed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
)

func main() {
	r := runner{}
	n := flag.Int("n", 40, "number of mutants per package")
	seed := flag.Uint64("seed", 1, "seed of the sample")
	least := flag.Float64("min", 0.85, "share of the sample that must be killed, 0 to 1")
	tests := flag.String("tests", "", "further packages whose tests judge, separated by commas")
	flag.StringVar(&r.run, "run", "", "only tests that match, as go test -run")
	flag.BoolVar(&r.verbose, "v", false, "print killed mutants too")
	flag.StringVar(&r.file, "file", "", "only files whose name contains this")
	flag.IntVar(&r.line, "line", 0, "only mutants of this line")
	flag.IntVar(&r.workers, "j", 1, "test processes at once")
	flag.Parse()
	if flag.NArg() == 0 || r.workers < 1 {
		fmt.Fprintln(os.Stderr, "usage: mutate [flags] PACKAGE...")
		os.Exit(2)
	}
	ok := true
	for _, pkg := range flag.Args() {
		r.pkg, r.judges = pkg, []*judge{{pkg: pkg}}
		if *tests != "" {
			for t := range strings.SplitSeq(*tests, ",") {
				r.judges = append(r.judges, &judge{pkg: t})
			}
		}
		share, err := r.sample(*n, *seed)
		if err != nil {
			fmt.Fprintf(os.Stderr, "mutate: %s: %v\n", pkg, err)
			os.Exit(1)
		}
		ok = ok && share >= *least
	}
	if !ok {
		os.Exit(1)
	}
}

// sample tests up to n mutants and returns the share that was killed.
func (r *runner) sample(n int, seed uint64) (float64, error) {
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
			if r.line == 0 || m.line == r.line {
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
	fmt.Printf("%s: %d of %d killed (%.0f %%), sampled from %d with seed %d\n", r.pkg, dead, len(ids), 100*share, len(all), seed)
	return share, nil
}

// test runs the judges on the numbered mutants and returns how many were killed.
func (r *runner) test(list []mutant, ids []int) (dead int) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := 0
	for range r.workers {
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
				if fate == survived || r.verbose {
					fmt.Printf("%s: %s: %s: %s\n", m, m.what, fate, m.context())
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return dead
}
