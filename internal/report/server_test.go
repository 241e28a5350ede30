package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"schedtune/tune"
)

func start(t *testing.T, addr, token string) *Server {
	t.Helper()
	s, err := Listen(addr, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func under(runs int, best float64) State {
	return State{Study: "88 jobs on 20 nodes", Objective: "makespan", Phase: "search", Runs: runs, Budget: 300,
		Trials:  runs / 2,
		Elapsed: float64(runs) / 10, Remaining: float64(300-runs) / 10, Gain: (100 - best) / 100,
		Changes: []tune.Change{{Name: "root.prod.capacity", From: "50", To: "60"}},
		Trying: []tune.Change{{Name: "root.<b>.capacity",
			From: "50", To: "61"}}}
}

func get(t *testing.T, c *http.Client, url, host string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

// The page, the state, and the report in the page's
// place at the end.
func TestStudyFromBeginToEnd(t *testing.T) {
	s := start(t, "127.0.0.1:0", "")
	c := &http.Client{Timeout: 2 * time.Minute}
	if code, body, h := get(t, c, s.URL(), ""); code != 200 || !strings.Contains(body, "fetch(") ||
		h.Get("Content-Security-Policy") == "" {
		t.Errorf("page: %d", code)
	}
	state := func() (m message) {
		t.Helper()
		_, body, _ := get(t, c, s.URL()+"state", "")
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := state(); m.Runs != 0 || m.Changes == nil {
		t.Errorf("before the first run: %+v", m)
	}
	s.Publish(under(10, 90))
	if m := state(); m.Runs != 10 || m.Gain != 0.1 || len(m.History) != 1 {
		t.Errorf("after 10 runs: %+v", m)
	}
	s.Finish([]byte("<p>the report</p>"), "improves")
	if m := state(); !m.Done || m.Verdict != "improves" {
		t.Errorf("at the end: %+v", m)
	}
	if _, body, _ := get(t, c, s.URL(), ""); body != "<p>the report</p>" {
		t.Errorf("page at the end: %q", body)
	}
}

// A page of another site whose name leads here sends its own name as the host.
func TestOnlyThisMachine(t *testing.T) {
	s := start(t, "127.0.0.1:0", "")
	c := &http.Client{}
	for host, want := range map[string]int{"evil.example:80": 403, "evil.example": 403, "localhost:1": 200,
		"[::1]:9": 200, "127.0.0.1": 200} {
		if code, _, _ := get(t, c, s.URL(), host); code != want {
			t.Errorf("host %s: %d, want %d", host, code, want)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		req, _ := http.NewRequest(method, s.URL(), strings.NewReader("x"))
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, resp.StatusCode)
		}
	}
}

func TestToken(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "nowhere"} {
		if s, err := Listen(addr, "short"); err == nil {
			s.Close()
			t.Errorf("%s without a token was opened", addr)
		}
	}
	s := start(t, "127.0.0.1:0", "0123456789abcdef")
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar}
	bare := strings.SplitN(s.URL(), "?", 2)[0]
	for _, path := range []string{"", "state", "?token=0123456789abcdeg"} {
		if code, body, _ := get(t, c, bare+path, ""); code != 401 || strings.Contains(body, "0123456789") {
			t.Errorf("/%s without the token: %d %q", path, code, body)
		}
	}
	if code, _, _ := get(t, c, s.URL(), ""); code != 200 {
		t.Errorf("with the token: %d", code)
	}
	if code, body, _ := get(t, c, bare+"state", ""); code != 200 || !strings.Contains(body, "history") {
		t.Errorf("with the cookie: %d", code)
	}
}

func TestHistory(t *testing.T) {
	var ps []Point
	for _, p := range []Point{{1, 0}, {2, 0}, {3, 0}, {4, .2}, {4, .2}, {5, .2}, {9, .2}} {
		st := State{Runs: p.Runs, Gain: p.Gain}
		ps = grow(ps, &st)
	}
	if fmt.Sprint(ps) != "[{1 0} {3 0} {4 0.2} {9 0.2}]" {
		t.Errorf("%v", ps)
	}
	st := State{Runs: 2, Gain: 0.1}
	if ps = grow(ps, &st); fmt.Sprint(ps) != "[{2 0.1}]" {
		t.Errorf("a study that began anew: %v", ps)
	}
}

func TestNoNumbersThatJSONLacks(t *testing.T) {
	s := start(t, "127.0.0.1:0", "")
	nan, inf := math.NaN(), math.Inf(1)
	s.Publish(State{Objective: "makespan", Gain: nan, Remaining: inf})
	if code, body, _ := get(t, http.DefaultClient, s.URL()+"state", ""); code != 200 ||
		!strings.Contains(body, `"gain":0,`) {
		t.Errorf("%d %s", code, body)
	}
}
