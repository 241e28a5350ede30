package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/cputime"
	"schedtune/internal/reproduce"
	"schedtune/internal/version"
)

// reproduceJSON is the schema schedtune/reproduce/v2.
type reproduceJSON struct {
	Schema   string             `json:"schema"`
	Seed     uint64             `json:"seed"`
	Counts   reproduceCounts    `json:"counts"`
	Sections []reproduceSection `json:"sections"`
}

// reproduceCounts are rows that are evidence: no calibration, no repeat, none that
// a null model meets.
type reproduceCounts struct {
	Claims        int `json:"claims"`
	ClaimsMet     int `json:"claims_met"`
	Magnitudes    int `json:"magnitudes"`
	MagnitudesMet int `json:"magnitudes_met"`
}

type reproduceSection struct {
	Paper    string         `json:"paper"`
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Source   string         `json:"source"`
	Setup    string         `json:"setup"`
	Measured bool           `json:"measured"` // rows depend on the machine
	Rows     []reproduceRow `json:"rows"`
	Notes    []string       `json:"notes"`
	Seen     []string       `json:"seen"` // choices made after looking at rows of the section
}

type reproduceRow struct {
	What      string   `json:"what"`
	Unit      string   `json:"unit"`
	Kind      string   `json:"kind"`      // claim, magnitude, calibration; empty: shown only
	Published *float64 `json:"published"` // null where the paper states a direction only
	Ours      *float64 `json:"ours"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	N         int      `json:"n"`
	Rule      string   `json:"rule"`
	Verdict   string   `json:"verdict"` // met, missed, shown
	Counted   bool     `json:"counted"`
	Apart     string   `json:"apart,omitempty"` // why a row with a verdict is not counted
	Note      string   `json:"note,omitempty"`
}

func newReproduceCmd(e *env) *cobra.Command {
	var table, out string
	var opt reproduce.Options
	var overhead, readings bool
	c := &cobra.Command{
		Use:   "reproduce [PAPER]",
		Short: "Rebuild the papers' tables and figures beside the published values",
		Long: `reproduce runs the experiments of the papers (` + strings.Join(reproduce.Papers(), ", ") + `) and
writes what was published, what came out, its interval and a verdict as
Markdown, CSV and SVG into --out. Without a paper it runs all of them. A single
table is printed, and written only where --out is given.`,
		Example: "  tune reproduce\n  tune reproduce omo --table 2\n  tune reproduce thesis --table 6.2 --json",
		Args:    cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			papers := reproduce.Papers()
			if len(args) == 1 {
				papers = args
			} else if table != "" {
				return cli.Usagef("--table needs a paper; allowed: %s", strings.Join(papers, ", "))
			}
			for _, p := range papers {
				if _, err := reproduce.Select(p, table); err != nil {
					return cli.Usagef("%v", err)
				}
			}
			if overhead {
				opt.Clock = cputime.Thread
			}
			command := "tune reproduce " + strings.Join(args, " ")
			if readings {
				command += " --readings"
			}
			if opt.Replications > 0 {
				command += fmt.Sprintf(" --replications %d", opt.Replications)
			}
			if table != "" {
				command += " --table " + table
			}
			if overhead {
				command += " --overhead"
			}
			if readings {
				if len(papers) != 1 || papers[0] != "coshh" || table != "" {
					return cli.Usagef("--readings is for all of paper coshh")
				}
				return runReadings(c.Context(), e, out, strings.Join(strings.Fields(command), " "), opt)
			}
			return runReproduce(c.Context(), e, papers, table, out, strings.Join(strings.Fields(command), " "), opt)
		},
	}
	f := c.Flags()
	f.StringVar(&table, "table", "", "one table or figure of the paper: `N`, \"figure N\"")
	f.StringVarP(&out, "out", "o", "", "write Markdown, CSV and SVG into this `DIR`, such as results/papers (default print only)")
	f.Uint64Var(&opt.Seed, "seed", 1, "first seed")
	f.IntVar(&opt.Workers, "workers", 0, "simulations at a time; 0 = all cores (the result is the same)")
	f.IntVar(&opt.Replications, "replications", 0, "of every experiment; 0 = its own number")
	f.BoolVar(&overhead, "overhead", false, "measure scheduling time in seconds too, beside the operations that are judged; these rows differ from run to run")
	f.BoolVar(&readings, "readings", false, "COSHH under every reading of its set-up, with the sentences of the paper that each contradicts")
	c.AddCommand(newPromiseCmd(e))
	c.AddCommand(newRealCmd(e))
	c.AddCommand(newBeyondCmd(e))
	return c
}

func runReproduce(ctx context.Context, e *env, papers []string, table, out, command string, opt reproduce.Options) error {
	progress := e.NewProgress(-1, "experiments")
	opt.Progress = func(done int, what string) { progress.Set(int64(done), what) }
	var sections []reproduce.Section
	for _, p := range papers {
		s, err := interruptible(ctx, func() ([]reproduce.Section, error) { return reproduce.Run(ctx, p, table, opt) })
		if err != nil {
			progress.Finish()
			return err
		}
		sections = append(sections, s...)
	}
	progress.Finish()
	if out != "" {
		if err := reproduce.Write(out, sections, reproduce.Provenance{Command: command, Version: version.String(), Seed: opt.Seed}); err != nil {
			return err
		}
		e.Notef("written: %s", out)
	}
	if e.JSON {
		return e.WriteJSON(reproduceOut(sections, opt.Seed))
	}
	printReproduce(e, sections, len(papers) == 1)
	return nil
}

// runReadings runs COSHH under every reading.
func runReadings(ctx context.Context, e *env, out, command string, opt reproduce.Options) error {
	progress := e.NewProgress(-1, "experiments")
	opt.Progress = func(done int, what string) { progress.Set(int64(done), what) }
	o, err := interruptible(ctx, func() ([]reproduce.CoshhOutcome, error) { return reproduce.CoshhReadings(ctx, opt) })
	progress.Finish()
	if err != nil {
		return err
	}
	if out != "" {
		if err := reproduce.WriteCoshhReadings(out, o, reproduce.Provenance{Command: command, Version: version.String(), Seed: opt.Seed}); err != nil {
			return err
		}
		e.Notef("written: %s", out)
	}
	fmt.Fprint(e.Stdout, reproduce.PrintCoshhReadings(o))
	return nil
}

func reproduceOut(sections []reproduce.Section, seed uint64) reproduceJSON {
	t := reproduce.Total(sections)
	o := reproduceJSON{Schema: "schedtune/reproduce/v2", Seed: seed, Sections: []reproduceSection{},
		Counts: reproduceCounts{t.Claims, t.ClaimsMet, t.Magnitudes, t.MagnitudesMet}}
	for _, s := range sections {
		js := reproduceSection{s.Paper, s.ID, s.Title, s.Source, s.Setup, s.Measured, []reproduceRow{}, append([]string{}, s.Notes...), append([]string{}, s.Seen...)}
		for _, r := range s.Rows {
			js.Rows = append(js.Rows, reproduceRow{r.What, r.Unit, string(r.Kind), known(r.Published), known(r.Ours.Mean), known(r.Ours.Low), known(r.Ours.High), r.Ours.N, r.Rule,
				string(r.Verdict), r.Counted(), r.Apart, r.Note})
		}
		o.Sections = append(o.Sections, js)
	}
	return o
}

// known returns nil for a figure that does not exist, which JSON cannot name.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// printReproduce prints the rows of one paper, or one line per section of
// several.
func printReproduce(e *env, sections []reproduce.Section, rows bool) {
	for i := range sections {
		s := &sections[i]
		t := s.Count()
		fmt.Fprintf(e.Stdout, "%-9s %-12s claims %2d of %2d, magnitudes %2d of %2d  %.44s\n", s.Paper, s.ID, t.ClaimsMet, t.Claims, t.MagnitudesMet, t.Magnitudes, s.Title)
		if !rows {
			continue
		}
		for _, r := range s.Rows {
			fmt.Fprintf(e.Stdout, "  %-52.52s %10s %10s %-19s %-6s %s\n", r.What, reproduce.Number(r.Published), reproduce.Number(r.Ours.Mean), reproduce.Interval(r.Ours), r.Verdict, standing(&r))
		}
	}
	fmt.Fprintln(e.Stdout, reproduce.Total(sections))
}

// standing says what a row with a verdict counts as.
func standing(r *reproduce.Row) string {
	switch {
	case r.Verdict == reproduce.Shown:
		return ""
	case r.Counted():
		return string(r.Kind)
	}
	return "(" + r.Uncounted() + ")"
}
