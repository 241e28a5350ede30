package livetest

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
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
	dir := filepath.Join(cache, "schedtune-rmtest")
	if v := Version(); v != "3.4.1" {
		dir = filepath.Join(dir, v)
	}
	if err := os.MkdirAll(filepath.Join(dir, "classes"), 0o755); err != nil {
		t.Fatal(err)
	}
	pom, err := os.ReadFile(filepath.Join(src, "pom.xml"))
	if err != nil {
		t.Fatal(err)
	}
	cpFile := filepath.Join(dir, fmt.Sprintf("classpath-%08x.txt", crc32.ChecksumIEEE(pom)))
	if _, err := os.Stat(cpFile); err != nil {
		run(t, "mvn", "-q", "-B", "-f", filepath.Join(src, "pom.xml"), "-Dhadoop.version="+Version(), "dependency:build-classpath", "-Dmdep.outputFile="+cpFile)
	}
	cp, err := os.ReadFile(cpFile)
	if err != nil {
		t.Fatal(err)
	}
	run(t, "javac", "-nowarn", "-cp", string(cp), "-d", filepath.Join(dir, "classes"), filepath.Join(src, "src", "rmtest", "Main.java"))
	return filepath.Join(dir, "classes") + ":" + filepath.Join(src, "res") + ":" + string(cp)
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// StartRM starts a ResourceManager with three nodes of 4,096 MiB and 8 vcores.
func StartRM(t *testing.T, store string) *RM {
	t.Helper()
	cp := built(t)
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
	line, err := rm.out.ReadString('\n')
	if err != nil {
		text, _ := os.ReadFile(errs.Name())
		t.Fatalf("the ResourceManager did not start: %v\n%s", err, text)
	}
	rm.URL = strings.TrimSpace(strings.TrimPrefix(line, "READY "))
	return rm
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
