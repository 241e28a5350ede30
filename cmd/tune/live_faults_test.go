package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/validation/rmtest"
)

// drop cuts a connection without an answer.
func drop(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		c.Close()
	}
}

// applied is a folder of a change that was made to a made-up cluster.
func applied(t *testing.T, f *rmtest.Fake, url string) string {
	t.Helper()
	const capacity = "<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>" +
		"<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>%d</value></property><property><name>yarn.scheduler.capacity.root.b.capacity</name><value>%d</value></property></configuration>"
	dir := t.TempDir()
	for name, a := range map[string]int{"rollback.xml": 60, "capacity-scheduler.xml": 70} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, capacity, a, 100-a), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must(t, 0, "apply", dir, "--rm", url, "--rate", "100000", "--yes")
	if f.Conf["yarn.scheduler.capacity.root.a.capacity"] != "70" {
		t.Fatal("not applied")
	}
	return dir
}

// A rollback under faults says what is in force, keeps a record wherever the
// change may have been made, and can be asked for again.
func TestRollbackUnderFaults(t *testing.T) {
	t.Parallel() // it waits more than it works
	for name, c := range map[string]struct {
		path   string // at which the fault is
		method string
		do     func(f *rmtest.Fake, w http.ResponseWriter, r *http.Request)
		want   string
		sent   int
		made   bool
	}{
		"dropped before": {"/scheduler-conf", http.MethodPut, func(_ *rmtest.Fake, w http.ResponseWriter, _ *http.Request) {
			drop(w)
		}, "the configuration is unchanged", 0, false},
		"dropped after": {"/scheduler-conf", http.MethodPut, func(f *rmtest.Fake, w http.ResponseWriter, r *http.Request) {
			f.Mutate(r)
			drop(w)
		}, "yet the change was made", 0, true},
		"slow": {"/scheduler-conf", http.MethodPut, func(f *rmtest.Fake, _ http.ResponseWriter, r *http.Request) {
			f.Mutate(r)
			time.Sleep(time.Second)
		}, "no complete answer within 500ms; yet the change was made", 0, true},
		"version changes": {"/validate", http.MethodPost, func(f *rmtest.Fake, w http.ResponseWriter, _ *http.Request) {
			f.Version++
			fmt.Fprint(w, "{}")
		}, "version conflict", 0, false},
		"no version": {"/version", http.MethodGet, func(_ *rmtest.Fake, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "none", 404)
		}, "version can't be read", 0, false},
		"garbage": {"/scheduler-conf", http.MethodGet, func(_ *rmtest.Fake, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "\x1b[2J{]")
		}, "is not the expected JSON", 0, false},
		"refused": {"/validate", http.MethodPost, func(_ *rmtest.Fake, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no\x1b[2J", 400)
		}, "HTTP 400", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := rmtest.New(0)
			s := f.Serve(t)
			dir := applied(t, f, s.URL)
			puts := f.Puts
			f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
				hit := strings.HasSuffix(r.URL.Path, c.path) && r.Method == c.method
				if hit {
					c.do(f, w, r)
				}
				return hit
			}
			timeout := "1m"
			if name == "slow" {
				timeout = "500ms"
			}
			_, stderr := must(t, 1, "rollback", dir, "--rm", s.URL, "--rate", "100000", "--yes", "--timeout", timeout)
			if !strings.Contains(stderr, c.want) || strings.Contains(stderr, "\x1b") || !strings.Contains(stderr, s.URL) {
				t.Errorf("%q, want %q", stderr, c.want)
			}
			if f.Puts != puts+c.sent {
				t.Errorf("%d changes sent", f.Puts-puts)
			}
			_, err := os.Stat(filepath.Join(dir, fileRolledBack))
			if c.made != (err == nil) {
				t.Errorf("record: %v, want one: %v", err, c.made)
			}
			f.Hook = nil
			out, stderr := must(t, 0, "rollback", dir, "--rm", s.URL, "--rate", "100000", "--yes")
			if c.made != strings.Contains(out, "already holds") {
				t.Errorf("again: %s%s", out, stderr)
			}
			if f.Conf["yarn.scheduler.capacity.root.a.capacity"] != "60" {
				t.Error("not rolled back in the end")
			}
		})
	}
}

// A round of watch that meets a fault says so in its log and leaves nothing half;
// the next one goes on.
func TestWatchUnderFaults(t *testing.T) {
	t.Parallel() // it waits more than it works
	f := rmtest.New(6)
	s := f.Serve(t)
	dir := filepath.Join(t.TempDir(), "watch")
	args := []string{"watch", "--rm", s.URL, "--history", s.URL, "--out", dir, "--window", ever, "--rate", "100000",
		"--budget", "20", "--rounds", "1", "--quiet"}
	round := 0
	for _, c := range []struct {
		name, path string
		do         func(http.ResponseWriter)
	}{
		{"dropped", "/ws/v1/cluster/nodes", drop},
		{"garbage", "/ws/v1/cluster/apps", func(w http.ResponseWriter) { fmt.Fprint(w, "\x1b[2J[[[") }},
		{"web page", "/ws/v1/cluster/scheduler-conf", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>")
		}},
		{"endless", "/ws/v1/cluster/scheduler", func(w http.ResponseWriter) {
			for { // until the client has had enough
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}},
	} {
		round++
		f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == c.path {
				c.do(w)
			}
			return r.URL.Path == c.path
		}
		_, stderr := must(t, 1, args...)
		if !strings.Contains(stderr, c.path) || strings.Contains(stderr, "\x1b") {
			t.Errorf("%s: %q", c.name, stderr)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf("round-%04d", round), "*")); len(left) > 0 {
			t.Errorf("%s: left behind: %v", c.name, left)
		}
	}
	// The version changes with every request: the round goes on, and nothing is sent.
	f.Hook = func(http.ResponseWriter, *http.Request) bool { f.Version++; return false }
	code, _, stderr := command(t, args...)
	if code != 0 && !strings.Contains(stderr, "version") {
		t.Errorf("changing version: exit %d, %s", code, stderr)
	}
	f.Hook = nil
	must(t, 0, args...)
	log, err := os.ReadFile(filepath.Join(dir, watchLog))
	if err != nil || strings.Count(string(log), "\n") != round+2 || f.Puts != 0 {
		t.Errorf("%v, %d changes made, log %s", err, f.Puts, log)
	}
}

// doctor on a folder whose files are cut, empty or no such thing: an answer or one
// line that names the file, and no failure of the program.
func TestDoctorOnDamagedFolders(t *testing.T) {
	t.Parallel()
	f := rmtest.New(6)
	s := f.Serve(t)
	dir := filepath.Join(t.TempDir(), "cluster")
	must(t, 0, "pull", "--rm", s.URL, "--history", s.URL, "--out", dir, "--since", ever, "--rate", "100000", "--quiet")
	files := folder(t, dir)
	refused := 0
	for name, text := range files {
		for kind, damaged := range map[string]string{"cut": text[:len(text)/2], "empty": "", "garbage": "\x1b[2J\x00{[<",
			"list": "[1,2]", "null": "null"} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, stderr := command(t, "doctor", dir, "--replications", "1", "--quiet")
			if code > 1 || strings.Contains(stderr, "internal error") || strings.Contains(stderr, "\x1b") {
				t.Errorf("%s %s: exit %d, %q", name, kind, code, stderr)
			}
			if code == 1 {
				refused++
				if !strings.Contains(stderr, filepath.Base(dir)) {
					t.Errorf("%s %s names no file: %q", name, kind, stderr)
				}
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}
