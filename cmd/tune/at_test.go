package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/internal/rm/rmtest"
)

// dayNight writes two queue files of the made-up cluster.
func dayNight(t *testing.T) (day, night string) {
	t.Helper()
	dir := t.TempDir()
	file := func(name, a, b string) string {
		path := filepath.Join(dir, name)
		text := "<configuration>\n<property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>\n" +
			"<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>" + a + "</value></property>\n" +
			"<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>" + b +
			"</value></property>\n</configuration>\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return file("day.xml", "60", "40"), file("night.xml", "30", "70")
}

// TestApplyAt: the lines for cron, and what they call: the file of the moment comes in
// force, once, and only from one of the files.
func TestApplyAt(t *testing.T) {
	f := rmtest.New(0)
	s := f.Serve(t)
	day, night := dayNight(t)
	// The file of this moment is night's, whatever the moment, for an hour at least.
	now := time.Now().UTC()
	at := []string{"apply", "--rm", s.URL, "--rate", "100000", "--zone", "UTC",
		"--at", now.Add(-12*time.Hour).Format("15:04") + "=" + day, "--at", now.Add(-2*time.Hour).Format("15:04") + "=" +
			night}
	out, _ := must(t, 0, at...)
	lines := 0
	for _, l := range strings.Split(out, "\n") {
		if strings.Contains(l, " apply --at ") && strings.Contains(l, " * * * ") &&
			strings.Contains(l, "--due --yes --quiet") && !strings.HasPrefix(l, "#") {
			lines++
		}
	}
	if lines != 2 || !strings.Contains(out, "CRON_TZ=UTC\n") || strings.Count(out, "can be refreshed") != 2 ||
		strings.Count(out, "validated by") != 1 || f.Puts != 0 {
		t.Errorf("%d lines, %d changes made:\n%s", lines, f.Puts, out)
	}
	out, _ = must(t, 0, append(at, "--json")...)
	if m := object(t, out); m["in_force"] != day || m["due"] != night || len(m["crontab"].([]any)) != 2 {
		t.Errorf("%s", out)
	}
	due := append(at, "--due")
	if out, _ = must(t, 0, due...); f.Puts != 0 || !strings.Contains(out, "nothing was sent") {
		t.Errorf("%d changes made without --yes: %s", f.Puts, out)
	}
	due = append(due, "--yes")
	if out, _ = must(t, 0, due...); f.Puts != 1 || f.Conf["yarn.scheduler.capacity.root.a.capacity"] != "30" {
		t.Errorf("%d changes made: %s", f.Puts, out)
	}
	if _, err := os.Stat(night + ".applied.json"); err != nil {
		t.Errorf("no record: %v", err)
	}
	if _, stderr := must(t, 0, due...); f.Puts != 1 || !strings.Contains(stderr, "no change needed") {
		t.Errorf("a second call made %d changes: %s", f.Puts, stderr)
	}
	// A change that the cluster did not make leaves the record of the one before.
	kept, err := os.ReadFile(night + ".applied.json")
	if err != nil {
		t.Fatal(err)
	}
	f.Conf["yarn.scheduler.capacity.root.a.capacity"], f.Conf["yarn.scheduler.capacity.root.b.capacity"] = "60", "40"
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			drop(w)
		}
		return r.Method == http.MethodPut
	}
	if _, stderr := must(t, 1, due...); !strings.Contains(stderr, "the configuration is unchanged") {
		t.Error(stderr)
	}
	if now, err := os.ReadFile(night + ".applied.json"); err != nil || string(now) != string(kept) {
		t.Errorf("the record of the change before is gone: %v\n%s", err, now)
	}
	f.Hook = nil
	f.Conf["yarn.scheduler.capacity.node-locality-delay"] = "3"
	if _, stderr := must(t, 1, due...); f.Puts != 1 || !strings.Contains(stderr, "is not the one that was tuned") {
		t.Errorf("somebody else's configuration was changed: %s", stderr)
	}
}

// TestApplyAtFileStore: where the configuration is a file, the lines replace it and
// refresh the queues.
func TestApplyAtFileStore(t *testing.T) {
	f := rmtest.New(0)
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/ws/v1/cluster/scheduler-conf") {
			http.Error(w, `{"RemoteException":{"message":"This API only for scheduler that supports mutable configuration."}}`,
				http.StatusBadRequest)
			return true
		}
		return false
	}
	s := f.Serve(t)
	day, night := dayNight(t)
	args := []string{"apply", "--rm", s.URL, "--rate", "100000", "--zone", "UTC", "--at", "Mon-Fri 08:00=" + day, "--at",
		"Mon-Fri 20:00=" + night}
	if _, stderr := must(t, 2, args...); !strings.Contains(stderr, "--target") {
		t.Errorf("%s", stderr)
	}
	out, _ := must(t, 0, append(args, "--target", day)...)
	if !strings.Contains(out, "0 20 * * 1,2,3,4,5 cp "+night) || !strings.Contains(out, "yarn rmadmin -refreshQueues") ||
		f.Puts != 0 {
		t.Errorf("%s", out)
	}
}

// TestAtRefuses: files that a refresh can't exchange, and mistakes on the command line.
func TestAtRefuses(t *testing.T) {
	day, night := dayNight(t)
	text, err := os.ReadFile(night)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, old, now string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, now, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	calculator := write("calculator.xml", "</configuration>",
		"<property><name>yarn.scheduler.capacity.resource-calculator</name><value>org.apache.hadoop.yarn.util.resource.DominantResourceCalculator</value></property></configuration>")
	queues := write("queues.xml", "a,b", "a,b,c")
	smaller := write("smaller.xml", "</configuration>",
		"<property><name>yarn.scheduler.capacity.root.a.maximum-allocation-mb</name><value>2048</value></property></configuration>")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--zone", []string{"--at", "08:00=" + day, "--at", "20:00=" + night}},
		{2, "must be HH:MM=FILE", []string{"--zone", "UTC", "--at", "8=" + day, "--at", "20:00=" + night}},
		{2, "2 to 100", []string{"--zone", "UTC", "--at", "08:00=" + day}},
		{1, "restart", []string{"--zone", "UTC", "--at", "08:00=" + day, "--at", "20:00=" + calculator}},
		{1, "queue", []string{"--zone", "UTC", "--at", "08:00=" + day, "--at", "20:00=" + queues}},
		{1, "shrinks", []string{"--zone", "UTC", "--at", "08:00=" + day, "--at", "20:00=" + smaller}},
	} {
		for _, command := range [][]string{{"apply", "--rm", "http://localhost:1"}, {"simulate", "--embedded"}} {
			if _, stderr := must(t, c.code, append(command, c.args...)...); !strings.Contains(stderr, c.want) {
				t.Errorf("%v %v: %s", command, c.args, stderr)
			}
		}
	}
}
