//go:build unix && !solaris && !aix

package fileio

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestMain lets the test binary be a second process that works on a folder.
func TestMain(m *testing.M) {
	if dir := os.Getenv("OUTDIR_HOLD"); dir != "" {
		d, err := OpenOutput(dir, "test")
		fmt.Println(err)
		if err == nil {
			_ = d.WriteFile("trials.jsonl", []byte("runs"))
			fmt.Println("holding")
			_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until killed
		}
		return
	}
	os.Exit(m.Run())
}

// A second process is refused with the first one's id while it lives, and takes
// over what a killed one has left.
func TestOneProcessAtATime(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OUTDIR_HOLD="+final)
	stdin, _ := cmd.StdinPipe()
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(out)
	for sc.Scan() && sc.Text() != "holding" {
		if sc.Text() != "<nil>" {
			t.Fatal(sc.Text())
		}
	}
	refused(t, final, "in use by process "+strconv.Itoa(cmd.Process.Pid), "since 20")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	d := open(t, final)
	defer d.Close()
	if got := read(t, d.Path("trials.jsonl")); got != "runs" {
		t.Errorf("the log holds %q", got)
	}
}

// Many at a time on one folder: each that gets it finds a whole folder and
// leaves a whole one; nothing is left beside it.
func TestManyAtATime(t *testing.T) {
	parent := t.TempDir()
	final := filepath.Join(parent, "out")
	var wg sync.WaitGroup
	var done atomic.Int64
	for k := range 8 {
		wg.Go(func() {
			for i := range 30 {
				d, err := OpenOutput(final, "test")
				if err != nil {
					if !strings.Contains(err.Error(), "in use by ") && !strings.Contains(err.Error(), "is created and removed") {
						t.Error(err)
					}
					continue
				}
				if i%3 == 0 {
					_ = d.WriteFile("x", nil)
					if err := d.Discard(); err != nil {
						t.Error(err)
					}
					continue
				}
				text := fmt.Sprint(k, i)
				for _, name := range []string{"a", "b/c"} {
					if err := d.WriteFile(name, []byte(text)); err != nil {
						t.Error(err)
					}
				}
				if err := d.WriteFile(Marker, []byte(ours)); err != nil {
					t.Error(err)
				}
				if err := d.Commit(); err != nil {
					t.Error(err)
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if done.Load() == 0 {
		t.Error("nobody got the folder")
	}
	if a, b := read(t, filepath.Join(final, "a")), read(t, filepath.Join(final, "b", "c")); a != b {
		t.Errorf("a mixture: %s and %s", a, b)
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("%d entries beside the folder", len(entries))
	}
}
