package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/cli"
	"schedtune/internal/remote"
)

// small are files of a study whose runs take a millisecond, with more: 24 jobs on four
// nodes, and a queue file that gives the queue with most of the work too little.
func small(more ...string) []string {
	return append([]string{"--config", "testdata/small.xml", "--cluster", "testdata/four.yaml", "--trace",
		"testdata/small.json", "--quiet"}, more...)
}

// remoteArgs describe one small study.
func remoteArgs(out string) []string {
	return small("--params", "capacity,maximum-capacity,slowstart,user-limit-factor", "--budget", "40", "--out", out)
}

// remoteFolder is the folder of that study with the pool in one process.
func remoteFolder(t *testing.T) map[string]string {
	t.Helper()
	remoteOnce.Do(func() {
		here := filepath.Join(t.TempDir(), "tuned")
		must(t, 0, remoteArgs(here)...)
		remoteFiles = folder(t, here)
	})
	return remoteFiles
}

var (
	remoteOnce  sync.Once
	remoteFiles map[string]string
)

// TestSameStudyEverywhere: the same study, byte for byte, with the pool in one
// process, with 1 and 6 worker processes, with a message server of its own,
// and by batch files.
func TestSameStudyEverywhere(t *testing.T) {
	t.Parallel()
	want := remoteFolder(t)
	compare := func(t *testing.T, out string) {
		t.Helper()
		if diff := cmp.Diff(want, folder(t, out)); diff != "" {
			t.Errorf("differs from the pool in one process:\n%s", diff)
		}
	}
	srv, err := remote.Listen("127.0.0.1:0", t.TempDir(), remote.Security{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	for _, n := range []int{1, 6} {
		t.Run(fmt.Sprintf("workers=%d", n), func(t *testing.T) {
			for range n {
				startWorker(t, srv.URL())
			}
			out := filepath.Join(t.TempDir(), "tuned")
			code, _, stderr := command(t, append(remoteArgs(out), "--nats", srv.URL())...)
			if code != 0 {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			compare(t, out)
		})
	}
	t.Run("killed", func(t *testing.T) {
		// Workers killed with SIGKILL, one after the other, while the study runs.
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				select {
				case <-stop:
					return
				default:
				}
				w := startWorker(t, srv.URL())
				time.Sleep(300 * time.Millisecond)
				_ = w.Process.Kill()
			}
		}()
		startWorker(t, srv.URL())
		out := filepath.Join(t.TempDir(), "tuned")
		code, _, stderr := command(t, append(remoteArgs(out), "--nats", srv.URL(), "--ack-wait", "500ms")...)
		close(stop)
		<-ended
		if code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		compare(t, out)
	})
	t.Run("listen", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "tuned")
		for range 5 { // another process may take the port in between
			addr := freeAddress(t)
			w := startWorker(t, "nats://"+addr) // waits for the driver
			code, _, stderr := command(t, append(remoteArgs(out), "--listen", addr)...)
			if code == 0 {
				compare(t, out)
				if want := "tune: waiting for workers: tune worker --connect nats://" + addr + "\n"; !strings.Contains(stderr,
					want) {
					t.Errorf("with --quiet nothing tells the address: %s", stderr)
				}
				return
			}
			if !strings.Contains(stderr, "can't be listened on") {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			_ = w.Process.Kill()
		}
		t.Fatal("no free port in five attempts")
	})
	t.Run("batch", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "tuned")
		byBatches(t, out)
		compare(t, out)
	})
}

func startWorker(t *testing.T, url string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	w := process(ctx, "worker", "--connect", url, "--slots", "1", "--quiet")
	if err := w.Start(); err != nil {
		t.Error(err)
		cancel()
		return w
	}
	t.Cleanup(func() {
		_ = w.Process.Signal(syscall.SIGTERM) // may be gone already
		_ = w.Wait()
		cancel()
	})
	return w
}

func freeAddress(t *testing.T) string {
	t.Helper()
	srv, err := remote.Listen("127.0.0.1:0", t.TempDir(), remote.Security{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	return strings.TrimPrefix(srv.URL(), "nats://")
}

// byBatches goes through plan, worker and collect until the search is over.
// Items are dealt to three workers, in the first round processes of their own, and each
// result line comes twice.
func byBatches(t *testing.T, out string) {
	t.Helper()
	for round := 0; round < 100; round++ {
		code, plan, stderr := command(t, append([]string{"plan"}, remoteArgs(out)...)...)
		if code != 0 {
			t.Fatalf("plan: exit %d: %s", code, stderr)
		}
		var parts [3]bytes.Buffer
		for i, line := range strings.SplitAfter(plan, "\n") {
			if line != "" {
				fmt.Fprintf(&parts[i%3], "%d\t%s", i, line) // a key and a tab, as Hadoop Streaming has it
			}
		}
		var results bytes.Buffer
		for i := range parts {
			if parts[i].Len() == 0 {
				continue
			}
			var part, errs bytes.Buffer
			args := []string{"worker", "--study", out + ".partial/study.bin"}
			if round == 0 {
				w := process(context.Background(), args...)
				w.Stdin, w.Stdout, w.Stderr = &parts[i], &part, &errs
				if err := w.Run(); err != nil {
					t.Fatalf("worker: %v, %s", err, errs.String())
				}
			} else if code := execute(args, &parts[i], &part, &errs); code != 0 {
				t.Fatalf("worker: exit %d, %s", code, errs.String())
			}
			results.Write(part.Bytes())
			results.Write(part.Bytes())
		}
		file := filepath.Join(t.TempDir(), "results.jsonl")
		if err := os.WriteFile(file, results.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		code, said, stderr := command(t, "collect", "--out", out, "--quiet", "--json", file)
		if code != 0 {
			t.Fatalf("collect: exit %d: %s", code, stderr)
		}
		_, err := os.Stat(out)
		schema := "schedtune/collect/v1"
		if err == nil {
			schema = "schedtune/tune/v3"
		}
		if m := object(t, said); m["schema"] != schema {
			t.Errorf("collect: %v, want %s", m["schema"], schema)
		}
		if err == nil { // once more, as where the output was lost
			if again, _ := must(t, cli.ExitOK, "collect", "--out", out, "--quiet", "--json", file); again != said {
				t.Errorf("collect again: %s, want what it said before", again)
			}
			return
		}
	}
	t.Fatal("the search did not end")
}
