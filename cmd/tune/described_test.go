package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/models"
	"schedtune/internal/report"
	"schedtune/internal/rm"
	"schedtune/internal/study"
	"schedtune/internal/timeofday"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/tune"
)

// documents maps the schema of a JSON document to its type.
var documents = map[string]any{
	"applied/v1":            rm.Record{},
	"apply/v1":              applyJSON{},
	"calibration/v1":        yarn.Calibration{},
	"check/v2":              checkJSON{},
	"collect/v1":            collectJSON{},
	"compare/v1":            report.Comparison{},
	"doctor/v1":             accuracy.ClusterReport{},
	"error/v1":              cli.ErrorDocument{},
	"explain/v1":            diagnose.LimitsDocument{},
	"fit-allocation/v1":     models.AllocationResult{},
	"fit-classes/v1":        models.ClassesResult{},
	"fit-classes-model/v1":  models.ClassesModel{},
	"fit-contention/v1":     models.ContentionResult{},
	"fit-mismatch/v1":       models.MismatchResult{},
	"fit-durations/v1":      calibrate.DurationsResult{},
	"fit-overload/v1":       models.OverloadResult{},
	"fit-overload-model/v1": models.OverloadModel{},
	"fit-release/v1":        models.ReleaseResult{},
	"fit-release-model/v1":  models.ReleaseModel{},
	"from-pull/v1":          fromPullJSON{},
	"gate/v1":               gateJSON{},
	"import/v1":             importJSON{},
	"progress/v1":           cli.ProgressLine{},
	"pull/v1":               rm.PullSummary{},
	"rollback/v1":           applyJSON{},
	"simulate/v1":           report.Simulation{},
	"size/v1":               study.Report{},
	"terms/v1":              termsJSON{},
	"timetable/v1":          timeofday.Report{},
	"trace-info/v2":         infoJSON{},
	"tune/v3":               report.Summary{},
	"tune-scheduler/v2":     study.SchedulerSummary{},
	"usage/v1":              report.Report{},
	"verify/v1":             accuracy.ChangeReport{},
	"version/v1":            cli.VersionDocument{},
	"watch/v1":              watchJSON{},
	"why/v1":                diagnose.PendingDocument{},
}

// page returns a document of the project, by its path from the root.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var codeRE, wordRE = regexp.MustCompile("(?s)```.*?```|`[^`]+`"), regexp.MustCompile(`[\pL\d_-]+`)

// coded returns the words of a text that are in code marks.
func coded(text string) map[string]bool {
	words := map[string]bool{}
	for _, code := range codeRE.FindAllString(text, -1) {
		for _, w := range wordRE.FindAllString(code, -1) {
			words[w] = true
		}
	}
	return words
}

// Every command is on a page; every flag has a text in its command's help.
func TestCommandsAreDescribed(t *testing.T) {
	var docs string
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		docs += page(t, strings.TrimPrefix(p, "../../"))
	}
	words := coded(docs)
	for _, c := range every(newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard})) {
		if !words[c.Name()] {
			t.Errorf("got no mention of %s, want one in docs", c.CommandPath())
		}
		_, help, _ := command(t, append(strings.Fields(c.CommandPath())[1:], "-h")...)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			if _, text := pflag.UnquoteUsage(f); text == "" || !strings.Contains(help, "--"+f.Name) {
				t.Errorf("%s: got flag --%s with text %q, want it in the help", c.CommandPath(), f.Name, text)
			}
		})
	}
}

// found returns the first group of a pattern's matches in the Go files that a glob names.
func found(t *testing.T, glob, pattern string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", glob))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(page(t, strings.TrimPrefix(f, "../../")), -1) {
			names = append(names, m[1])
		}
	}
	return names
}

func TestInputFormsAreDescribed(t *testing.T) {
	var samplers []string
	for _, s := range tune.Samplers() {
		samplers = append(samplers, s.Name)
	}
	for _, c := range []struct {
		what, page string
		least      int
		names      []string
	}{
		{"trace formats", "traces.md", 12, trace.OpenFormats()},
		{"samplers", "search-method.md", 7, samplers},
		{"keys of a cluster file", "inputs.md", 20, found(t, "internal/*/cluster_yaml.go", `(?m)^\s+"(\w+)": +\S`)},
		{"keys of changes and rules", "autoscaling.md", 12, found(t, "internal/*/cluster_elastic.go",
			`(?m)^\s+"(\w+)": +\S`)},
		{"causes", "pending-applications.md", 30, found(t, "internal/*/*.go", `(?m)^\s+Kind\w+ += "([a-z-]+)"`)},
		{"authentication", "running-cluster.md", 5, []string{"simple", "basic", "bearer", "delegation", "negotiate"}},
		{"objectives of verify", "verify.md", 7, found(t, "internal/*/measure.go", `base: "([a-z0-9-]+)"`)},
	} {
		t.Run(c.what, func(t *testing.T) {
			described := coded(page(t, "docs/"+c.page))
			if len(c.names) < c.least {
				t.Errorf("got %d names, want %d or more", len(c.names), c.least)
			}
			for _, name := range c.names {
				if !described[name] {
					t.Errorf("got no description of %s, want one in docs/%s", name, c.page)
				}
			}
		})
	}
}

// Limits that no flag's help states are stated in docs.
func TestLimitsAreDescribed(t *testing.T) {
	for text, name := range map[string]string{
		"60 s per request":            "running-cluster.md",
		"256 MiB per answer":          "running-cluster.md",
		"20 requests per second":      "running-cluster.md",
		"three retries":               "running-cluster.md",
		"1 to 1,000,000 machines":     "inputs.md",
		"A recommendation needs 80":   "tuning.md",
		"(16 characters or more)":     "tuning.md",
		"to 100 runs at least":        "tuning.md",
		"Eight days are the minimum":  "time-of-day.md",
		"fewer than 20 jobs":          "verify.md",
		"a run takes over 10 minutes": "distributed.md",
		"after 30 s":                  "distributed.md",
		"1.5 s to finish":             "distributed.md",
		"differ by at most 15 %":      "accuracy.md",
		"exceeds a factor of two":     "accuracy.md",
		"five of each kind":           "check-configuration.md",
		"first 2000 decisions":        "fit.md",
		"four hours and 200 jobs":     "accuracy.md",
		"fewer than eight workloads":  "accuracy.md",
		"more than 10 % worse":        "tuning.md",
		"twice the most":              "tuning.md",
	} {
		if !strings.Contains(strings.Join(strings.Fields(page(t, "docs/"+name)), " "), text) {
			t.Errorf("got no %q, want it in docs/%s", text, name)
		}
	}
}
