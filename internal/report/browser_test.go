package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// frame shows the page in a frame of a given width (a window cannot be as
// narrow as a phone) and writes what it measured into its own text.
const frame = `<!DOCTYPE html><title>frame</title><body style="margin:0"><iframe id="f" src="/report.html" width="%[1]d" height="%[2]d" style="border:0"></iframe><pre id="out"></pre>
<script>document.getElementById("f").onload = function () {
  var d = this.contentDocument, w = this.contentWindow, out = {};
  out.scroll = d.documentElement.scrollWidth;
  out.height = d.documentElement.scrollHeight;
  out.charts = [].filter.call(d.querySelectorAll("svg.chart"), function (s) { return s.getBoundingClientRect().width > 0; }).length;
  out.clipped = [].filter.call(d.querySelectorAll("svg.chart"), function (s) { var r = s.getBoundingClientRect(); return r.right > w.innerWidth + 1; }).length;
  out.background = w.getComputedStyle(d.body).backgroundColor;
  out.ink = w.getComputedStyle(d.body).color;
  out.focusable = d.querySelectorAll("a[href],summary,[tabindex='0']").length;
  out.small = [].filter.call(d.querySelectorAll("svg.chart text"), function (t) { var r = t.getBoundingClientRect(); return r.height > 0 && r.height < 10; }).length;
  document.getElementById("out").textContent = JSON.stringify(out);
};</script>`

// measured is what the frame found.
type measured struct {
	Scroll, Height, Charts, Clipped, Focusable, Small int
	Background, Ink                                   string
}

// The page opened in a real browser: in both themes, as wide as a phone and as
// a desk screen, it has all its figures, does not scroll sideways, keeps its
// text readable and reports nothing to the console.
func TestPageInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	d := sample()
	figures := len(Plots(d))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/report.html" {
			if err := HTML(w, d); err != nil {
				t.Error(err)
			}
			return
		}
		var width, height int
		fmt.Sscanf(r.URL.Path, "/frame-%d-%d", &width, &height)
		fmt.Fprintf(w, frame, width, height)
	}))
	defer srv.Close()
	backgrounds := map[string]bool{}
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int{360, 1440} {
			t.Run(fmt.Sprintf("%s-%d", theme, width), func(t *testing.T) {
				m := measure(t, browser, srv.URL, theme, width)
				if m.Scroll > width || m.Clipped > 0 {
					t.Errorf("page is %d px wide in a window of %d, %d charts are cut", m.Scroll, width, m.Clipped)
				}
				if m.Charts != figures {
					t.Errorf("%d charts are visible, want %d", m.Charts, figures)
				}
				if m.Small > 0 {
					t.Errorf("%d texts in charts are lower than 10 px", m.Small)
				}
				if m.Focusable < 20 || m.Background == m.Ink {
					t.Errorf("%+v", m)
				}
				backgrounds[theme+" "+m.Background] = true
			})
		}
	}
	if len(backgrounds) != 2 {
		t.Errorf("backgrounds by theme: %v, want one each and different", backgrounds)
	}
}

// measure runs the browser once.
func measure(t *testing.T, browser, url, theme string, width int) measured {
	t.Helper()
	args := browserArgs(t, theme)
	height := 12000
	page := fmt.Sprintf("%s/frame-%d-%d", url, width, height)
	out, log := runBrowser(t, browser, append(args, "--virtual-time-budget=5000", "--window-size=1500,1000", "--dump-dom", page))
	for _, line := range strings.Split(log, "\n") {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("console: %s", line)
		}
	}
	_, rest, ok := strings.Cut(out, `<pre id="out">`)
	if !ok {
		t.Fatalf("no measurement in the page: %.300s", out)
	}
	text, _, _ := strings.Cut(rest, "</pre>")
	var m measured
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &m); err != nil {
		t.Fatalf("measurement %q: %v", text, err)
	}
	if dir := os.Getenv("SCHEDTUNE_REPORT_DIR"); dir != "" {
		page = fmt.Sprintf("%s/frame-%d-%d", url, width, m.Height)
		shot := filepath.Join(dir, fmt.Sprintf("%s-%d.png", theme, width))
		runBrowser(t, browser, append(browserArgs(t, theme), "--hide-scrollbars", fmt.Sprintf("--window-size=%d,%d", width, m.Height), "--screenshot="+shot, page))
	}
	return m
}

func browserArgs(t *testing.T, theme string) []string {
	scheme := "1"
	if theme == "dark" {
		scheme = "0"
	}
	return []string{"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir(),
		"--blink-settings=preferredColorScheme=" + scheme}
}

func runBrowser(t *testing.T, browser string, args []string) (stdout, stderr string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, browser, args...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("browser: %v: %.500s", err, log.String())
	}
	return out.String(), log.String()
}
