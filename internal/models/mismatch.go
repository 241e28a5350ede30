package models

import (
	"fmt"
	"io"
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
	Jobs   int    `json:"jobs"`   // with a start of a reduce while they had maps to launch
	Starts int    `json:"starts"` // of reduces, then
	// Verdict is whether reduces start step by step with the maps: found, none (after a fixed share of them) or the
	// history cannot tell.
	Verdict   string   `json:"verdict"`
	P         text.Num `json:"p"`           // of such a lead of Coupling's rule over a fixed share by chance
	PShare    text.Num `json:"p_slowstart"` // of such a lead of a fixed share
	Threshold text.Num `json:"threshold"`   // of algorithm 1, in reduces, under which the starts are most likely
	Low       text.Num `json:"low"`         // 90 % interval of the threshold
	High      text.Num `json:"high"`
	Slowstart text.Num `json:"slowstart"` // share of the maps after which the starts are most likely
	// Deltas are the shares of the maps after which all reduces of a job may run, where that was found.
	Deltas []MismatchDelta `json:"deltas"`
	Peek   PeekResult      `json:"peek"` // of maps far from their input
}

// MismatchDelta is Coupling's delta of jobs of so many reduces.
type MismatchDelta struct {
	Reduces int     `json:"reduces"`
	Delta   float64 `json:"delta"` // share of the maps
}

// PeekResult is what histories tell of random peeking: with what probability a map starts far from its input at the
// first heartbeat that could start it.
type PeekResult struct {
	Near        int      `json:"near"`    // map slots that came free for one job alone, on nodes with its input
	Far         int      `json:"far"`     // on others
	Verdict     string   `json:"verdict"` // found, none or the history cannot tell
	P           text.Num `json:"p"`       // of a probability as far below 1 by chance
	Probability text.Num `json:"probability"`
	Low         text.Num `json:"low"` // 90 % interval
	High        text.Num `json:"high"`
	Formula     text.Num `json:"formula"` // mean of Coupling's equation 3 for the same slots
}

const cannotTell = "the history cannot tell"

// FitMismatch fits Coupling's rules to histories.
func FitMismatch(source string, hs []*trace.Trace) *MismatchResult {
	var logs [][]predict.TaskRun
	for _, t := range hs {
		logs = append(logs, TaskRuns(t))
	}
	m, p := predict.FitMismatch(logs...), predict.FitPeek(logs...)
	r := &MismatchResult{Schema: text.SchemaFitMismatch, Source: source, Jobs: m.Jobs, Starts: m.Starts,
		Verdict: cannotTell, P: text.Num(m.P), PShare: text.Num(m.Reverse), Threshold: text.Num(m.Threshold),
		Low: text.Num(m.Low), High: text.Num(m.High), Slowstart: text.Num(m.Slowstart),
		Peek: PeekResult{Near: p.Near, Far: p.Far, Verdict: cannotTell, P: text.Num(p.P),
			Probability: text.Num(p.Probability), Low: text.Num(p.Low), High: text.Num(p.High), Formula: text.Num(p.Formula)}}
	switch {
	case m.P < 0.05:
		r.Verdict = "found"
		for _, n := range []int{1, 3, 10, 30, 100} {
			r.Deltas = append(r.Deltas, MismatchDelta{n, predict.Delta(n, m.Threshold)})
		}
	case m.Reverse < 0.05:
		r.Verdict = "none"
	}
	switch {
	case p.P < 0.05:
		r.Peek.Verdict = "found"
	case p.Low > 1-notable:
		r.Peek.Verdict = "none"
	}
	return r
}

// TaskRuns returns the maps and reduces of a history that have nodes and times.
func TaskRuns(t *trace.Trace) (runs []predict.TaskRun) {
	var names []string
	index := fileio.Index{}
	node := func(host string) int { return int(index.ID(&names, path.Base(host))) }
	for job := range t.Jobs {
		for task, a := range t.Jobs[job].Containers() {
			if a.Host == "" || !a.Start.Known() || a.Finish < a.Start || task.Kind != trace.Map && task.Kind != trace.Reduce {
				continue
			}
			r := predict.TaskRun{Job: job, Node: node(a.Host), Reduce: task.Kind == trace.Reduce,
				Again: a != &task.Attempts[0], Done: a.Result == trace.Succeeded, Start: float64(a.Start) / 1000,
				End: float64(a.Finish) / 1000}
			for _, h := range task.Hosts {
				r.Input = append(r.Input, node(h))
			}
			runs = append(runs, r)
		}
	}
	return runs
}

// Print writes the summary for people.
func (r *MismatchResult) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s of %s started while these had maps to launch\n\n", r.Source, text.Count(r.Starts, "reduce"),
		text.Count(r.Jobs, "job"))
	switch r.Verdict {
	case "found":
		fmt.Fprintf(w, "they start step by step with the maps (Coupling, algorithm 1; p = %.2g)\n"+
			"threshold: %.3g reduces, 90 %% interval %.3g to %.3g\n", float64(r.P), float64(r.Threshold), float64(r.Low),
			float64(r.High))
		for _, d := range r.Deltas {
			fmt.Fprintf(w, "delta of a job of %3d reduces: %s of the maps\n", d.Reduces, text.Percent(text.Num(d.Delta)))
		}
	case "none":
		fmt.Fprintf(w, "they start after a fixed share of the maps, %s (slowstart; p = %.2g)\n", text.Percent(r.Slowstart),
			float64(r.PShare))
	default:
		fmt.Fprintf(w, "%s whether they start step by step with the maps (p = %.2g)\n", r.Verdict, float64(r.P))
	}
	p := &r.Peek
	fmt.Fprintf(w, "\nmap slots that came free for one job alone: %d on nodes with its input, %d on others\n", p.Near, p.Far)
	if p.Probability != p.Probability {
		_, err := fmt.Fprintf(w, "%s with what probability maps start far from their input: must be 32 of both\n", p.Verdict)
		return err
	}
	_, err := fmt.Fprintf(w, "probability of a start far from its input at the first heartbeat: %s (90 %% interval %s to %s)\n"+
		"peeking: %s (p = %.2g); equation 3 of Coupling expects %s\n", text.Percent(p.Probability), text.Percent(p.Low),
		text.Percent(p.High), p.Verdict, float64(p.P), text.Percent(p.Formula))
	return err
}
