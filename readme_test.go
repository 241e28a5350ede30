package schedtune

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/validation/testdata"
)

var update = flag.Bool("update", false, "write what the programs print into the documents' examples")

// TestDocumentExamples runs the console blocks of README.md and docs and compares
// what is printed, line by line, with what the document shows. A shown line "…"
// stands for any number of lines, a run of spaces for any other. Before each block
// stands a line "<!-- run -->"; "<!-- run long -->" if it takes long and is run with SCHEDTUNE_LONG only; or
// "<!-- needs WHAT -->" if it needs an outside system and is not run.
func TestDocumentExamples(t *testing.T) {
	t.Parallel()
	bin := buildCommands(t)
	blocks := 0
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs/*.md: %d pages, error %v", len(pages), err)
	}
	for _, doc := range append([]string{"README.md", "datasets/README.md"}, pages...) { // the longest example first
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Count(string(text), "```console"), len(markRE.FindAllString(string(text), -1)); got != want {
			t.Errorf("%s: got %d console blocks, want the %d that are marked", doc, got, want)
		}
		var mu sync.Mutex // of fresh: the examples run beside each other
		fresh := string(text)
		t.Cleanup(func() {
			if fresh != string(text) {
				if err := os.WriteFile(doc, []byte(fresh), 0o666); err != nil {
					t.Error(err)
				}
			}
		})
		for _, b := range consoleBlocks(string(text)) {
			blocks++
			t.Run(doc+"/"+firstWords(b.command), func(t *testing.T) {
				t.Parallel()
				if b.long && testdata.Cases(4) < 4 {
					t.Skip("SCHEDTUNE_LONG=1 runs it")
				}
				if got := b.output(t, bin); *update {
					mu.Lock()
					defer mu.Unlock()
					old := "$ " + b.command + "\n" + strings.Join(b.want, "\n")
					fresh = strings.Replace(fresh, old, "$ "+b.command+"\n"+strings.Join(renew(b.want, got), "\n"), 1)
				} else if diff := matchLines(b.want, got); diff != "" {
					t.Errorf("$ %s\n(-document +program; go test . -run Examples -update writes it anew)\n%s", b.command, diff)
				}
			})
		}
	}
	if blocks == 0 {
		t.Error("got no example, want those of README.md and docs")
	}
}

// block is one command with the output the document shows.
type block struct {
	command string
	want    []string
	long    bool
}

var markRE = regexp.MustCompile("<!-- (run|run long|needs [^\\n]+) -->\\s*```console\\n")

var consoleRE = regexp.MustCompile("(?s)<!-- run( long)? -->\\s*```console\\n(.*?)```")

func consoleBlocks(doc string) []block {
	var out []block
	for _, m := range consoleRE.FindAllStringSubmatch(doc, -1) {
		for _, line := range strings.Split(strings.TrimRight(m[2], "\n"), "\n") {
			if cmd, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, block{command: cmd, long: m[1] != ""})
				continue
			}
			if len(out) > 0 {
				out[len(out)-1].want = append(out[len(out)-1].want, line)
			}
		}
	}
	return out
}

// output runs the command in a shell with standard error dropped; the commands
// print nothing there that belongs to the result.
func (b block) output(t *testing.T, bin string) []string {
	cmd := exec.Command("bash", "-c", b.command)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "OUT="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil { // the lines that "…" stands for may lack what failed
		t.Errorf("$ %s: %v, want exit code 0: %s", b.command, err, stderr.String())
	}
	lines := strings.Split(strings.TrimRight(string(got), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// renew is what the document shows, with the figures that are printed now: a
// block without "…" as it is printed, else for each line shown the next one
// that begins alike: up to its first figure, or where it begins with one, with that.
func renew(want, got []string) []string {
	out, elided := []string{}, false
	for _, w := range want {
		elided = elided || w == "…"
	}
	if !elided {
		return got
	}
	for _, w := range want {
		head := spaced(strings.TrimRight(leadRE.FindString(w), "+-− "))
		if first, _, more := strings.Cut(spaced(w), " "); head == "" && more {
			head = first + " "
		}
		at := slices.IndexFunc(got, func(line string) bool {
			return spaced(line) == spaced(w) || head != "" && strings.HasPrefix(spaced(line), head)
		})
		if w != "…" && at >= 0 {
			w, got = got[at], got[at+1:]
		}
		out = append(out, w)
	}
	return out
}

var leadRE = regexp.MustCompile(`^[^0-9]*`)

// matchLines compares with "…" as a wildcard for lines; it returns "" or a
// readable difference.
func matchLines(want, got []string) string {
	for _, lines := range []*[]string{&want, &got} {
		*lines = slices.Clone(*lines)
		for i, l := range *lines {
			(*lines)[i] = spaced(l)
		}
	}
	if matches(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// spaced returns a line with each run of spaces as one: columns may be wider.
func spaced(line string) string { return strings.Join(strings.Fields(line), " ") }

func matches(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "…":
		for i := 0; i <= len(got); i++ {
			if matches(want[1:], got[i:]) {
				return true
			}
		}
		return false
	case len(got) == 0:
		return false
	}
	return want[0] == got[0] && matches(want[1:], got[1:])
}

func firstWords(s string) string {
	f := strings.Fields(s)
	if len(f) > 3 {
		f = f[:3]
	}
	return strings.Join(f, "_")
}

// built is the folder of the built commands, "" before a test needs them.
var built string

// binaries builds the commands once.
var binaries = sync.OnceValues(func() (bin string, err error) {
	if built, err = os.MkdirTemp("", "schedtune-bin-"); err != nil {
		return "", err
	}
	bin = built
	// Without tables for debuggers the two are linked in half of the time.
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, "./cmd/tune", "./cmd/fit").CombinedOutput()
	if err != nil {
		return bin, fmt.Errorf("building the commands: %w\n%s", err, out)
	}
	return bin, nil
})

// TestMain removes the commands that were built.
func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built) // "" is nothing
	os.Exit(code)
}

func buildCommands(t *testing.T) string {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}
