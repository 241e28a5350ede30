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

// tally counts verdicts of one kind.
type tally struct {
	n       map[string]int // by column
	slowest time.Duration
}

func (t *tally) add(v *Verdict) {
	for _, c := range columns {
		if c.counts(v) {
			t.n[c.name]++
		}
	}
	t.slowest = max(t.slowest, v.Took)
}

// Report reads recorded pairs of case and twin and writes what is wrong and a table as CSV.
// Errors: a wrong first cause, a change that does not lift, an unreadable file.
func Report(w io.Writer, path string) error {
	kinds, modes, all := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
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
		of(kinds, v.Kind).add(v)
		of(modes, cmp.Or(v.Mode, "heartbeats")).add(v)
		of(all, "").add(v)
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
	table(w, "cause", kinds)
	table(w, "mode", modes)
	table(w, "all", all)
	n := of(all, "").n
	if wrong, still := n["confirmed"]-n["first_cause_right"], n["change_named"]-n["change_lifts"]; wrong > 0 || still > 0 {
		return fmt.Errorf("%d first causes wrong, %d changes that do not lift", wrong, still)
	}
	return nil
}

// of is the tally of a name.
func of(m map[string]*tally, name string) *tally {
	if m[name] == nil {
		m[name] = &tally{n: map[string]int{}}
	}
	return m[name]
}

// table prints a row of CSV for each name.
func table(w io.Writer, by string, rows map[string]*tally) {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "%s,%s,", by, name)
		for _, c := range columns {
			fmt.Fprintf(w, "%d,", rows[name].n[c.name])
		}
		fmt.Fprintln(w, rows[name].slowest.Milliseconds())
	}
}
