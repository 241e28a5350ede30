// Command bench compares package tune with other optimisers on noisy test
// functions and on simulator problems, and writes tables as CSV.
//
//	go run . -suite functions -repeats 25 -out ../results/search
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// config is the command line.
type config struct {
	suite, out, only string
	name             string
	problems         string
	dims             string
	limit            time.Duration
	repeats, budget  int
	workers          int
	instance, seed   uint64
	python, torch    string // interpreters of the scripts in rivals; empty leaves those methods out
	rscript          string
	half             string // of the tree problems
	count            int    // of the tree problems
	lengths          string // of the studies of "ours"
}

func run(args []string, stderr io.Writer) int {
	var c config
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.suite, "suite", "functions", "functions, simulator, trees, fronts or fronts-drawn")
	fs.StringVar(&c.out, "out", "", "folder for the tables; empty prints them")
	fs.StringVar(&c.name, "name", "", "name of the tables NAME.csv and NAME-problems.csv; empty is the suite's")
	fs.StringVar(&c.only, "only", "", "parts of method names to keep, separated by semicolons; \"ours\" means "+
		"exactly that")
	fs.StringVar(&c.problems, "problems", "", "parts of problem names to keep, separated by semicolons")
	fs.StringVar(&c.dims, "dims", "5,10,20,40", "dimensions of the test functions")
	fs.DurationVar(&c.limit, "limit", 0, "start no further repeat after this time; 0 is no limit")
	fs.IntVar(&c.repeats, "repeats", 25, "repeats per method and problem")
	fs.IntVar(&c.budget, "budget", 1000, "runs per repeat")
	fs.IntVar(&c.workers, "workers", 1, "repeats at the same time")
	fs.Uint64Var(&c.instance, "instance", 1, "instance of the problems; the search is developed on others than the "+
		"published 1")
	fs.Uint64Var(&c.seed, "seed", 1, "seed of the methods")
	fs.StringVar(&c.python, "python", "", "Python interpreter of the environment of rivals/requirements.txt; empty "+
		"leaves those methods out")
	fs.StringVar(&c.torch, "torch", "", "the same for rivals/requirements-torch.txt (HEBO, TuRBO)")
	fs.StringVar(&c.rscript, "rscript", "", "interpreter of R with irace and jsonlite")
	fs.StringVar(&c.half, "half", "development", "half of the tree problems: development or held-out")
	fs.IntVar(&c.count, "count", 20, "number of tree problems")
	fs.StringVar(&c.lengths, "lengths", "", "lengths of the studies of \"ours\" in runs, such as 50,100,200; empty is "+
		"a ladder of 14")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	if c.name == "" {
		c.name = c.suite
	}
	if err := bench(c, stderr); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}

func bench(c config, stderr io.Writer) error {
	ps, err := suite(c)
	if err != nil {
		return err
	}
	ps = kept(ps, c.problems)
	ms := append(append(ourMethods(), baselines()...), rivals(c.python, c.torch, c.rscript)...)
	if c.fronts() {
		ms = frontMethods(c.python)
	}
	ms = selected(ms, c)
	lengths, err := numbersOf("-lengths", c.lengths, 20)
	if err != nil {
		return err
	}
	for _, p := range ps {
		p.lengths = lengths
	}
	if len(ps) == 0 || len(ms) == 0 {
		return fmt.Errorf("-problems %q and -only %q keep %d problems and %d methods: at least one of each must remain",
			c.problems, c.only, len(ps), len(ms))
	}
	start := time.Now()
	tb, err := runAll(ps, ms, c.repeats, c.workers, c.seed, func(tb *table, done int) (bool, error) {
		fmt.Fprintf(stderr, "%d repeats after %v\n", done, time.Since(start).Round(time.Second))
		// What is there so far is kept in case the rest is not waited for.
		return c.limit == 0 || time.Since(start) < c.limit, c.write(tb, false)
	})
	if err != nil {
		return err
	}
	return c.write(tb, true)
}

// write writes the tables: with -out as they grow, else at the end.
func (c config) write(tb *table, last bool) error {
	sheets := tb.regretSheets(reference(tb.methods))
	if c.suite == "trees" {
		sheets = tb.treeSheets()
	}
	for i, s := range sheets {
		switch {
		case c.out != "":
			if err := s.save(c.out, c.name); err != nil {
				return err
			}
		case last:
			if i > 0 {
				fmt.Println()
			}
			if err := s.writeTo(os.Stdout); err != nil {
				return err
			}
		}
	}
	return nil
}

// reference is the method that the others are held against: what the command does, if
// it takes part, or the first.
func reference(ms []method) int {
	return max(0, slices.IndexFunc(ms, func(m method) bool { return m.name == "ours, as the command" }))
}

// fronts reports whether the suite's problems have several objectives.
func (c config) fronts() bool { return strings.HasPrefix(c.suite, "fronts") }

func suite(c config) ([]*problem, error) {
	switch c.suite {
	case "functions":
		dims, err := numbersOf("-dims", c.dims, 2)
		if err != nil {
			return nil, err
		}
		return functionProblems(dims, c.instance, c.budget)
	case "simulator":
		return simProblems(c.instance, c.budget)
	case "trees":
		first := 0
		if c.half == "held-out" {
			first = 1
		}
		return treeProblems(c.count, first, c.budget)
	case "fronts", "fronts-drawn":
		return frontProblems(c.instance, c.budget, c.suite == "fronts-drawn")
	}
	return nil, fmt.Errorf("-suite %q: must be one of functions, simulator, trees, fronts, fronts-drawn", c.suite)
}

// kept are the problems that the flags want.
func kept(ps []*problem, list string) []*problem {
	parts := strings.Split(list, ";")
	return slices.DeleteFunc(ps, func(p *problem) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(p.name, part) })
	})
}

// selected keeps the methods that the flags want.
func selected(ms []method, c config) []method {
	var out []method
	for _, m := range ms {
		if m.rival && m.interpreter == "" || c.budget < m.least {
			continue
		}
		for _, part := range strings.Split(c.only, ";") {
			if c.only == "" || m.name == part || (part != "ours" && strings.Contains(m.name, part)) {
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// numbersOf reads a flag's list of whole numbers; nil if it is empty.
func numbersOf(flag, list string, least int) (out []int, err error) {
	if list == "" {
		return nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < least {
			return nil, fmt.Errorf("%s %q: must be numbers of %d or more, separated by commas", flag, list, least)
		}
		out = append(out, n)
	}
	return out, nil
}
