package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/text"
	"schedtune/validation/papers"
)

// papersJSON is the schema schedtune/reproduce/v3.
type papersJSON struct {
	Schema   string           `json:"schema"`
	Seed     uint64           `json:"seed"`
	Counts   papers.Tally     `json:"counts"` // of rows that are evidence
	Sections []papers.Section `json:"sections"`
}

// papersFlags are the options of papers.
type papersFlags struct {
	table, out string
	opt        papers.Options
}

func newPapersCmd(e *env) *cobra.Command {
	var f papersFlags
	c := &cobra.Command{
		Use:   "papers [PAPER]",
		Short: "Rebuild the papers' tables and figures beside the published values",
		Long: `papers runs the experiments of the papers (` + strings.Join(datasets.Papers(), ", ") + `) and
writes what was published, what came out, its interval and a verdict as
Markdown and CSV into --out. Without a paper it runs all of them. A single
table is printed, and written only where --out is given.`,
		Example: `  go run ./validation papers
  go run ./validation papers omo --table 2
  go run ./validation papers thesis --table 6.2 --json`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), e, args)
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.table, "table", "", "one table or figure of the paper: `N`, or 'figure N'")
	fs.StringVarP(&f.out, "out", "o", "", "`DIR` for Markdown and CSV, such as results/papers (default print only)")
	cli.Number(fs, &f.opt.Replications, "replications", 0, cli.AtLeast(1), "`N` runs of every experiment (default its "+
		"own number)")
	cli.Seed(fs, &f.opt.Seed, "the first replication")
	workersFlag(fs, &f.opt.Workers)
	return c
}

// run reproduces the paper named, or all of them.
func (f *papersFlags) run(ctx context.Context, e *env, args []string) error {
	names := datasets.Papers()
	if len(args) == 1 {
		names = args
	} else if f.table != "" {
		return cli.Usagef("--table: needs a paper, one of %s", strings.Join(names, ", "))
	}
	for _, p := range names {
		if _, err := papers.Select(p, f.table); err != nil {
			return cli.Usagef("%v", err)
		}
	}
	return f.reproduce(ctx, e, names, f.command(args))
}

// command is the command line that gives the same results, for their files.
func (f *papersFlags) command(args []string) string {
	words := append([]string{"go run ./validation papers"}, args...)
	if f.opt.Replications > 0 {
		words = append(words, fmt.Sprintf("--replications %d", f.opt.Replications))
	}
	if f.table != "" {
		words = append(words, "--table "+strings.Join(strings.Fields(f.table), " "))
	}
	return strings.Join(words, " ")
}

// reproduce runs the papers; command is what their files name as their origin.
func (f *papersFlags) reproduce(ctx context.Context, e *env, names []string, command string) error {
	progress := e.NewProgress(-1, "experiments")
	f.opt.Progress = func(done int, what string) { progress.Set(int64(done), what) }
	sections := []papers.Section{}
	for _, p := range names {
		s, err := cli.Interruptible(ctx, func() ([]papers.Section, error) { return papers.Run(ctx, p, f.table, f.opt) })
		if err != nil {
			progress.Finish()
			return err
		}
		sections = append(sections, s...)
	}
	progress.Finish()
	if f.out != "" {
		if err := papers.Write(f.out, sections, papers.Provenance{Command: command, Version: text.Version(),
			Seed: f.opt.Seed}); err != nil {
			return err
		}
		e.Notef("written: %s", f.out)
	}
	if e.JSON {
		return e.WriteJSON(papersJSON{"schedtune/reproduce/v3", f.opt.Seed, papers.Total(sections), sections})
	}
	return papersTable.Execute(e.Stdout, map[string]any{"Sections": sections, "Rows": len(names) == 1,
		"Total": papers.Total(sections)})
}

//go:embed papers.tmpl
var papersPage string

var papersTable = text.Table(papersPage, template.FuncMap{"number": papers.Number, "interval": papers.Interval,
	"standing": func(r papers.Row) string { // what a row with a verdict counts as
		switch {
		case r.Verdict == papers.Shown:
			return ""
		case r.Counted():
			return string(r.Kind)
		}
		return "(" + r.Uncounted() + ")"
	}})
