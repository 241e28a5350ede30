package report

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"schedtune/internal/text"
	"schedtune/tune"
)

//go:embed page.html
var livePage []byte

const session = "schedtune" // name of the cookie

// Server shows one study. Use Listen.
type Server struct {
	listener net.Listener
	http     *http.Server
	token    string

	mu      sync.Mutex
	state   State
	history []Point
	report  []byte
}

// Listen opens the server. addr is HOST:PORT, port 0 for a free one; an address
// that is not loopback needs a token of at least 16 characters, which the
// browser gives once as ?token=.
func Listen(addr, token string) (*Server, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w: must be HOST:PORT such as localhost:8080", addr, err)
	}
	if !text.Loopback(host) && len(token) < 16 {
		return nil, fmt.Errorf("address %q can be reached from other machines; use localhost:PORT, or a token of at least "+
			"16 characters", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", addr, err)
	}
	s := &Server{listener: l, token: token}
	s.state.clean()
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10}
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return s, nil
}

// URL is where the page is, with the token if there is one.
func (s *Server) URL() string {
	u := url.URL{Scheme: "http", Host: s.listener.Addr().String(), Path: "/"}
	if s.token != "" {
		u.RawQuery = url.Values{"token": {s.token}}.Encode()
	}
	return u.String()
}

// Publish replaces what the page shows. It never waits for a browser.
func (s *Server) Publish(st State) {
	st.clean()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = st
	s.history = grow(s.history, &st)
}

// Finish ends the study: the report takes the page's place, verdict is its one
// line.
func (s *Server) Finish(report []byte, verdict string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report, s.state.Done, s.state.Verdict, s.state.Phase = report, true, verdict, "finished"
}

// Close ends all streams and frees the address.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close()
	}
	return nil
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /state", s.snapshot)
	return s.guard(mux)
}

// guard lets in who may look: requests that name this machine (a page of
// another site that points its own name here does not), and with a token who
// has it.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "+
			"img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if s.token == "" {
			host, _, err := net.SplitHostPort(r.Host)
			if err != nil {
				host = r.Host
			}
			if !text.Loopback(strings.Trim(host, "[]")) {
				http.Error(w, "this page is for this machine only", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		if given := r.URL.Query().Get("token"); given != "" && same(given, s.token) {
			http.SetCookie(w, &http.Cookie{Name: session, Value: s.key(), Path: "/", HttpOnly: true,
				SameSite: http.SameSiteStrictMode})
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther) // the token leaves the address bar
			return
		}
		if c, err := r.Cookie(session); err != nil || !same(c.Value, s.key()) {
			http.Error(w, "the address with its ?token= is printed where the study was started", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// key is what the cookie holds: the token itself stays with the program.
func (s *Server) key() string {
	h := sha256.Sum256([]byte("schedtune dashboard\x00" + s.token))
	return hex.EncodeToString(h[:])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	body := s.report
	s.mu.Unlock()
	if body == nil {
		body = livePage
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body) // a browser that has gone needs no answer
}

// message is one event: the state with the convergence so far.
type message struct {
	State
	History []Point `json:"history"`
}

func (s *Server) snapshot(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	data, err := json.Marshal(message{s.state, append([]Point{}, s.history...)})
	s.mu.Unlock()
	if err != nil { // no field of State can cause one
		data = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data, '\n'))
}

// State is what the page shows of a study under way.
type State struct {
	Study     string `json:"study"`     // one line: jobs, nodes, budget
	Objective string `json:"objective"` // metric, such as makespan
	Phase     string `json:"phase"`
	Runs      int    `json:"runs"`
	Budget    int    `json:"budget"` // runs; 0 = bounded by time
	Trials    int    `json:"trials"` // configurations tried

	Elapsed   float64 `json:"elapsed_s"`
	Remaining float64 `json:"remaining_s"` // an estimate from the speed so far
	// Gain is the best so far: the improvement over the current configuration on the same
	// workloads, 0.1 = 10 % better. It never gets smaller; 0 until there is one.
	Gain float64 `json:"gain"`

	Changes []tune.Change `json:"changes"` // present to best so far
	Trying  []tune.Change `json:"trying"`  // present to the configuration evaluated last
	Done    bool          `json:"done"`    // the report is there
	Verdict string        `json:"verdict"` // one line, when done
}

// Point is one step of the convergence: the gain of the best configuration after so many runs.
type Point struct {
	Runs int     `json:"runs"`
	Gain float64 `json:"gain"`
}

func (s *State) clean() {
	for _, x := range []*float64{&s.Gain, &s.Elapsed, &s.Remaining} {
		if math.IsNaN(*x) || math.IsInf(*x, 0) { // JSON cannot hold it
			*x = 0
		}
	}
	s.Changes, s.Trying = append([]tune.Change{}, s.Changes...), append([]tune.Change{}, s.Trying...)
}

// maxPoints bounds the convergence kept for the page; beyond it every other
// grow appends a point where the best has changed or the runs have moved on.
func grow(ps []Point, s *State) []Point {
	p := Point{s.Runs, s.Gain}
	if n := len(ps); n > 0 {
		switch last := ps[n-1]; {
		case p == last:
			return ps
		case p.Runs < last.Runs: // another study, or one that began anew
			ps = ps[:0]
		case n > 1 && last.Gain == p.Gain && ps[n-2].Gain == p.Gain:
			ps[n-1] = p // a level stretch needs its ends only
			return ps
		}
	}
	ps = append(ps, p)
	return ps
}
