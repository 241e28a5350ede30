package rmtest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"schedtune/yarnconf"
)

// StartHistory starts Hadoop's own JobHistoryServer over a folder that holds,
// below a user's name, history files, configurations and summaries as a finished
// job leaves them, and returns its web address. It skips where StartRM does.
func StartHistory(t *testing.T, intermediate string) string {
	t.Helper()
	cp := built(t)
	dir := t.TempDir()
	free := freeAddresses(t, 3)
	web := free[0]
	writeConf(t, dir, "mapred-site.xml", map[string]string{
		"mapreduce.jobhistory.intermediate-done-dir": "file://" + intermediate,
		"mapreduce.jobhistory.done-dir":              "file://" + filepath.Join(dir, "done"),
		"mapreduce.jobhistory.webapp.address":        web,
		"mapreduce.jobhistory.address":               free[1],
		"mapreduce.jobhistory.admin.address":         free[2],
		"mapreduce.jobhistory.cleaner.enable":        "false",
		"mapreduce.jobhistory.max-age-ms":            "999999999999", // recorded jobs are old
	})
	writeConf(t, dir, "core-site.xml", map[string]string{"fs.defaultFS": "file:///"})
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("java", "-XX:+UseSerialGC", "-Xmx512m", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
		"-cp", dir+":"+cp, "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps nothing that matters
		_ = cmd.Wait()
		log.Close()
	})
	await(t, "http://"+web+"/ws/v1/history/info", log.Name())
	return "http://" + web
}

// freeAddresses are n addresses on loopback; all are held until the last is chosen, so that
// none is given twice.
func freeAddresses(t *testing.T, n int) []string {
	t.Helper()
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		out = append(out, l.Addr().String())
	}
	return out
}

func writeConf(t *testing.T, dir, name string, props map[string]string) {
	t.Helper()
	var changes []yarnconf.Change
	for _, k := range yarnconf.Map(props).Keys() {
		changes = append(changes, yarnconf.Change{Key: k, Value: props[k]})
	}
	if err := os.WriteFile(filepath.Join(dir, name), yarnconf.Fragment("", changes), 0o644); err != nil {
		t.Fatal(err)
	}
}

// await asks until the server answers.
func await(t *testing.T, url, log string) {
	t.Helper()
	client := http.Client{Timeout: 5 * time.Second}
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		resp, err := client.Get(url)
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
	text, _ := os.ReadFile(log)
	t.Fatal(fmt.Errorf("the server did not answer\n%s", text))
}
