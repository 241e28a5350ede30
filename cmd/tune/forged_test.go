package main

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/remote"
	"schedtune/tune"
)

// asCommand is the variable with which the tests' own program is the command: nothing has
// to be built for tests that need processes.
const asCommand = "SCHEDTUNE_TEST_AS_COMMAND"

// process is the command in a process of its own.
func process(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

// TestMain keeps the tokens of listeners out of the user's own folder.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	dir, err := os.MkdirTemp("", "schedtune-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// workerInProcess answers for a study as a worker does, with its runs changed, from
// when begin is closed until the test ends.
func workerInProcess(t *testing.T, url string, begin <-chan struct{},
	change func(tune.Item, tune.Outcome) tune.Outcome) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	nc, err := remote.Connect(ctx, url, remote.Security{}, "worker")
	if err != nil {
		stop()
		t.Fatal(err)
	}
	w := &remote.Worker{Slots: 1, Prepare: func(pkg []byte) (tune.Run, error) {
		s, err := remote.Unpack(t.Context(), pkg, 1)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, it tune.Item) tune.Outcome { return change(it, s.Runner.Outcome(ctx, it)) }, nil
	}}
	ended := make(chan error, 1)
	go func() {
		select {
		case <-begin:
			ended <- w.Work(ctx, nc)
		case <-ctx.Done():
			ended <- nil
		}
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Log(err)
		}
		nc.Close()
	})
}

// TestForgedAnswers: a worker with the token that answers with numbers near the end of their
// range does not change a byte of the study's folder, and is named.
func TestForgedAnswers(t *testing.T) {
	t.Parallel()
	want := remoteFolder(t)
	srv, err := remote.Listen("127.0.0.1:0", t.TempDir(), remote.Security{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	others := func(it tune.Item) bool { return it.Trial != 0 }
	for name, c := range map[string]struct {
		forges func(tune.Item) bool
		change func(tune.Outcome) tune.Outcome
		said   string
	}{
		"huge": {others, func(o tune.Outcome) tune.Outcome { o.Metrics["makespan"] = 1e308; return o },
			"malformed result"},
		"infinite": {func(tune.Item) bool { return true }, func(o tune.Outcome) tune.Outcome {
			o.Metrics["utilisation"] = math.MaxFloat64
			return o
		}, "malformed result"},
	} {
		t.Run(name, func(t *testing.T) {
			// The honest worker begins when the other has forged an answer.
			now, forged := make(chan struct{}), make(chan struct{})
			close(now)
			var once sync.Once
			workerInProcess(t, srv.URL(), now, func(it tune.Item, o tune.Outcome) tune.Outcome {
				if !c.forges(it) || o.Err != "" { // a run that fails has no metrics to forge
					return o
				}
				once.Do(func() { close(forged) })
				return c.change(o)
			})
			workerInProcess(t, srv.URL(), forged, func(_ tune.Item, o tune.Outcome) tune.Outcome { return o })
			out := filepath.Join(t.TempDir(), "tuned")
			code, _, stderr := command(t, append(remoteArgs(out), "--nats", srv.URL(), "--ack-wait", "500ms")...)
			if code != 0 || !strings.Contains(stderr, c.said) {
				t.Errorf("exit %d: %s", code, stderr)
			}
			if diff := cmp.Diff(want, folder(t, out)); diff != "" {
				t.Errorf("another folder:\n%s", diff)
			}
		})
	}
}

// TestLogOfOtherCode: a log that other code began is gone on with, and that is
// told.
func TestLogOfOtherCode(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tuned")
	args := small("--params", "capacity", "--budget", "20", "--out", out)
	code, _, stderr := command(t, append([]string{"plan"}, args...)...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	log := filepath.Join(out+".partial", "trials.jsonl")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), `"code":"`)
	if !ok {
		t.Fatalf("no code in the log's header: %s", text)
	}
	old := strings.Replace(string(text), `"code":"`+rest[:16], `"code":"0123456789abcdef`, 1)
	if err := os.WriteFile(log, []byte(old), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = command(t, append([]string{"plan"}, args...)...)
	if code != 0 || !strings.Contains(stderr, "0123456789abcdef") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if strings.Contains(stderr, "another study") {
		t.Errorf("refused: %s", stderr)
	}
}
