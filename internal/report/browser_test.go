//go:build unix

package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// browser drives a real Chromium over its debugging pipe: messages of JSON,
// each ended by a zero byte.
type browser struct {
	t    *testing.T
	in   *os.File
	out  *bufio.Reader
	next int
	logs []string // exceptions and errors of the console
}

func openBrowser(t *testing.T, args ...string) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	profile, err := os.MkdirTemp("", "schedtune-browser-")
	if err != nil {
		t.Fatal(err)
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + profile,
		"--remote-debugging-pipe"}, args...)...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to end its processes with it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		in.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		out.Close()
		// Processes outside the group may write to the profile for a moment:
		// what is left of it is no fault of the page.
		for i := 0; i < 50 && os.RemoveAll(profile) != nil; i++ {
			time.Sleep(100 * time.Millisecond)
		}
	})
	// pipes of this kind take deadlines; without, the test's own timeout counts
	_ = out.SetReadDeadline(time.Now().Add(8 * time.Minute))
	return &browser{t: t, in: in, out: bufio.NewReader(out)}
}

// call sends a command and waits for its answer, which must be no error.
func (b *browser) call(session, method string, params map[string]any) map[string]any {
	b.t.Helper()
	r, wrong := b.try(session, method, params)
	if wrong != "" {
		b.t.Fatalf("%s: %s", method, wrong)
	}
	return r
}

// try sends a command and waits for its answer: a result or the text of an error.
func (b *browser) try(session, method string, params map[string]any) (result map[string]any, wrong string) {
	b.t.Helper()
	b.next++
	msg, err := json.Marshal(map[string]any{"id": b.next, "method": method, "params": params, "sessionId": session})
	if session == "" {
		msg, err = json.Marshal(map[string]any{"id": b.next, "method": method, "params": params})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(msg, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		data, err := b.out.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			Result map[string]any
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			b.t.Fatal(err)
		}
		if m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" {
			b.logs = append(b.logs, string(m.Params))
		}
		if m.ID != b.next {
			continue
		}
		if m.Error != nil {
			return nil, m.Error.Message
		}
		return m.Result, ""
	}
}

// tab opens an address and returns the tab's session.
func (b *browser) tab(url string, width int) string {
	b.t.Helper()
	target := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"})["targetId"]
	session := b.call("", "Target.attachToTarget",
		map[string]any{"targetId": target, "flatten": true})["sessionId"].(string)
	b.call(session, "Runtime.enable", nil)
	b.call(session, "Log.enable", nil)
	b.call(session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900,
		"deviceScaleFactor": 1, "mobile": false})
	b.call(session, "Page.navigate", map[string]any{"url": url})
	return session
}

// eval is the value of an expression as text; empty while the page makes way for another.
func (b *browser) eval(session, js string) string {
	b.t.Helper()
	r, wrong := b.try(session, "Runtime.evaluate", map[string]any{"expression": "String(" + js + ")"})
	if wrong != "" && !strings.Contains(wrong, "navigated") {
		b.t.Fatalf("Runtime.evaluate: %s", wrong)
	}
	if r, ok := r["result"].(map[string]any); ok {
		return fmt.Sprint(r["value"])
	}
	return ""
}

// wait evaluates until the text holds what is wanted.
func (b *browser) wait(session, js, want string) {
	b.t.Helper()
	got := ""
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got = b.eval(session, js); strings.Contains(got, want) {
			return
		}
	}
	b.t.Fatalf("%s is %q, want %q", js, got, want)
}

func (b *browser) picture(session, name string) {
	dir := os.Getenv("SCHEDTUNE_REPORT_DIR")
	if dir == "" {
		return
	}
	data, err := base64.StdEncoding.DecodeString(b.call(session, "Page.captureScreenshot",
		map[string]any{"captureBeyondViewport": true})["data"].(string))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// A study in two tabs, wide and narrow: both follow it; a reload finds the same;
// a study that is stopped says so and goes on at the same address; at the end
// the report takes the page's place in both.
func TestInBrowser(t *testing.T) {
	b := openBrowser(t)
	s, err := Listen("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	addr := at.Host
	for i := 1; i <= 40; i++ {
		s.Publish(under(i*3, 100-float64(i)/2))
	}
	tabs := []string{b.tab(s.URL(), 1280), b.tab(s.URL(), 400)}
	for i, tab := range tabs {
		b.wait(tab, `document.getElementById("runs").textContent`, "120 of 300")
		b.wait(tab, `document.getElementById("gain").textContent`, "20.0 % better")
		b.wait(tab, `document.getElementById("trying").textContent`, "root.<b>.capacity")
		b.wait(tab, `document.querySelectorAll("#chart path").length`, "1")
		b.wait(tab, `document.documentElement.scrollWidth <= window.innerWidth`, "true")
		b.picture(tab, fmt.Sprintf("live-%d.png", i))
	}
	b.call(tabs[0], "Page.reload", nil)
	b.wait(tabs[0], `document.getElementById("runs").textContent`, "120 of 300")
	s.Close()
	for _, tab := range tabs {
		b.wait(tab, `getComputedStyle(document.getElementById("lost")).display`, "block")
	}
	for range 600 { // somebody else's connection may have the port for a moment
		if s, err = Listen(addr, ""); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Publish(under(150, 70))
	for _, tab := range tabs {
		b.wait(tab, `document.getElementById("runs").textContent`, "150 of 300")
		b.wait(tab, `getComputedStyle(document.getElementById("lost")).display`, "none")
	}
	s.Finish([]byte("<!DOCTYPE html><title>report</title><p id=all>the report of the study</p>"), "improves")
	for _, tab := range tabs {
		b.wait(tab, `document.body.textContent`, "the report of the study")
	}
	for _, l := range b.logs {
		if !strings.Contains(l, "ERR_CONNECTION_REFUSED") && !strings.Contains(l, "ERR_INCOMPLETE_CHUNKED_ENCODING") &&
			!strings.Contains(l, "favicon") {
			t.Errorf("console: %s", l)
		}
	}
}
