package rmtest

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/yarnconf"
)

// This file starts Hadoop's own ResourceManager and JobHistoryServer with their web services
// on loopback. It needs a JDK 17 and Maven and takes a quarter of a minute; it is done when
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
	in   io.Writer
	out  *bufio.Reader
	Conf string // its capacity-scheduler.xml
}

// startFile is the configuration it starts with.
//
//go:embed start.xml
var startFile string

//go:embed pom.xml res src
var source embed.FS

// hadoop returns a folder with the Java source, and the class path of Hadoop, which Maven
// finds once.
func hadoop(t *testing.T) (src, classPath string) {
	t.Helper()
	if os.Getenv("SCHEDTUNE_RM") == "" && os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("set SCHEDTUNE_RM=1 to test against a real ResourceManager (JDK 17 and Maven needed)")
	}
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	src, cache = t.TempDir(), filepath.Join(cache, "schedtune-rmtest")
	must(t, os.CopyFS(src, source))
	path := filepath.Join(cache, "classpath-"+Version())
	if _, err := os.Stat(path); err != nil {
		must(t, os.MkdirAll(cache, 0o755))
		whole := fmt.Sprintf("%s-%d", path, os.Getpid()) // two packages' tests may do this at once
		out, err := exec.Command("mvn", "-q", "-B", "-f", filepath.Join(src, "pom.xml"), "-Dhadoop.version="+Version(),
			"dependency:build-classpath", "-Dmdep.outputFile="+whole).CombinedOutput()
		if err != nil {
			t.Fatalf("mvn: %v\n%s", err, out)
		}
		must(t, os.Rename(whole, path))
	}
	text, err := os.ReadFile(path)
	must(t, err)
	return src, filepath.Join(src, "res") + ":" + string(text)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// process is a Java process of Hadoop that ends with the test.
type process struct {
	in  io.Writer
	out *bufio.Reader
	log string // what it writes beside its output
	end func() // kills it
}

// java starts a class, or a file of source, in a folder that is on its class path.
func java(t *testing.T, dir, classPath string, args ...string) *process {
	t.Helper()
	cmd := exec.Command("java", append([]string{"-XX:+UseSerialGC", "-Xmx512m", "--add-opens",
		"java.base/java.lang=ALL-UNNAMED", "-cp", dir + ":" + classPath}, args...)...)
	log, err := os.Create(filepath.Join(dir, "log"))
	must(t, err)
	cmd.Dir, cmd.Stderr = dir, log
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	end := func() { _ = cmd.Process.Kill() } // it keeps nothing that matters
	t.Cleanup(func() {
		end()
		_ = cmd.Wait()
		log.Close()
	})
	return &process{in, bufio.NewReader(out), log.Name(), end}
}

// startLimit bounds the start of a process: a quarter of a minute on an idle machine.
const startLimit = 3 * time.Minute

// StartRM starts a ResourceManager with three nodes of 4,096 MiB and 8 vcores. A port
// it chose may be taken before it listens there, so a start that fails is tried twice more.
func StartRM(t *testing.T, store string) *RM {
	t.Helper()
	src, classPath := hadoop(t)
	for try := 1; ; try++ {
		dir := t.TempDir()
		rm := &RM{Conf: filepath.Join(dir, "capacity-scheduler.xml")}
		must(t, os.WriteFile(rm.Conf, []byte(startFile), 0o644))
		writeConf(t, dir, "yarn-site.xml", map[string]string{"yarn.scheduler.minimum-allocation-mb": "256"})
		p := java(t, dir, classPath, filepath.Join(src, "src", "rmtest", "Main.java"), store, "3", "4096", "8")
		rm.in, rm.out = p.in, p.out
		late := time.AfterFunc(startLimit, p.end)
		line, err := rm.out.ReadString('\n') // ends with the process
		late.Stop()
		if rm.URL = strings.TrimSpace(strings.TrimPrefix(line, "READY ")); err == nil {
			return rm
		}
		text, _ := os.ReadFile(p.log)
		if t.Logf("start %d: the ResourceManager ended before it was ready, or was not within %v: %v\n%s", try,
			startLimit, err, text); try == 3 {
			t.FailNow()
		}
	}
}

// Tell sends a line ("submit USER QUEUE", "refresh") and returns the answer.
func (rm *RM) Tell(t *testing.T, line string) string {
	t.Helper()
	fmt.Fprintln(rm.in, line)
	answer, err := rm.out.ReadString('\n')
	must(t, err)
	return strings.TrimSpace(answer)
}

// StartHistory starts Hadoop's own JobHistoryServer over a folder that holds,
// below a user's name, history files, configurations and summaries as a finished
// job leaves them, and returns its web address. It skips where StartRM does.
func StartHistory(t *testing.T, intermediate string) string {
	t.Helper()
	_, classPath := hadoop(t)
	dir := t.TempDir()
	free := freeAddresses(t, 3)
	writeConf(t, dir, "mapred-site.xml", map[string]string{
		"mapreduce.jobhistory.intermediate-done-dir": "file://" + intermediate,
		"mapreduce.jobhistory.done-dir":              "file://" + filepath.Join(dir, "done"),
		"mapreduce.jobhistory.webapp.address":        free[0],
		"mapreduce.jobhistory.address":               free[1],
		"mapreduce.jobhistory.admin.address":         free[2],
		"mapreduce.jobhistory.cleaner.enable":        "false",
		"mapreduce.jobhistory.max-age-ms":            "999999999999", // recorded jobs are old
	})
	writeConf(t, dir, "core-site.xml", map[string]string{"fs.defaultFS": "file:///"})
	p := java(t, dir, classPath, "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer")
	go func() { _, _ = io.Copy(io.Discard, p.out) }()
	client := http.Client{Timeout: 5 * time.Second}
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		resp, err := client.Get("http://" + free[0] + "/ws/v1/history/info")
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return "http://" + free[0]
		}
	}
	text, _ := os.ReadFile(p.log)
	t.Fatalf("the server did not answer\n%s", text)
	return ""
}

// freeAddresses are n addresses on loopback; all are held until the last is chosen, so that
// none is given twice.
func freeAddresses(t *testing.T, n int) []string {
	t.Helper()
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer l.Close()
		out = append(out, l.Addr().String())
	}
	return out
}

func writeConf(t *testing.T, dir, name string, props map[string]string) {
	t.Helper()
	text := yarnconf.Fragment("", yarnconf.Changes(nil, yarnconf.Map(props)))
	must(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
}
