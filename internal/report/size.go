package report

import (
	"fmt"
	"io"
	"strings"

	"schedtune/internal/cli"
	"schedtune/internal/study"
	"schedtune/internal/text"
)

// PrintSize writes the result of tune size.
func PrintSize(w io.Writer, r *study.Report) {
	priced := func(s *study.Step) string {
		if s.Cost == 0 {
			return text.Count(s.Nodes, "node")
		}
		return fmt.Sprintf("%s, %s an hour", text.Count(s.Nodes, "node"), text.Plain(s.Cost))
	}
	present := study.Step{Nodes: r.Present, Cost: r.PresentCost}
	fmt.Fprintf(w, "current cluster: %s\n", priced(&present))
	for _, x := range []struct {
		what string
		step *study.Step
	}{{"current configuration", r.Untuned}, {"tuned configuration", r.Tuned}} {
		switch {
		case x.step == nil && r.Interrupted:
			fmt.Fprintf(w, "%s: not known yet\n", x.what)
			continue
		case x.step == nil:
			fmt.Fprintf(w, "%s: no size in the range meets the limits\n", x.what)
			continue
		}
		sure := ""
		for i := range x.step.Limits {
			if !x.step.Limits[i].Sure {
				sure = " (on average; not at 90 % confidence)"
			}
		}
		fmt.Fprintf(w, "%s: %s meet the limits%s\n", x.what, priced(x.step), sure)
	}
	tw := text.New(w)
	fmt.Fprintf(tw, "\nnodes\tsettings\tmet\ttightest limit\texcess\t90 %% interval\n")
	for i := range r.Steps {
		printStep(tw, &r.Steps[i])
	}
	tw.Flush()
	printFailures(w, r.Steps)
	fmt.Fprintf(w, "\nevaluated on %d similar workloads that no search has seen\n", r.Checked)
}

// printStep writes the row of a size, with its tightest limit or the reason of a failure.
func printStep(w io.Writer, s *study.Step) {
	file, kept := "current", "no"
	if s.Tuned {
		file = "tuned"
	}
	if s.Kept {
		kept = "yes"
	}
	worst := -1
	for k := range s.Limits {
		if worst < 0 || s.Limits[k].Beyond > s.Limits[worst].Beyond {
			worst = k
		}
	}
	if worst < 0 {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t\t\n", s.Nodes, file, kept, shortFailure(s.Failed))
		return
	}
	l := &s.Limits[worst]
	fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s to %s\n", s.Nodes, file, kept, l.Text, text.SignedPercent(l.Beyond),
		text.Signed(100*l.Low, 1), text.Signed(100*l.High, 1))
}

// failureWidth is the longest reason in the table; below it is printed in full.
const failureWidth = 60

// shortFailure shortens the reason of a failure to the width of a cell, by whole words.
func shortFailure(text string) string {
	runes := []rune(text)
	if len(runes) <= failureWidth {
		return text
	}
	head := string(runes[:failureWidth-1])
	if at := strings.LastIndexByte(head, ' '); at > failureWidth/2 {
		head = head[:at]
	}
	return strings.TrimRight(head, " ,;:") + "…"
}

// printFailures writes the shortened reasons in full, each once.
func printFailures(w io.Writer, steps []study.Step) {
	seen := map[string]bool{}
	for i := range steps {
		s := &steps[i]
		if txt := s.Failed; txt != shortFailure(txt) && !seen[txt] {
			seen[txt] = true
			fmt.Fprintf(w, "\n%s\n", cli.Wrap(text.Count(s.Nodes, "node")+": "+txt, 98))
		}
	}
}
