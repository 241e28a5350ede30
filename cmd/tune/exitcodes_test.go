package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/cli"
)

// Every command has one line or more: what cannot be done ends with 1, what is found wrong with
// its own code, and with --json one object says so.
func TestExitCodeOfEveryCommand(t *testing.T) {
	const nowhere = "http://127.0.0.1:1"
	rows := []struct {
		code int
		call string
	}{{1, "check absent.xml"}, {5, "check testdata/sum97.xml"}, {1, "explain absent.xml --user a"},
		{1, "simulate --config absent.xml"}, {1, "compare --config absent.xml"},
		{1, "compare --config absent.xml --against absent.xml"},
		{1, "size --config absent.xml --constraint makespan_<=_1h"}, {1, "timetable --config absent.xml --zone UTC"},
		{1, "pull --out OUT --rm " + nowhere}, {1, "why application_1_0001 --rm " + nowhere}, {1, "doctor absent"},
		{1, "apply absent --rm " + nowhere}, {1, "rollback absent --rm " + nowhere},
		{1, "verify absent --before absent --after absent"}, {2, "watch --rm " + nowhere},
		{1, "trace info absent"}, {1, "trace usage absent"}, {1, "import absent OUT"},
		{2, "worker --connect nats://127.0.0.1:1"}, {2, "plan --out OUT"}, {1, "collect absent --out OUT"},
		{1, "--config absent.xml"}}
	tried := map[string]bool{"tune version": true, "tune man": true, "tune trace": true}
	for _, row := range rows {
		args := strings.Fields(row.call)
		for i := range args {
			if strings.HasPrefix(args[i], "makespan") {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
		}
		c, _, err := newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		tried[c.CommandPath()] = true
		t.Run(row.call, func(t *testing.T) {
			t.Parallel() // several wait for a server
			if i := slices.Index(args, "OUT"); i >= 0 {
				args[i] = filepath.Join(t.TempDir(), "out")
			}
			code, stdout, stderr := command(t, append(args, "--json", "--quiet")...)
			if code != row.code {
				t.Errorf("exit %d, want %d: %s", code, row.code, stderr)
			}
			if doc := fitted(t, stdout); row.code == cli.ExitFailure && doc["exit"] != 1. {
				t.Errorf("got %s, want exit 1 in it", stdout)
			}
		})
	}
	for _, c := range every(newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard})) {
		if c.IsAvailableCommand() && !tried[c.CommandPath()] {
			t.Errorf("%s: no line in the table", c.CommandPath())
		}
	}
}
