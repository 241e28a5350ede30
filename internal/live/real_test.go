package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/yarnconf"
)

// These tests run Hadoop's own ResourceManager (3.4.1) with its web services on
// loopback. They need a JDK 17 and Maven and take a quarter of a minute; they
// run when SCHEDTUNE_RM or SCHEDTUNE_LONG is set, as continuous integration
// does.

// realRM is one ResourceManager process.
type realRM struct {
	url  string
	in   io.WriteCloser
	out  *bufio.Reader
	conf string // its capacity-scheduler.xml
}

const startFile = `<configuration>
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
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(cache, "schedtune-rmtest")
	if err := os.MkdirAll(filepath.Join(dir, "classes"), 0o755); err != nil {
		t.Fatal(err)
	}
	cpFile := filepath.Join(dir, "classpath.txt")
	if _, err := os.Stat(cpFile); err != nil {
		run(t, "mvn", "-q", "-B", "-f", "rmtest/pom.xml", "dependency:build-classpath", "-Dmdep.outputFile="+cpFile)
	}
	cp, err := os.ReadFile(cpFile)
	if err != nil {
		t.Fatal(err)
	}
	run(t, "javac", "-nowarn", "-cp", string(cp), "-d", filepath.Join(dir, "classes"), "rmtest/src/rmtest/Main.java")
	res, err := filepath.Abs("rmtest/res")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "classes") + ":" + res + ":" + string(cp)
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// startRM starts a ResourceManager with three nodes of 4,096 MiB and 8 vcores.
func startRM(t *testing.T, store string) *realRM {
	t.Helper()
	cp := built(t)
	dir := t.TempDir()
	rm := &realRM{conf: filepath.Join(dir, "capacity-scheduler.xml")}
	if err := os.WriteFile(rm.conf, []byte(startFile), 0o644); err != nil {
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
	rm.url = strings.TrimSpace(strings.TrimPrefix(line, "READY "))
	return rm
}

// tell sends a line and returns the answer.
func (rm *realRM) tell(t *testing.T, line string) string {
	t.Helper()
	fmt.Fprintln(rm.in, line)
	answer, err := rm.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

func wide() PullOptions { return PullOptions{Since: 0, Until: time.Now().Add(time.Hour).UnixMilli()} }

// total is three nodes.
var total = yarnconf.Resource{Memory: 3 * 4096, VCores: 3 * 8}

// TestRealCircle: pull, change, apply, read back, roll back, and everything
// that must be refused on the way.
func TestRealCircle(t *testing.T) {
	ctx := context.Background()
	rm := startRM(t, "memory")
	for i := 0; i < 5; i++ {
		if a := rm.tell(t, "submit alice prod"); !strings.HasPrefix(a, "SUBMITTED") {
			t.Fatal(a)
		}
	}
	c := quick(t, rm.url, func(o *Options) { o.Timeout = 20 * time.Second; o.Auth = mustAuth(t, "simple:root") })
	dir := folder(t.TempDir())
	opt := wide()
	opt.Page = 2
	sum, err := Pull(ctx, c, nil, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Nodes != 3 || sum.Apps != 5 || sum.Hadoop != "3.4.1" || sum.Store != "mutable" {
		t.Errorf("%+v", sum)
	}
	from := pulledFile(t, dir)
	agree(t, c, from)
	to, err := from.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "55.5"}, {Key: yarnconf.Key("root.adhoc", yarnconf.Capacity), Value: "44.5"},
		{Key: yarnconf.Key("root.prod", yarnconf.UserFactor), Unset: true}, {Key: yarnconf.Key("root.adhoc", yarnconf.OrderingPolicy), Value: "fair"},
		{Key: yarnconf.LocalityDelay, Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, c, from, to)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Send(ctx, c)
	if err != nil || !r.ReadBack || r.VersionAfter != r.VersionBefore+1 || len(r.Warnings) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	agree(t, c, to)
	realRefusals(t, c, from, to)
	back, err := Prepare(ctx, c, to, from)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := back.Send(ctx, c); err != nil {
		t.Fatal(err)
	}
	agree(t, c, from)
	live, err := ReadConfig(ctx, c)
	if err != nil || len(schedulerChanges(from, live.Props)) > 0 {
		t.Errorf("after the rollback: %v %v", schedulerChanges(from, live.Props), err)
	}
}

// agree holds our evaluation against the live effective values.
func agree(t *testing.T, c *Client, doc *yarnconf.Document) {
	t.Helper()
	data, err := c.Get(context.Background(), cluster+"/scheduler", nil)
	if err != nil {
		t.Fatal(err)
	}
	queues, err := ParseScheduler(data)
	if err != nil {
		t.Fatal(err)
	}
	cmp, err := Compare(doc, total, queues)
	if err != nil || len(cmp.Diffs) > 0 || cmp.Queues != 3 {
		t.Errorf("%+v %v", cmp, err)
	}
}

func pulledFile(t *testing.T, dir folder) *yarnconf.Document {
	t.Helper()
	d, err := yarnconf.Load(filepath.Join(string(dir), FileConfig))
	if err != nil {
		t.Fatal(err)
	}
	site, err := yarnconf.Load(filepath.Join(string(dir), FileSite))
	if err != nil {
		t.Fatal(err)
	}
	return d.WithSite(site)
}

// realRefusals: drift, a second application, a mutation that the
// ResourceManager rejects and that leaves all as it was.
func realRefusals(t *testing.T, c *Client, from, to *yarnconf.Document) {
	t.Helper()
	ctx := context.Background()
	if _, err := Prepare(ctx, c, from, to); !errors.Is(err, ErrApplied) {
		t.Errorf("second time: %v", err)
	}
	other, err := from.Set(yarnconf.LocalityDelay, "9")
	if err != nil {
		t.Fatal(err)
	}
	var drift *DriftError
	if _, err := Prepare(ctx, c, other, from); !errors.As(err, &drift) {
		t.Errorf("drift: %v", err)
	}
	bad := yarnconf.Mutation{Queues: []yarnconf.QueueUpdate{{Queue: "root.prod", Entries: []yarnconf.Entry{{Key: "capacity", Value: ptr("70")}}}}}
	live, err := ReadConfig(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{From: to, To: to, Mutation: bad, Live: live}
	if err := p.validate(ctx, c); err == nil || !strings.Contains(err.Error(), "Illegal capacity sum") {
		t.Errorf("validation: %v", err)
	}
	if _, err := p.Send(ctx, c); err == nil || !strings.Contains(err.Error(), "the configuration is unchanged") {
		t.Errorf("rejected: %v", err)
	}
	agree(t, c, to)
	p.Live.Version--
	if _, err := p.Send(ctx, c); err == nil || !strings.Contains(err.Error(), "version conflict") {
		t.Errorf("conflict: %v", err)
	}
}

func ptr(s string) *string { return &s }

// TestRealFileStore: nothing can be sent; the file is checked against the live
// effective values, and a refresh brings the new file in.
func TestRealFileStore(t *testing.T) {
	ctx := context.Background()
	rm := startRM(t, "file")
	c := quick(t, rm.url, func(o *Options) { o.Timeout = 20 * time.Second })
	from, err := yarnconf.Load(rm.conf)
	if err != nil {
		t.Fatal(err)
	}
	to, err := from.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "55"}, {Key: yarnconf.Key("root.adhoc", yarnconf.Capacity), Value: "45"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, c, from, to)
	if err != nil || !p.FileStore {
		t.Fatalf("%+v %v", p, err)
	}
	var drift *DriftError
	if _, err := Prepare(ctx, c, to, from); !errors.As(err, &drift) {
		t.Errorf("a file that is not in force: %v", err)
	}
	if err := os.WriteFile(rm.conf, to.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := rm.tell(t, "refresh"); a != "REFRESHED" {
		t.Fatal(a)
	}
	agree(t, c, to)
}
