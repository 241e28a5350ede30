package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// checkJSON is the document of tune check.
type checkJSON struct {
	Schema   string        `json:"schema"`
	Errors   int           `json:"errors"`   // number
	Warnings int           `json:"warnings"` // number
	Problems []problemJSON `json:"problems"` // of all files; with --new those that the file of --against has not
	Files    []checkedFile `json:"files"`    // in the order of the command line
}

// checkedFile is one file.
type checkedFile struct {
	File     string             `json:"file"`
	Dialect  *string            `json:"dialect"` // yarn, or hadoop1 for the older scheduler; null: cannot be parsed
	Hadoop   *string            `json:"hadoop"`  // version whose rules count; null: of Hadoop 1
	Errors   int                `json:"errors"`
	Warnings int                `json:"warnings"`
	Changes  []changeJSON       `json:"changes"` // from the file of --against
	Restart  []yarnconf.Restart `json:"restart"` // settings that a refresh does not bring in
	Groups   []partitionJSON    `json:"partitions"`
	Rules    []ruleJSON         `json:"placement"`         // rules that assign applications to queues
	FirstUse []firstUseJSON     `json:"made_on_first_use"` // parents that create queues

	report yarnconf.CheckReport
}

type problemJSON struct {
	Rule     string  `json:"rule"`     // stable name, see docs/rules.md
	Severity string  `json:"severity"` // error or warning
	File     string  `json:"file"`
	Line     *int    `json:"line"` // from 1; null: of the file as a whole
	Property string  `json:"property"`
	Reason   string  `json:"reason"`
	Fix      *string `json:"fix"`
	New      *bool   `json:"new"` // the file of --against does not have it; null without --against
}

// checkFlags are the options of tune check.
type checkFlags struct {
	against, site, cluster, hadoop, failOn, format string
	embedded, onlyNew                              bool
}

func newCheckCmd(e *env) *cobra.Command {
	var f checkFlags
	c := subcommand("check {FILE… | -}", cli.Args(cobra.ArbitraryArgs), func(ctx context.Context, args []string) error {
		return ending(ctx, func() error { return f.run(e, args) })
	})
	fs := c.Flags()
	fs.StringVar(&f.against, "against", "", "current `FILE`: also check that YARN accepts the change from it by a refresh")
	fs.StringVar(&f.site, "site", "", "yarn-site.xml `FILE` with minimum and maximum allocation and preemption")
	fs.StringVar(&f.cluster, "cluster", "", "cluster `FILE` with the node labels")
	fs.StringVar(&f.hadoop, "hadoop", "", "Hadoop `VERSION` to validate against: 3.3, 3.4 or 3.5 (default that of the "+
		"downloaded cluster, else 3.4, with the errors of the other of 3.4 and 3.5)")
	fs.BoolVar(&f.embedded, "embedded", false, "check the file of the embedded data set")
	cli.Group(fs, "Gate", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.failOn, "fail-on", "error", []string{"error", "warning"}, "exit with code 5 on problems of this "+
			"`SEVERITY` or higher")
		fs.BoolVar(&f.onlyNew, "new", false, "with --against FILE: show only problems that FILE does not have")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.format, "format", "text", formatNames(), "`FORM` of the result")
	})
	return c
}

// loadConf reads a configuration file; - is standard input, and "" the embedded queue
// file.
func loadConf(e *env, path string) (*yarnconf.Document, error) {
	switch path {
	case "":
		set, err := datasets.Load(scenario.DefaultSet)
		if err != nil {
			return nil, err
		}
		e.Notef("no FILE: using the embedded configuration of data set %q", set.Name)
		return yarnconf.Parse(scenario.EmbeddedConfig, set.ConfigXML)
	case "-":
	default:
		return yarnconf.Load(path)
	}
	const most = 64<<20 + 1 // yarnconf refuses larger files
	data, err := io.ReadAll(io.LimitReader(e.Stdin, most))
	if err != nil {
		return nil, fmt.Errorf("stdin: %w", err)
	}
	return yarnconf.Parse("stdin", data)
}

