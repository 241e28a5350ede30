package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
)

// valuesOf returns two values that a flag of its type takes, if it is not a choice.
func valuesOf(f *pflag.Flag) (a, b string) {
	switch f.Value.Type() {
	case "int", "uint64":
		return "100", "101"
	case "float64":
		return "0.5", "0.6"
	case "duration":
		return "5m", "6m"
	}
	return "a", "b"
}

// Every flag and argument of every command that is given empty, blank, a flag for a value, twice
// with different values, or with a folder for a file is refused with exit code 2, by the flag's name, and with
// one JSON object.
func TestGivenValues(t *testing.T) {
	dir := t.TempDir()
	seen := 0
	for _, c := range every(newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard})) {
		path := strings.Fields(c.CommandPath())[1:]
		refused := func(name string, args ...string) {
			t.Helper()
			code, stdout, stderr := command(t, append(append(slices.Clone(path), args...), "--json")...)
			if first, _, _ := strings.Cut(stderr, "\n"); code != cli.ExitUsage || !strings.Contains(first, name) {
				t.Errorf("tune %v %q: exit %d, %q; want %d and %s", path, args, code, first, cli.ExitUsage, name)
			}
			if doc := fitted(t, stdout); doc["exit"] != float64(cli.ExitUsage) {
				t.Errorf("tune %v %q: %s", path, args, stdout)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" || f.Hidden {
				return
			}
			seen++
			refused("--"+f.Name, "--"+f.Name, "")
			refused("--"+f.Name, "--"+f.Name, " ")
			refused("--"+f.Name, "--"+f.Name, "--quiet") // of an empty variable without quotes
			if a, b := valuesOf(f); !strings.HasSuffix(f.Value.Type(), "Array") && !strings.HasSuffix(f.Value.Type(), "Slice") {
				refused("--"+f.Name, "--"+f.Name, a, "--"+f.Name, b)
			}
			if what, usage := pflag.UnquoteUsage(f); what == "FILE" && !strings.Contains(usage, "folder") {
				refused("--"+f.Name, "--"+f.Name, dir)
			}
		})
		if strings.ContainsAny(c.Use, " ") && !strings.HasPrefix(c.Use, "apply") {
			refused("", "")
		}
	}
	if seen < 200 {
		t.Errorf("got %d flags, want 200 or more", seen)
	}
}

// Exit codes are those of the table, in the help of every command too.
func TestExitCodesAreListed(t *testing.T) {
	known := map[string]bool{}
	for _, c := range cli.ExitCodes() {
		known[cli.ExitKey(c.Code)] = true
	}
	for _, c := range every(newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard})) {
		for key := range c.Annotations {
			if strings.HasPrefix(key, "exit ") && !known[key] {
				t.Errorf("%s: %s is not in the table", c.CommandPath(), key)
			}
		}
	}
	_, page, _ := command(t, "help", "exit-codes")
	for _, want := range []string{"130", "schedtune/error/v1", "apply, tune, verify"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// Commands end with the code of the table, and with one JSON object of the schema of each.
func TestExitCodeOf(t *testing.T) {
	small := []string{"--config", "testdata/small.xml", "--cluster", "testdata/four.yaml", "--trace",
		"testdata/small.json"}
	conf, worse := "../../datasets/spark/capacity-scheduler.xml", "testdata/small.xml"
	for name, c := range map[string]struct {
		code   int
		schema string
		args   []string
	}{
		"check":             {0, "check/v2", []string{"check", conf}},
		"check warnings":    {5, "check/v2", []string{"check", conf, "--fail-on", "warning"}},
		"check nothing new": {0, "check/v2", []string{"check", conf, "--fail-on", "warning", "--against", conf, "--new"}},
		"check several":     {5, "check/v2", []string{"check", conf, "testdata/sum97.xml"}},
		"check no XML":      {5, "check/v2", []string{"check", "testdata/small.json"}},
		"check missing":     {1, "error/v1", []string{"check", "nosuch.xml"}},
		"check no file":     {2, "error/v1", []string{"check"}},
		"gate":              {0, "gate/v1", append([]string{"compare", "--against", worse}, small...)},
		"gate broken limit": {2, "error/v1",
			append([]string{"compare", "--against", worse, "--max-worse", "makespan"}, small...)},
		"gate without a file": {2, "error/v1",
			append([]string{"compare", "--max-worse", "makespan 5 %"}, small...)},
		"risk without a file": {2, "error/v1", append([]string{"compare", "--max-risk", "5"}, small...)},
		"hadoop":              {2, "error/v1", append([]string{"--hadoop", "2.7"}, small...)},
		"serve":               {2, "error/v1", append([]string{"--serve", "nope"}, small...)},
		"listen":              {2, "error/v1", append([]string{"--listen", "x"}, small...)},
		"nats":                {2, "error/v1", append([]string{"--nats", "x"}, small...)},
		"standard input":      {2, "error/v1", []string{"simulate", "--config", "-", "--embedded"}},
		"replications":        {2, "error/v1", []string{"simulate", "--embedded", "--replications", "1000000000"}},
		"explain --queue":     {2, "error/v1", []string{"explain", conf, "--user", "u", "--queue", "nope"}},
		"explain --label":     {2, "error/v1", []string{"explain", conf, "--user", "u", "--queue", "etl", "--label", "nope"}},
		"completion":          {2, "error/v1", []string{"completion"}},
		"completion of bash":  {2, "error/v1", []string{"completion", "bash"}},
		"explain --against":   {0, "terms/v1", []string{"explain", conf, "--against", conf}},
		"version":             {0, "version/v1", []string{"version"}},
		"--version":           {0, "version/v1", []string{"--version"}},
		"not recommended": {3, "tune/v3",
			append([]string{"--objective", "failed-jobs", "--budget", "20", "--fail-if-not-recommended"}, small...)},
		"objective": {2, "error/v1", append([]string{"size", "--constraint", "x"}, small...)},
		"simulate":  {0, "simulate/v1", append([]string{"simulate"}, small...)},
		"compare": {0, "compare/v1",
			append([]string{"compare", "--schedulers", "capacity", "--replications", "2"}, small...)},
		"trace info": {0, "trace-info/v2", []string{"trace", "info", "testdata/small.json"}},
		"usage":      {0, "usage/v1", []string{"trace", "usage", "testdata/small.json"}},
		"scheduler": {0, "tune-scheduler/v2",
			[]string{"--scheduler", "delay", "--dataset", "coupling-sequence", "--budget", "20"}},
		"size": {0, "size/v1",
			append([]string{"size", "--budget", "20", "--check", "2", "--nodes", "4,4"}, small...)},
		"doctor of no pull": {1, "error/v1", []string{"doctor", "testdata"}},
		"import":            {0, "import/v1", []string{"import", "testdata/small.json", t.TempDir() + "/out.csv"}},
		"verify one history": {3, "verify/v1",
			[]string{"verify", "testdata/small.xml", "--config", "testdata/small.xml", "--cluster",
				"testdata/four.yaml", "--before", "testdata/small.json", "--after", "testdata/small.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := command(t, append(c.args, "--json", "--quiet")...)
			if code != c.code {
				t.Errorf("exit %d, want %d: %s", code, c.code, stderr)
			}
			if doc := fitted(t, stdout); doc["schema"] != "schedtune/"+c.schema {
				t.Errorf("%v, want %s", doc["schema"], c.schema)
			}
		})
	}
}
