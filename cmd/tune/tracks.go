package main

import (
	"io"
	"strings"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/timeline"
	"schedtune/trace"
)

// tracksFlag declares --perfetto.
func tracksFlag(fs *pflag.FlagSet, path *string, what string) {
	fs.StringVar(path, "perfetto", "", what+" over time for ui.perfetto.dev (`FILE` "+strings.Join(perfetto.Suffixes(),
		", ")+")")
}

// checkTracks refuses a name of no form.
func checkTracks(path string) error {
	if path == "" {
		return nil
	}
	if _, err := perfetto.New(io.Discard, path); err != nil {
		return cli.Usagef("--perfetto: %v", err)
	}
	return nil
}

// historyTracks draws a recorded trace, as it goes: such drawings are large.
func historyTracks(path string, t *trace.Trace) error {
	return writeFile(path, func(out io.Writer) error {
		w, err := perfetto.New(out, path)
		if err != nil {
			return err
		}
		timeline.History(w, t, "")
		return w.Close()
	})
}
