package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// checkJSON is the document of tune check.
type checkJSON struct {
	Schema   string        `json:"schema"`
	File     string        `json:"file"`
	Dialect  string        `json:"dialect"` // yarn or hadoop1
	Errors   int           `json:"errors"`
	Warnings int           `json:"warnings"`
	Problems []problemJSON `json:"problems"`
	Restart  []restartJSON `json:"restart"`
	Hadoop   string        `json:"hadoop,omitempty"` // whose rules count; of yarn only

	Partitions []partitionJSON `json:"partitions,omitempty"`
	Placement  []ruleJSON      `json:"placement,omitempty"`
	FirstUse   []firstUseJSON  `json:"made_on_first_use,omitempty"`
}

type problemJSON struct {
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Property string `json:"property"`
	Reason   string `json:"reason"`
	Fix      string `json:"fix,omitempty"`
}

type restartJSON struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Property string `json:"property"`
	Needs    string `json:"needs"`
	Why      string `json:"why"`
}

// checkFlags are the options of tune check.
type checkFlags struct{ against, site, cluster, hadoop string }

func newCheckCmd(e *env) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:  "check [FILE|-]",
		Args: cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return ending(c.Context(), func() error { return f.run(e, fileOf(args)) })
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.against, "against", "", "current `FILE`: also check the refresh from it")
	fs.StringVar(&f.site, "site", "", "yarn-site.xml `FILE` with minimum and maximum allocation and preemption")
	fs.StringVar(&f.cluster, "cluster", "", "cluster `FILE` with the node labels")
	fs.StringVar(&f.hadoop, "hadoop", "", "Hadoop `VERSION` to validate against: 3.3, 3.4 or 3.5 (default that of the "+
		"downloaded cluster, else 3.4, with the errors of the other of 3.4 and 3.5)")
	return c
}

// fileOf is the file that a command is called with; "" is the embedded one.
func fileOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
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

// loadFor is loadWithSite for a version of Hadoop: the one named, else what the
// folder of path says.
func loadFor(e *env, hadoop, site, path string, others ...string) ([]*yarnconf.Document, yarnconf.Version, error) {
	docs, err := loadWithSite(e, site, append([]string{path}, others...)...)
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
	for i := range docs {
		docs[i] = docs[i].ForHadoop(version)
	}
	return docs, version, nil
}

// loadWithSite reads a scheduler's files and, if given, the yarn-site.xml behind
// them.
func loadWithSite(e *env, site string, paths ...string) ([]*yarnconf.Document, error) {
	var docs []*yarnconf.Document
	for _, p := range paths {
		d, err := loadConf(e, p)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	if site == "" {
		return docs, nil
	}
	s, err := loadConf(e, site)
	if err != nil {
		return nil, err
	}
	for i, d := range docs {
		docs[i] = d.WithSite(s)
	}
	return docs, nil
}

func (f *checkFlags) run(e *env, path string) error {
	if err := cli.StdinOnce("-", path, f.against, f.site); err != nil {
		return err
	}
	var others []string
	if f.against != "" {
		others = []string{f.against}
	}
	docs, version, err := loadFor(e, f.hadoop, f.site, path, others...)
	var unread yarnconf.Problem
	if e.JSON && errors.As(err, &unread) { // who reads the object finds the error there
		if err := e.WriteJSON(checkJSON{Schema: text.SchemaCheck, File: path, Dialect: "yarn", Errors: 1,
			Problems: problemsJSON([]yarnconf.Problem{unread}), Restart: []restartJSON{}}); err != nil {
			return err
		}
		return &cli.ExitError{Code: cli.ExitFailure}
	}
	if err != nil {
		return err
	}
	groups, err := nodeGroups(e, f.cluster)
	if err != nil {
		return err
	}
	d := docs[0]
	report := yarnconf.CheckOn(d, groups)
	if f.hadoop == "" {
		report.AddVersion(d, otherVersion(version))
	}
	if f.against != "" {
		report.AddRefresh(docs[1], d)
	}
	out := checkOut(d, report)
	listQueues(&out, d, groups)
	if e.JSON {
		if err := e.WriteJSON(out); err != nil {
			return err
		}
	} else {
		if f.against == "" {
			report.Restart = nil // what a change takes, without a change
		}
		printCheck(e, report)
		printQueues(e, &out)
		if yarnconf.IsMR1(d) {
			printYARN(e, d)
		}
	}
	if report.Count(yarnconf.Error) > 0 {
		return &cli.ExitError{Code: cli.ExitFailure}
	}
	return nil
}

// otherVersion is the version beside which a file is looked at where none is asked
// for.
func otherVersion(v yarnconf.Version) yarnconf.Version {
	if v == yarnconf.Hadoop34 {
		return yarnconf.Hadoop35
	}
	return yarnconf.Hadoop34
}

func checkOut(d *yarnconf.Document, r yarnconf.CheckReport) checkJSON {
	out := checkJSON{Schema: text.SchemaCheck, File: d.Name(), Dialect: "yarn", Hadoop: d.Hadoop().String(),
		Errors: r.Count(yarnconf.Error), Warnings: r.Count(yarnconf.Warning), Problems: problemsJSON(r.Problems),
		Restart: []restartJSON{}}
	if yarnconf.IsMR1(d) {
		out.Dialect, out.Hadoop = "hadoop1", ""
	}
	for _, s := range r.Restart {
		out.Restart = append(out.Restart, restartJSON{s.File, s.Line, s.Key, s.Kind.String(), s.Why})
	}
	return out
}

func problemsJSON(ps []yarnconf.Problem) []problemJSON {
	out := []problemJSON{}
	for _, p := range ps {
		out = append(out, problemJSON{p.Severity.String(), p.File, p.Line, p.Key, p.Reason, p.Fix})
	}
	return out
}

// alikeShown bounds the warnings of one kind: in a file of hundreds of queues
// the same advice for each would hide everything else.
const alikeShown = 5

func printCheck(e *env, r yarnconf.CheckReport) {
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
		fmt.Fprintln(e.Stdout, p.Listed())
	}
	for _, kind := range kinds {
		fmt.Fprintf(e.Stdout, "%s about %s; --json lists all\n", text.Count(alike[kind]-alikeShown, "more warning"), kind)
	}
	for _, s := range r.Restart {
		when := "after a " + s.Kind.String()
		switch s.Kind {
		case yarnconf.OtherCommand:
			when = "after another command"
		case yarnconf.PerJob:
			when = "from the next job on"
		}
		fmt.Fprintf(e.Stdout, "%s:%d: note: %s: a change takes effect %s (%s)\n", s.File, s.Line,
			strings.TrimPrefix(s.Key, yarnconf.Prefix), when, s.Why)
	}
	fmt.Fprintf(e.Stdout, "%s, %s\n", text.Count(r.Count(yarnconf.Error), "error"), text.Count(r.Count(yarnconf.Warning),
		"warning"))
}

// printYARN prints the closest settings of YARN for a Hadoop 1 file.
func printYARN(e *env, d *yarnconf.Document) {
	c, err := yarnconf.EvaluateMR1(d)
	if err != nil {
		return
	}
	changes, lost := c.YARN()
	fmt.Fprintln(e.Stdout, "\nclosest settings of YARN's Capacity Scheduler:")
	for _, ch := range changes {
		fmt.Fprintf(e.Stdout, "  %s = %s\n", ch.Key, ch.Value)
	}
	for _, l := range lost {
		fmt.Fprintf(e.Stdout, "  no equivalent: %s\n", l)
	}
}
