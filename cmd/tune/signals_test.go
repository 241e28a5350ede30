package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/validation/testdata"
)

// Whatever signal comes at whatever phase of a study: it ends with 130, or with 0 if it was over by
// then; what stands under the name of the result is complete; and the same command then ends with
// the folder of a study that heard no signal. A SIGPIPE from outside ends nothing.
func TestSignals(t *testing.T) {
	study := func(out string) []string {
		return small("--params", "capacity,maximum-capacity,slowstart", "--budget", "60", "--out", out)
	}
	whole := filepath.Join(t.TempDir(), "tuned")
	must(t, cli.ExitOK, study(whole)...)
	want := folder(t, whole)
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	logged := func(partial, text string, least int) bool {
		data, err := os.ReadFile(filepath.Join(partial, report.FileTrials))
		return err == nil && bytes.Count(data, []byte(text)) >= least
	}
	for phase, begun := range map[string]func(partial string) bool{
		"reading":      exists,
		"search":       func(partial string) bool { return logged(partial, `"run":`, 20) },
		"confirmation": func(partial string) bool { return logged(partial, `"phase":"confirm"`, 1) },
		"writing":      func(partial string) bool { return exists(filepath.Join(partial, report.FileReadme)) },
	} {
		for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE} {
			if (i+len(phase))%4 >= testdata.Cases(8) { // two signals a phase, all four with SCHEDTUNE_LONG
				continue
			}
			t.Run(phase+" "+s.String(), func(t *testing.T) {
				t.Parallel()
				out := filepath.Join(t.TempDir(), "tuned")
				ready := func(string) bool { return begun(out+".partial") || exists(out) }
				code, stdout := signalled(t, s, ready, study(out)...)
				t.Logf("exit %d", code)
				if code != cli.ExitOK && (code != cli.ExitInterrupted || s == syscall.SIGPIPE) {
					t.Errorf("exit %d: %s", code, stdout)
				}
				if exists(out) {
					files := folder(t, out)
					for _, name := range []string{report.FileSummary, report.FileRollback, report.FileTrials, fileio.Sums} {
						if files[name] == "" {
							t.Errorf("%s is missing or empty in the folder of the result", name)
						}
					}
				}
				must(t, cli.ExitOK, study(out)...)
				if diff := cmp.Diff(want, folder(t, out)); diff != "" {
					t.Errorf("differs from the study without a signal:\n%s", diff)
				}
				if exists(out + ".partial") {
					t.Errorf("%s.partial is left", out)
				}
			})
		}
	}
}
