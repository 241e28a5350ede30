// Command bench compares package tune with other optimisers on noisy test
// functions and on simulator problems, and writes tables and plots.
//
//	go run . -suite functions -repeats 25 -out ../results
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"schedtune/internal/version"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// config is the command line.
type config struct {
	suite, out, only string
	dims             string
	limit            time.Duration
	repeats, budget  int
	workers          int
	instance, seed   uint64
	plots, slow      bool
}

func run(args []string, stderr io.Writer) int {
	var c config
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.suite, "suite", "functions", "functions or simulator")
	fs.StringVar(&c.out, "out", "", "folder for the report and the plots; empty prints the report")
	fs.StringVar(&c.only, "only", "", "parts of method names to keep, separated by semicolons; \"ours\" means exactly that")
	fs.StringVar(&c.dims, "dims", "5,10,20,40", "dimensions of the test functions")
	fs.DurationVar(&c.limit, "limit", 0, "start no further repeat after this time; 0 is no limit")
	fs.IntVar(&c.repeats, "repeats", 25, "repeats per method and problem")
	fs.IntVar(&c.budget, "budget", 1000, "runs per repeat")
	fs.IntVar(&c.workers, "workers", 1, "repeats at the same time")
	fs.Uint64Var(&c.instance, "instance", 1, "instance of the test functions")
	fs.Uint64Var(&c.seed, "seed", 1, "seed of the methods")
	fs.BoolVar(&c.plots, "plots", true, "draw plots (with -out)")
	fs.BoolVar(&c.slow, "slow", true, "take in methods that need minutes of their own (goptuna's)")
	if err := fs.Parse(args); err != nil {
		return 2
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
	ms := selected(append(ourMethods(), baselines()...), c)
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

// write puts the report, and at the end the plots, where they belong.
func (c config) write(tb *table, last bool) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Search benchmark: %s\n\nCommand: `go run . -suite %s%s -repeats %d -budget %d -seed %d -out ../results` in bench/, version %s.\n\n",
		c.suite, c.suite, c.arguments(), len(tb.cells[0][0]), c.budget, c.seed, version.Number)
	writeReport(&b, c.suite, tb, 0)
	if c.out == "" {
		if last {
			_, err := io.Copy(os.Stdout, &b)
			return err
		}
		return nil
	}
	if c.plots && last {
		if err := draw(c, tb); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(c.out, "search-bench-"+c.suite+".md"), b.Bytes(), 0o644)
}

// arguments are the flags that the suite depends on.
func (c config) arguments() string {
	s := ""
	if c.suite == "functions" {
		s = fmt.Sprintf(" -dims %s -instance %d", c.dims, c.instance)
	}
	if c.only != "" {
		s += fmt.Sprintf(" -only %q", c.only)
	}
	if !c.slow {
		s += " -slow=false"
	}
	return s
}

func suite(c config) ([]*problem, error) {
	switch c.suite {
	case "functions":
		var dims []int
		for _, d := range strings.Split(c.dims, ",") {
			n, err := strconv.Atoi(d)
			if err != nil || n < 2 {
				return nil, fmt.Errorf("dimension %q; allowed: 2 or more", d)
			}
			dims = append(dims, n)
		}
		return functionProblems(dims, c.instance, c.budget)
	case "simulator":
		return simProblems(c.budget)
	}
	return nil, fmt.Errorf("suite %q is unknown; allowed: functions, simulator", c.suite)
}

// selected keeps the methods that the flags want.
func selected(ms []method, c config) []method {
	var out []method
	for _, m := range ms {
		if m.most > 0 && !c.slow {
			continue
		}
		for _, part := range strings.Split(c.only, ";") {
			if c.only == "" || m.name == part || strings.HasPrefix(m.name, part+"*") || (part != "ours" && strings.Contains(m.name, part)) {
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// draw writes the ECDF of all, and anytime curves of a few methods, into the
// folder search.
func draw(c config, tb *table) error {
	dir := filepath.Join(c.out, "search")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var rivals, own, few []int
	for m, me := range tb.methods {
		if strings.HasPrefix(me.name, "ours") {
			own = append(own, m)
		}
		if m == 0 || !strings.HasPrefix(me.name, "ours") {
			rivals = append(rivals, m)
		}
		switch me.name {
		case "ours", "random, 5 seeds", "eaopt GA stock, 5 seeds", "eaopt GA tuned, 2 seeds", "eaopt DE tuned, 2 seeds", "gonum CMA-ES, 5 seeds":
			few = append(few, m)
		}
	}
	if err := writeECDF(dir, "search-ecdf-"+c.suite+".svg", tb, rivals); err != nil {
		return err
	}
	if err := writeECDF(dir, "search-ecdf-parts-"+c.suite+".svg", tb, own); err != nil {
		return err
	}
	for p, pr := range tb.problems {
		d := pr.space.Dim()
		if c.suite == "functions" && d != 10 && d != 20 {
			continue // a selection: the tables hold all
		}
		if err := writeAnytime(dir, tb, p, few); err != nil {
			return err
		}
	}
	return nil
}