// loadFor reads a queue file, with the yarn-site.xml behind it if given, for a version of
// Hadoop: the one named, else what the folder of the file says.
func loadFor(e *env, hadoop, site, path string) (*yarnconf.Document, yarnconf.Version, error) {
	d, err := loadConf(e, path)
	if err != nil {
		return nil, 0, err
	}
	version, note, err := scenario.VersionOf(hadoop, path)
	if err != nil {
		return nil, 0, err
	}
	if note != "" {
		e.Notef("%s", note)
	}
	if site != "" {
		s, err := loadConf(e, site)
		if err != nil {
			return nil, 0, err
		}
		d = d.WithSite(s)
	}
	return d.ForHadoop(version), version, nil
}

// validate returns a usage error for options that do not fit together.
func (f *checkFlags) validate(e *env, paths []string) error {
	switch {
	case len(paths) == 0 && !f.embedded:
		return cli.Usagef("no FILE: name one or more, - for standard input, or use --embedded")
	case len(paths) > 0 && f.embedded:
		return cli.Usagef("--embedded: cannot be combined with FILE")
	case f.onlyNew && f.against == "":
		return cli.Usagef("--new: needs --against FILE")
	case e.JSON && f.format != "text" && f.format != "json":
		return cli.Usagef("--json, --format %s: exclude each other", f.format)
	}
	e.JSON = e.JSON || f.format == "json"
	return cli.StdinOnce("-", append([]string{f.against, f.site}, paths...)...)
}

func (f *checkFlags) run(e *env, paths []string) error {
	if err := f.validate(e, paths); err != nil {
		return err
	}
	groups, err := nodeGroups(e, f.cluster)
	if err != nil {
		return err
	}
	var present *yarnconf.Document
	known := map[yarnconf.Problem]bool{}
	if f.against != "" {
		if present, _, err = loadFor(e, f.hadoop, f.site, f.against); err != nil {
			return err
		}
		for _, p := range yarnconf.CheckOn(present, groups).Problems {
			known[identity(p)] = true
		}
	}
	if f.embedded {
		paths = []string{""}
	}
	out := &checkJSON{Schema: text.SchemaCheck}
	for _, path := range paths {
		file, err := f.file(e, path, present, groups)
		if err != nil {
			return err
		}
		out.add(file, f.onlyNew, present != nil, known)
	}
	if err := f.show(e, out); err != nil {
		return err
	}
	if out.Errors > 0 || f.failOn == "warning" && out.Warnings > 0 {
		return &cli.ExitError{Code: cli.ExitFindings}
	}
	return nil
}

// identity is what two files have in common that break one rule at one property.
func identity(p yarnconf.Problem) yarnconf.Problem {
	out := yarnconf.Problem{Severity: p.Severity, Rule: yarnconf.RuleOf(p), Key: p.Key}
	if p.Key == "" {
		out.Reason = p.Reason
	}
	return out
}

// file checks one file. One that cannot be parsed has that as its problem; one that cannot be
// read is an error.
func (f *checkFlags) file(e *env, path string, present *yarnconf.Document,
	groups []yarnconf.NodeGroup) (*checkedFile, error) {
	d, version, err := loadFor(e, f.hadoop, f.site, path)
	var broken yarnconf.Problem
	switch {
	case errors.As(err, &broken) && (path == "-" || broken.File != path || readable(path)):
		return &checkedFile{File: broken.File, report: yarnconf.CheckReport{Problems: []yarnconf.Problem{broken}}}, nil
	case err != nil:
		return nil, err
	}
	report := yarnconf.CheckOn(d, groups)
	if f.hadoop == "" {
		report.AddVersion(d, otherVersion(version))
	}
	out := &checkedFile{File: d.Name()}
	if present != nil {
		report.AddRefresh(present, d)
		out.Changes = changesBetween(present, yarnconf.SchedulerChanges(present, d))
	}
	out.report = report
	dialect, hadoop := "yarn", d.Hadoop().String()
	if out.Dialect, out.Hadoop = &dialect, &hadoop; yarnconf.IsMR1(d) {
		dialect, out.Hadoop = "hadoop1", nil
	}
	if present == nil {
		out.report.Restart = nil // what a change takes, without a change
	}
	out.Restart = out.report.Restart
	listQueues(out, d, groups)
	return out, nil
}

