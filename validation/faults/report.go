package faults

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"schedtune/validation/conformance/replay"
)

// Make writes count cases as JSON lines for the recorder, each with the change that the
// answer names and with its twin.
func Make(w io.Writer, first, count uint64) error {
	out := bufio.NewWriter(w)
	for seed := first; seed < first+count; seed++ {
		c := Draw(seed)
		a, err := c.Ask()
		if err != nil {
			return err
		}
		steps, h := c.Change(a)
		for _, twin := range []bool{false, true} {
			h.Twin = twin
			lines, err := c.Lines(h, steps)
			if err != nil {
				return err
			}
			out.Write(lines)
		}
	}
	return out.Flush()
}

// columns are what is counted of verdicts.
var columns = []struct {
	name   string
	counts func(v *Verdict) bool
}{
	{"cases", func(*Verdict) bool { return true }},
	{"confirmed", func(v *Verdict) bool { return v.Valid }},
	{"first_cause_right", func(v *Verdict) bool { return v.Valid && v.Right }},
	{"change_named", func(v *Verdict) bool { return v.Valid && v.Named }},
	{"change_lifts", func(v *Verdict) bool { return v.Valid && v.Lifts }},
	{"by_preemption", func(v *Verdict) bool { return v.Valid && v.Preempts }},
	{"start_within_20_percent", func(v *Verdict) bool { return v.Valid && v.Timed }},
	{"schedulers_differ", func(v *Verdict) bool { return v.Differs != "" }},
}

// Report reads recorded pairs of case and twin and writes what is wrong and a table as CSV.
// Errors: a wrong first cause, a change that does not lift, an unreadable file.
func Report(w io.Writer, path string) error {
	var all []*Verdict
	var last *replay.Scenario
	err := replay.ReadFile(path, func(sc *replay.Scenario) error {
		if last == nil {
			last = sc
			return nil
		}
		v, err := Check(last, sc)
		last = nil
		if err != nil {
			return err
		}
		all = append(all, v)
		switch {
		case !v.Valid:
			fmt.Fprintf(w, "%s: not valid: the real scheduler does not confirm the planted reason\n", v.Name)
		case !v.Right:
			fmt.Fprintf(w, "%s: answered %s\n", v.Name, v.Said)
		case v.Named && !v.Lifts:
			fmt.Fprintf(w, "%s: the change does not lift it on the real scheduler\n", v.Name)
		}
		if v.Differs != "" {
			fmt.Fprintf(w, "%s: %s\n", v.Name, v.Differs)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprint(w, "by,name,")
	for _, c := range columns {
		fmt.Fprint(w, c.name, ",")
	}
	fmt.Fprintln(w, "slowest_ms")
	table(w, "cause", all, func(v *Verdict) string { return v.Kind })
	table(w, "mode", all, func(v *Verdict) string { return cmp.Or(v.Mode, "heartbeats") })
	n := table(w, "all", all, func(*Verdict) string { return "" })
	if wrong, still := n["confirmed"]-n["first_cause_right"], n["change_named"]-n["change_lifts"]; wrong > 0 || still > 0 {
		return fmt.Errorf("%d first causes wrong, %d changes that do not lift", wrong, still)
	}
	return nil
}

// table prints a row of CSV for each group of verdicts and returns the counts of the last.
func table(w io.Writer, by string, all []*Verdict, group func(*Verdict) string) (n map[string]int) {
	groups := map[string][]*Verdict{}
	for _, v := range all {
		groups[group(v)] = append(groups[group(v)], v)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(w, "%s,%s,", by, name)
		n = map[string]int{}
		slowest := time.Duration(0)
		for _, v := range groups[name] {
			slowest = max(slowest, v.Took)
			for _, c := range columns {
				if c.counts(v) {
					n[c.name]++
				}
			}
		}
		for _, c := range columns {
			fmt.Fprintf(w, "%d,", n[c.name])
		}
		fmt.Fprintln(w, slowest.Milliseconds())
	}
	return n
}
