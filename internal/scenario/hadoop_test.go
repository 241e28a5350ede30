package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/yarnconf"
)

const oneQueue = `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property></configuration>`

// The version that counts is the one asked for, else the pulled cluster's; with
// 3.5 scheduling is asynchronous unless the file switches it off.
func TestVersionOfHadoop(t *testing.T) {
	for _, c := range []struct {
		asked, pulled string
		want          yarnconf.Version
		async         bool
		note          string
	}{
		{"", "", yarnconf.Hadoop34, false, ""},
		{"3.5", "", yarnconf.Hadoop35, true, ""},
		{"", "3.5.0", yarnconf.Hadoop35, true, "3.5.0"},
		{"3.4", "3.5.0", yarnconf.Hadoop34, false, ""},
		{"", "2.10.1", yarnconf.Hadoop34, false, "not known"},
	} {
		dir := t.TempDir()
		config := filepath.Join(dir, "capacity-scheduler.xml")
		if err := os.WriteFile(config, []byte(oneQueue), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.pulled != "" {
			if err := os.WriteFile(filepath.Join(dir, pulled), []byte(`{"schema":"schedtune/pull/v1","hadoop":"`+c.pulled+`"}`),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		in := Files{Config: config, Hadoop: c.asked, Embedded: true, Dataset: "default-1"}
		k, err := in.Load()
		if err != nil {
			t.Fatal(err)
		}
		conf, err := yarnconf.Evaluate(k.Doc)
		if err != nil || conf.Version != c.want || conf.Asynchronous != c.async {
			t.Errorf("%+v: version %v, asynchronous %v, errors %v", c, conf.Version, conf.Asynchronous, err)
		}
		if notes := strings.Join(k.Notes, "\n"); !strings.Contains(notes, c.note) {
			t.Errorf("%+v: notes %s", c, notes)
		}
	}
	if _, err := (&Files{Hadoop: "2.7"}).Load(); err == nil || !strings.Contains(err.Error(), "--hadoop") {
		t.Errorf("--hadoop 2.7: %v", err)
	}
}

// How the cluster keeps its queues: as the pull of the queue file found it, else as
// yarn-site.xml says.
func TestStore(t *testing.T) {
	const queues = `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property><property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property></configuration>`
	for _, c := range []struct{ pull, site, store, rm string }{
		{},
		{site: "leveldb", store: StoreMutable},
		{site: "file", store: StoreFile},
		{pull: `{"schema":"schedtune/pull/v1","rm":"http://rm:8088","configuration_store":"mutable"}`, site: "zk",
			store: StoreMutable, rm: "http://rm:8088"},
		{pull: `{"schema":"schedtune/pull/v1","rm":"http://rm:8088","configuration_store":"file"}`, store: StoreFile,
			rm: "http://rm:8088"},
		{pull: `{"schema":"schedtune/tune/v2","rm":"x","configuration_store":"mutable"}`},
	} {
		dir := t.TempDir()
		in := Files{Config: filepath.Join(dir, "capacity-scheduler.xml")}
		files := map[string]string{in.Config: queues}
		if c.pull != "" {
			files[filepath.Join(dir, pulled)] = c.pull
		}
		if c.site != "" {
			in.Site = filepath.Join(dir, "yarn-site.xml")
			files[in.Site] = `<configuration><property><name>yarn.scheduler.configuration.store.class</name><value>` + c.site +
				`</value></property></configuration>`
		}
		for path, text := range files {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := in.LoadIdle()
		if err != nil || got.Store != c.store || got.RM != c.rm {
			t.Errorf("%+v: store %q, address %q, %v", c, got.Store, got.RM, err)
		}
	}
}
