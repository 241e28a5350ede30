package models

import (
	"path"

	"schedtune/internal/fileio"
	"schedtune/internal/text"
	"schedtune/predict"
	"schedtune/trace"
)

// MismatchResult is what histories tell of Coupling's rules.
type MismatchResult struct {
	Schema string `json:"schema"`
	Source string `json:"source"`
	// Verdict is whether reduces start step by step with the maps: found, none (after a fixed share of them) or the
	// history cannot tell.
	Verdict string `json:"verdict"`
	predict.MismatchFit
	Peek *PeekResult `json:"peek"` // of maps far from their input; null: the history cannot tell
}

// PeekResult is what histories tell of random peeking.
type PeekResult struct {
	Verdict string `json:"verdict"` // found, none or the history cannot tell
	predict.PeekFit
}

const cannotTell = "the history cannot tell"

// FitMismatch fits Coupling's rules to histories.
func FitMismatch(source string, hs []*trace.Trace) *MismatchResult {
	var logs [][]predict.TaskRun
	for _, t := range hs {
		logs = append(logs, TaskRuns(t))
	}
	r := &MismatchResult{Schema: text.SchemaFitMismatch, Source: source, Verdict: cannotTell,
		MismatchFit: predict.FitMismatch(logs...)}
	switch {
	case r.P < 0.05:
		r.Verdict = "found"
	case r.Reverse < 0.05:
		r.Verdict = "none"
	}
	p, ok := predict.FitPeek(logs...)
	if !ok {
		return r
	}
	r.Peek = &PeekResult{cannotTell, p}
	switch {
	case p.P < 0.05:
		r.Peek.Verdict = "found"
	case p.Low > 1-notable:
		r.Peek.Verdict = "none"
	}
	return r
}

// TaskRuns returns the containers of a history that have times, until their release where that is known. Those of unknown
// nodes are taken to be on one.
func TaskRuns(t *trace.Trace) (runs []predict.TaskRun) {
	var names []string
	index := fileio.Index{}
	node := func(host string) int { return int(index.ID(&names, path.Base(host))) }
	for job := range t.Jobs {
		for task, a := range t.Jobs[job].Containers() {
			end := a.Finish
			if a.Released.Known() {
				end = a.Released
			}
			if !a.Start.Known() || end < a.Start || task.Kind == trace.AM || task.Kind > trace.Container {
				continue
			}
			r := predict.TaskRun{Job: job, Node: node(a.Host), Reduce: task.Kind == trace.Reduce,
				Again: a != &task.Attempts[0], Done: a.Result == trace.Succeeded, Start: float64(a.Start) / 1000,
				End: float64(end) / 1000}
			for _, h := range task.Hosts {
				r.Input = append(r.Input, node(h))
			}
			runs = append(runs, r)
		}
	}
	return runs
}
