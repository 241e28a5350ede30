package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

// serveFlags hold the address of the web page of a study.
type serveFlags struct {
	addr, tokenFile string
}

// publishEvery is the least time between two states of the page.
const publishEvery = 200 * time.Millisecond

// livePage is the web page of one study.
type livePage struct {
	server  *report.Server
	base    report.State
	present tune.Settings
	last    time.Time
}

// open serves the page of a study if --serve is given.
func (f *serveFlags) open(e *env, s *study.Study) (*livePage, error) {
	if f.addr == "" {
		return nil, nil
	}
	token := ""
	if f.tokenFile != "" {
		data, err := fileio.ReadFile(f.tokenFile, 4096)
		if err != nil {
			return nil, fmt.Errorf("--serve-token-file: %w", err)
		}
		token = strings.TrimSpace(string(data))
		if len(token) < 16 {
			return nil, fmt.Errorf("--serve-token-file %s: the token has %d characters, must be 16 or more", f.tokenFile,
				len(token))
		}
	}
	server, err := report.Listen(f.addr, token)
	if err != nil {
		return nil, fmt.Errorf("--serve: %w; set a token with --serve-token-file", err)
	}
	w := s.Case.Work
	o := s.Problem.Objectives[0]
	l := &livePage{server: server, present: s.Space.PresentSettings(), base: report.State{Objective: o.Metric,
		Study: fmt.Sprintf("%s, %s on %s, seed %d", w.Name, text.Count(len(w.Jobs), "job"),
			text.Count(len(s.Case.Cluster.Nodes), "node"), s.Request.Options.Seed)}}
	server.Publish(l.base)
	fmt.Fprintf(e.Stderr, "tune: progress at %s\n", server.URL())
	return l, nil
}

// progress publishes the progress of the study, at most every publishEvery.
func (l *livePage) progress(p tune.Progress) {
	if l == nil || time.Since(l.last) < publishEvery && (p.Budget == 0 || p.Runs < p.Budget) {
		return
	}
	l.last = time.Now()
	st := l.base
	st.Phase, st.Runs, st.Budget, st.Trials = p.Phase, p.Runs, p.Budget, p.Trials
	st.Elapsed, st.Remaining = p.Elapsed.Seconds(), p.Remaining.Seconds()
	st.Gain, st.Changes = p.Gain, l.differing(p.Incumbent)
	st.Trying = l.differing(p.Tried)
	l.server.Publish(st)
}

func (l *livePage) differing(set tune.Settings) []tune.Change {
	var out []tune.Change
	for i := range set {
		if i < len(l.present) && set[i].Value != l.present[i].Value {
			out = append(out, tune.Change{Name: set[i].Name, From: l.present[i].Value, To: set[i].Value})
		}
	}
	return out
}

// finish replaces the page by the report: the written one, or a new one.
func (l *livePage) finish(s *study.Study, sum *report.Summary, result *tune.Result, out string) error {
	if l == nil {
		return nil
	}
	var page []byte
	var err error
	if out != "" {
		page, err = os.ReadFile(filepath.Join(out, report.FileReport))
	} else {
		page, err = report.Page(s, sum, result)
	}
	if err == nil {
		l.server.Finish(page, sum.Verdict)
	}
	return err
}

// stay keeps the page until the command is interrupted.
func (l *livePage) stay(ctx context.Context, e *env) {
	if l == nil || ctx.Err() != nil {
		return
	}
	fmt.Fprintf(e.Stderr, "tune: report at %s until the command is interrupted (Ctrl-C)\n", l.server.URL())
	<-ctx.Done()
}

// close stops the server.
func (l *livePage) close() {
	if l != nil {
		_ = l.server.Close() // the study is over either way
	}
}
