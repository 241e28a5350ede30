package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// shared is a buffer that may be read while it is written.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A study with --serve is seen while it runs, with figures that only grow; its
// report takes the page's place and stays until the command is interrupted, which
// then ends without an error. With --out the page is the report of the folder.
func TestServe(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tuned")
	var stdout bytes.Buffer
	var stderr shared
	e := &env{Name: "tune", Stdout: &stdout, Stderr: &stderr}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c := newSearchCmd(e)
	c.SetArgs([]string{"--config", "testdata/small.xml", "--cluster", "testdata/four.yaml", "--trace",
		"testdata/small.json",
		"--objective", "mean-completion", "--budget", "150", "--serve", "127.0.0.1:0", "--out", out})
	done := make(chan error, 1)
	go func() { done <- c.ExecuteContext(ctx) }()
	until := time.Now().Add(3 * time.Minute) // a loaded machine takes its time
	url := ""
	for url == "" {
		if m := regexp.MustCompile(`http://[0-9.:]+/`).FindString(stderr.String()); m != "" {
			url = m
		} else if time.Now().After(until) {
			t.Fatalf("no address: %s", stderr.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
	get := func(path string) string {
		t.Helper()
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if page := get(""); !strings.Contains(page, "fetch(") {
		t.Errorf("the page does not follow the study: %.200s", page)
	}
	var st struct {
		Objective, Study, Verdict string
		Runs, Budget              int
		Gain                      float64
		Done                      bool
	}
	runs, gain := 0, 0.0
	for !st.Done {
		if err := json.Unmarshal([]byte(get("state")), &st); err != nil {
			t.Fatal(err)
		}
		if st.Runs < runs || st.Gain < gain || st.Objective != "mean-completion" ||
			!strings.Contains(st.Study, "24 jobs on 4 nodes") {
			t.Fatalf("after %d runs: %+v", runs, st)
		}
		if runs, gain = st.Runs, st.Gain; time.Now().After(until) {
			t.Fatalf("not done: %+v, %s", st, stderr.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
	if page := get(""); page != folder(t, out)["report.html"] || !strings.Contains(stdout.String(), "wrote ") {
		t.Errorf("the page is not the folder's report; printed %q", stdout.String())
	}
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the command goes on after its interruption")
	}
}

// Other machines see a study only with a token.
func TestServeOnlyHere(t *testing.T) {
	for _, args := range [][]string{{"--serve", "0.0.0.0:0"}, {"--serve", "nowhere"},
		{"--serve", "0.0.0.0:0", "--serve-token-file", "testdata/none"}} {
		code, stdout, stderr := command(t, append(args, "--budget", "20", "--quiet")...)
		if code == 0 || stdout != "" || !strings.Contains(stderr, "--serve") {
			t.Errorf("%v: exit %d, %s %s", args, code, stdout, stderr)
		}
	}
}

// TestTwoWrongAddresses: of two wrong addresses the first in the order of the flags is named, every time.
func TestTwoWrongAddresses(t *testing.T) {
	for range 20 {
		code, _, stderr := command(t, "--embedded", "--listen", "x", "--serve", "y")
		if code != 2 || !strings.Contains(stderr, `--serve "y"`) {
			t.Fatalf("got exit %d, %q; want 2 and --serve", code, stderr)
		}
	}
}