// readable reports whether a file can be read: then its contents are the problem.
func readable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err == nil || errors.Is(err, io.EOF)
}

// add adds a file with its problems, of which known ones are in the current file too.
func (c *checkJSON) add(file *checkedFile, onlyNew, compared bool, known map[yarnconf.Problem]bool) {
	file.report.Problems = slices.DeleteFunc(file.report.Problems, func(p yarnconf.Problem) bool {
		return onlyNew && known[identity(p)]
	})
	for _, p := range file.report.Problems {
		j := problemJSON{Rule: yarnconf.RuleOf(p), Severity: p.Severity.String(), File: p.File, Property: p.Key,
			Reason: p.Reason}
		if p.Line > 0 {
			j.Line = &p.Line
		}
		if p.Fix != "" {
			j.Fix = &p.Fix
		}
		if compared {
			fresh := !known[identity(p)]
			j.New = &fresh
		}
		c.Problems = append(c.Problems, j)
	}
	file.Errors, file.Warnings = file.report.Count(yarnconf.Error), file.report.Count(yarnconf.Warning)
	c.Errors, c.Warnings = c.Errors+file.Errors, c.Warnings+file.Warnings
	c.Files = append(c.Files, *file)
}

// show prints the result in the form that is asked for.
func (f *checkFlags) show(e *env, out *checkJSON) error {
	if write := checkFormats[f.format]; write != nil && !e.JSON {
		return write(e.Stdout, out)
	}
	return e.Show(out, func(w io.Writer) error {
		for i := range out.Files {
			file := &out.Files[i]
			printCheck(w, file.report)
			if f.against != "" && file.Errors > 0 {
				fmt.Fprintln(w, "yarn rmadmin -refreshQueues would be refused")
			}
			if err := text.PrintTable(w, checkTemplate, file); err != nil {
				return err
			}
		}
		return nil
	})
}

// otherVersion is the version beside which a file is looked at where none is asked
// for.
func otherVersion(v yarnconf.Version) yarnconf.Version {
	if v == yarnconf.Hadoop34 {
		return yarnconf.Hadoop35
	}
	return yarnconf.Hadoop34
}

// alikeShown bounds the warnings of one kind: in a file of hundreds of queues
// the same advice for each would hide everything else.
const alikeShown = 5

func printCheck(w io.Writer, r yarnconf.CheckReport) {
	alike := map[string]int{}
	var kinds []string // of which some are not shown
	for _, p := range r.Problems {
		kind := p.Key[strings.LastIndexByte(p.Key, '.')+1:]
		if p.Severity == yarnconf.Warning {
			if alike[kind]++; alike[kind] == alikeShown+1 {
				kinds = append(kinds, kind)
			}
			if alike[kind] > alikeShown {
				continue
			}
		}
		fmt.Fprintf(w, "%s [%s]\n", p.Listed(), yarnconf.RuleOf(p))
	}
	for _, kind := range kinds {
		fmt.Fprintf(w, "%s about %s; --json lists all\n", text.Count(alike[kind]-alikeShown, "more warning"), kind)
	}
	for _, s := range r.Restart {
		when := "after a " + s.Kind.String()
		switch s.Kind {
		case yarnconf.OtherCommand:
			when = "after another command"
		case yarnconf.PerJob:
			when = "from the next job on"
		}
		fmt.Fprintf(w, "%s:%d: note: %s: a change takes effect %s (%s)\n", s.File, s.Line,
			strings.TrimPrefix(s.Key, yarnconf.Prefix), when, s.Why)
	}
	fmt.Fprintf(w, "%s, %s\n", text.Count(r.Count(yarnconf.Error), "error"), text.Count(r.Count(yarnconf.Warning),
		"warning"))
}
