package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/validation/rmtest"
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

// TestApplyInTurn: the folders of two configurations by time of day are applied in turn,
// as cron lines do, and only from one another or from the file of --from.
func TestApplyInTurn(t *testing.T) {
	f := rmtest.New(0)
	s := f.Serve(t)
	day, night := dayNight(t)
	folder := func(to, from string) string {
		dir := t.TempDir()
		for name, path := range map[string]string{study.FileConfig: to, report.FileRollback: from} {
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	toDay, toNight := folder(day, night), folder(night, day)
	const key = "yarn.scheduler.capacity.root.a.capacity"
	steps := []struct {
		name string
		code int
		args []string
		puts int
		want string
	}{
		{"to the night", 0, []string{toNight}, 1, "30"},
		{"again", 0, []string{toNight}, 1, "30"},
		{"to the day", 0, []string{toDay}, 2, "60"},
		{"from the file in force", 0, []string{toNight, "--from", day}, 3, "30"},
	}
	for _, c := range steps {
		t.Run(c.name, func(t *testing.T) {
			must(t, c.code, append([]string{"apply", "--rm", s.URL, "--rate", "100000", "--yes"}, c.args...)...)
			if f.Puts != c.puts || f.Conf[key] != c.want {
				t.Errorf("%d changes made, capacity %s; want %d, %s", f.Puts, f.Conf[key], c.puts, c.want)
			}
		})
	}
	must(t, 0, "rollback", toDay, "--from", night, "--rm", s.URL, "--rate", "100000", "--yes")
	f.Conf["yarn.scheduler.capacity.node-locality-delay"] = "3"
	if _, stderr := must(t, 1, "apply", toDay, "--rm", s.URL, "--rate", "100000", "--yes"); f.Puts != 3 ||
		!strings.Contains(stderr, "is not the one that was tuned") {
		t.Errorf("%d changes made, want 3: %s", f.Puts, stderr)
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
		{2, "use HH:MM=FILE", []string{"--zone", "UTC", "--at", "8=" + day, "--at", "20:00=" + night}},
		{2, "2 to 100", []string{"--zone", "UTC", "--at", "08:00=" + day}},
		{1, "restart", []string{"--zone", "UTC", "--at", "08:00=" + day, "--at", "20:00=" + calculator}},
		{1, "queue", []string{"--zone", "UTC", "--at", "08:00=" + day, "--at", "20:00=" + queues}},
		{1, "shrinks", []string{"--zone", "UTC", "--at", "08:00=" + day, "--at", "20:00=" + smaller}},
	} {
		for _, command := range [][]string{{"simulate", "--embedded"}} {
			if _, stderr := must(t, c.code, append(command, c.args...)...); !strings.Contains(stderr, c.want) {
				t.Errorf("%v %v: %s", command, c.args, stderr)
			}
		}
	}
}
