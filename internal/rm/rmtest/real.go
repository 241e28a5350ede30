package rmtest

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"schedtune/yarnconf"
)

// This file starts Hadoop's own ResourceManager with its web services on loopback.
// It needs a JDK 17 and Maven and takes a quarter of a minute; it is done when
// SCHEDTUNE_RM or SCHEDTUNE_LONG is set, as in continuous integration. SCHEDTUNE_RM may
// name the version: 3.5.0.

// Version is that of the ResourceManager.
func Version() string {
	if v := os.Getenv("SCHEDTUNE_RM"); strings.Contains(v, ".") {
		return v
	}
	return "3.4.1"
}

// RM is one ResourceManager process.
type RM struct {
	URL  string // its web address
	in   io.WriteCloser
	out  *bufio.Reader
	Conf string // its capacity-scheduler.xml
}

// StartFile is the configuration it starts with.
const StartFile = `<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,adhoc</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.user-limit-factor</name><value>2</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>40</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.5</value></property>
</configuration>
`

// built compiles the Java side once and returns its class path.
func built(t *testing.T) string {
	t.Helper()
	if os.Getenv("SCHEDTUNE_RM") == "" && os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("set SCHEDTUNE_RM=1 to test against a real ResourceManager (JDK 17 and Maven needed)")
	}
	for _, tool := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	_, here, _, _ := runtime.Caller(0)
	src := filepath.Join(filepath.Dir(here), "..", "rmtest")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	pom, err := os.ReadFile(filepath.Join(src, "pom.xml"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(src, "src", "rmtest", "Main.java")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	// Two packages' tests may build at once: each in a folder of its own, given its name
	// when it is whole.
	dir := filepath.Join(cache, "schedtune-rmtest", fmt.Sprintf("%s-%08x", Version(),
		crc32.ChecksumIEEE(append(pom, text...))))
	if _, err := os.Stat(dir); err != nil {
		if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		tmp, err := os.MkdirTemp(filepath.Dir(dir), "building-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(tmp)
		list := filepath.Join(tmp, "classpath.txt")
		run(t, "mvn", "-q", "-B", "-f", filepath.Join(src, "pom.xml"), "-Dhadoop.version="+Version(),
			"dependency:build-classpath", "-Dmdep.outputFile="+list)
		cp, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		run(t, "javac", "-nowarn", "-cp", string(cp), "-d", filepath.Join(tmp, "classes"), source)
		if err := os.Rename(tmp, dir); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	cp, err := os.ReadFile(filepath.Join(dir, "classpath.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "classes") + ":" + filepath.Join(src, "res") + ":" + string(cp)
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// startLimit bounds the start of a ResourceManager: a quarter of a minute on an idle machine.
const startLimit = 3 * time.Minute

// StartRM starts a ResourceManager with three nodes of 4,096 MiB and 8 vcores. A port
// it chose may be taken before it listens there, so a start that fails is tried twice more.
func StartRM(t *testing.T, store string) *RM {
	t.Helper()
	cp := built(t)
	var err error
	for try := 1; try <= 3; try++ {
		var rm *RM
		if rm, err = startRM(t, store, cp); err == nil {
			return rm
		}
		t.Logf("start %d: %v", try, err)
	}
	t.Fatal(err)
	return nil
}

func startRM(t *testing.T, store, cp string) (*RM, error) {
	t.Helper()
	dir := t.TempDir()
	rm := &RM{Conf: filepath.Join(dir, "capacity-scheduler.xml")}
	if err := os.WriteFile(rm.Conf, []byte(StartFile), 0o644); err != nil {
		t.Fatal(err)
	}
	site := yarnconf.Fragment("", []yarnconf.Change{{Key: "yarn.scheduler.minimum-allocation-mb", Value: "256"}})
	if err := os.WriteFile(filepath.Join(dir, "yarn-site.xml"), site, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("java", "-XX:+UseSerialGC", "-Xmx512m", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
		"-cp", dir+":"+cp, "rmtest.Main", store, "3", "4096", "8")
	cmd.Dir = dir
	errs, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = errs
	if rm.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fmt.Fprintln(rm.in, "quit")
		stop := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // its exit code says nothing about the test
		stop.Stop()
		errs.Close()
	})
	rm.out = bufio.NewReader(out)
	// The pipe ends with the process: the read below does too.
	late := time.AfterFunc(startLimit, func() { _ = cmd.Process.Kill() })
	line, err := rm.out.ReadString('\n')
	late.Stop()
	if err != nil {
		text, _ := os.ReadFile(errs.Name())
		return nil, fmt.Errorf("the ResourceManager ended before it was ready, or was not within %v: %w\n%s", startLimit,
			err, text)
	}
	rm.URL = strings.TrimSpace(strings.TrimPrefix(line, "READY "))
	return rm, nil
}

// Tell sends a line ("submit USER QUEUE", "refresh") and returns the answer.
func (rm *RM) Tell(t *testing.T, line string) string {
	t.Helper()
	fmt.Fprintln(rm.in, line)
	answer, err := rm.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}
