package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// frames shows the page in two frames, as wide as a phone (which no window can
// be) and as a desk screen, and writes what it measured into its own text.
const frames = `<!DOCTYPE html><title>frames</title><body style="margin:0">
<iframe src="/report.html" width="360" height="3000" style="border:0"></iframe><iframe src="/report.html" width="1440" height="3000" style="border:0"></iframe><pre id="out"></pre>
<script>
var all = [];
function visible(d) { return [].filter.call(d.querySelectorAll("svg.chart"), function (s) { return s.getBoundingClientRect().width > 0; }); }
[].forEach.call(document.querySelectorAll("iframe"), function (f) { f.onload = function () {
  var d = f.contentDocument, w = f.contentWindow;
  all.push({
    width: f.clientWidth, scroll: d.documentElement.scrollWidth, height: d.documentElement.scrollHeight,
    charts: visible(d).length,
    clipped: visible(d).filter(function (s) { return s.getBoundingClientRect().right > f.clientWidth + 1; }).length,
    small: [].filter.call(d.querySelectorAll("svg.chart text"), function (t) { var r = t.getBoundingClientRect(); return r.height > 0 && Math.max(r.width, r.height) < 10 && t.textContent.length > 2; }).length,
    background: w.getComputedStyle(d.body).backgroundColor, ink: w.getComputedStyle(d.body).color,
    focusable: d.querySelectorAll("a[href],summary,[tabindex='0']").length });
  document.getElementById("out").textContent = JSON.stringify(all);
}; });</script>`

// measured is what one frame found.
type measured struct {
	Width, Scroll, Height, Charts, Clipped, Focusable, Small int
	Background, Ink                                          string
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
	figures := len(d.plots())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var width, height int
		switch n, _ := fmt.Sscanf(r.URL.Path, "/frame-%d-%d", &width, &height); {
		case n == 2:
			fmt.Fprintf(w,
				`<body style="margin:0"><iframe src="/report.html" width="%d" height="%d" style="border:0"></iframe>`, width,
				height)
		case r.URL.Path == "/report.html":
			if err := d.write(w); err != nil {
				t.Error(err)
			}
		default:
			fmt.Fprint(w, frames)
		}
	}))
	defer srv.Close()
	backgrounds := map[string]bool{}
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			for _, m := range measure(t, browser, srv.URL, theme) {
				if m.Scroll > m.Width || m.Clipped > 0 {
					t.Errorf("page is %d px wide in a window of %d, %d charts are cut", m.Scroll, m.Width, m.Clipped)
				}
				if m.Charts != figures {
					t.Errorf("%d px: %d charts are visible, want %d", m.Width, m.Charts, figures)
				}
				if m.Small > 0 || m.Focusable < 20 || m.Background == m.Ink {
					t.Errorf("%+v", m)
				}
				backgrounds[theme+" "+m.Background] = true
			}
		})
	}
	if len(backgrounds) != 2 {
		t.Errorf("backgrounds by theme: %v, want one each and different", backgrounds)
	}
}

// measure runs the browser once. With SCHEDTUNE_REPORT_DIR set it also takes
// pictures of the whole page there.
func measure(t *testing.T, browser, url, theme string) []measured {
	t.Helper()
	out, log := runBrowser(t, browser, append(browserArgs(t, theme), "--virtual-time-budget=5000",
		"--window-size=1850,1000", "--dump-dom", url+"/frames"))
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
	var all []measured
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &all); err != nil || len(all) != 2 {
		t.Fatalf("measurement %q: %v", text, err)
	}
	if dir := os.Getenv("SCHEDTUNE_REPORT_DIR"); dir != "" {
		for _, m := range all {
			shot := filepath.Join(dir, fmt.Sprintf("%s-%d.png", theme, m.Width))
			runBrowser(t, browser, append(browserArgs(t, theme), "--hide-scrollbars",
				fmt.Sprintf("--window-size=%d,%d", m.Width, m.Height),
				"--screenshot="+shot, fmt.Sprintf("%s/frame-%d-%d", url, m.Width, m.Height)))
		}
	}
	return all
}

func browserArgs(t *testing.T, theme string) []string {
	scheme := "1"
	if theme == "dark" {
		scheme = "0"
	}
	return []string{"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--user-data-dir=" + profile(t),
		"--blink-settings=preferredColorScheme=" + scheme}
}

// profile is a folder for one browser. Its processes may write there for a
// moment after it has ended: what is left of the folder is no fault of the page.
func profile(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "schedtune-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for i := 0; i < 50 && os.RemoveAll(dir) != nil; i++ {
			time.Sleep(100 * time.Millisecond)
		}
	})
	return dir
}

func runBrowser(t *testing.T, browser string, args []string) (stdout, stderr string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, browser, args...)
	cmd.WaitDelay = 10 * time.Second // its own processes may hold the streams
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Skipf("the browser does not end within three minutes on this machine: %.500s", log.String())
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("browser: %v: %.500s", err, log.String())
	}
	return out.String(), log.String()
}
