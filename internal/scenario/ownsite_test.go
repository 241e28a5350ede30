package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/yarnconf"
)

// runFolder copies the run of the repository, without some of its files.
func runFolder(t *testing.T, without ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../testdata/runs/mapreduce")); err != nil {
		t.Fatal(err)
	}
	for _, name := range without {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The settings in the folder of a run replace --site and are named in one
// line; --site overrides them, and without either Hadoop's defaults count.
func TestSettingsOfARun(t *testing.T) {
	run, bare := runFolder(t), runFolder(t, "settings.xml")
	other := filepath.Join(t.TempDir(), "yarn-site.xml")
	if err := os.WriteFile(other,
		[]byte("<configuration><property><name>yarn.scheduler.minimum-allocation-mb</name><value>128</value></property></configuration>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, run, trace, site string
		want                   int64
		noted                  bool
	}{
		{"the run's", run, "", "", 256, true},
		{"history in a run", run, "history", "", 256, true},
		{"--site", run, "", other, 128, false},
		{"none", bare, "", "", 1024, false},
	} {
		config := filepath.Join(c.run, "capacity-scheduler.xml")
		in := Files{Config: config, Site: c.site, Traces: []string{filepath.Join(c.run, c.trace)}, Embedded: true}
		k, err := in.Load()
		if err != nil {
			t.Fatal(c.name, err)
		}
		conf, err := yarnconf.Evaluate(k.Doc)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if conf.MinAllocation.Memory != c.want {
			t.Errorf("%s: containers of at least %d MiB, want %d", c.name, conf.MinAllocation.Memory, c.want)
		}
		notes := strings.Join(k.Notes, "\n")
		if n := strings.Count(notes, "settings are those recorded in "+filepath.Join(c.run,
			"settings.xml")); (n == 1) != c.noted {
			t.Errorf("%s: notes %s", c.name, notes)
		}
		if unknown := len(k.Resized) > 0; unknown != (c.name == "none") {
			t.Errorf("%s: resized %q", c.name, k.Resized)
		}
	}
}

// Where folders hold different settings the first count, and the note says so.
func TestSettingsThatDiffer(t *testing.T) {
	a, b := runFolder(t), runFolder(t)
	text, err := os.ReadFile(filepath.Join(b, "settings.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b, "settings.xml"), append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := (&Files{Traces: []string{a, b}}).ownSettings()
	if err != nil || len(found) != 2 || found[0].path != filepath.Join(a, "settings.xml") {
		t.Fatalf("%v, %v", found, err)
	}
	var c Case
	if _, err := (&Files{Traces: []string{a, b}}).site(&c); err != nil || !strings.Contains(strings.Join(c.Notes, ""),
		filepath.Join(b, "settings.xml")+" differs") {
		t.Errorf("%v: %v", c.Notes, err)
	}
}

// A folder of tune pull brings its yarn-site.xml, given by its queue file or by the
// histories in it; any other folder brings nothing.
func TestSettingsOfAPull(t *testing.T) {
	dir := t.TempDir()
	history := filepath.Join(dir, "trace")
	if err := os.Mkdir(history, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "yarn-site.xml"), []byte("<configuration/>"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := []Files{{Traces: []string{history}}, {Config: filepath.Join(dir, "capacity-scheduler.xml")}}
	for _, in := range asked {
		if found, err := in.ownSettings(); err != nil || len(found) != 0 {
			t.Errorf("%+v: %v, %v; want nothing of a folder that nobody pulled", in, found, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, pulled), []byte(`{"schema":"schedtune/pull/v1","hadoop":"3.4.1"}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range asked {
		if found, err := in.ownSettings(); err != nil || len(found) != 1 || found[0].path != filepath.Join(dir,
			"yarn-site.xml") {
			t.Errorf("%+v: %v, %v", in, found, err)
		}
	}
}
