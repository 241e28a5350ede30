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

// tally counts verdicts of one kind.
type tally struct {
	cases, valid, right, named, lifts, preempt, timed, differ int
	slowest                                                   time.Duration
}

func (t *tally) add(v *Verdict) {
	t.cases++
	if v.Differs != "" {
		t.differ++
	}
	t.slowest = max(t.slowest, v.Took)
	if !v.Valid {
		return
	}
	t.valid++
	if v.Right {
		t.right++
	}
	if v.Named {
		t.named++
	}
	if v.Lifts {
		t.lifts++
	}
	if v.Preempts {
		t.preempt++
	}
	if v.Timed {
		t.timed++
	}
}

// Report reads recorded pairs of case and twin and writes what is wrong and a table as CSV.
// Errors: a wrong first cause, a change that does not lift, an unreadable file.
func Report(w io.Writer, path string) error {
	kinds, modes, all := map[string]*tally{}, map[string]*tally{}, &tally{}
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
		all.add(v)
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
	fmt.Fprintln(w, "by,name,cases,confirmed,first_cause_right,change_named,change_lifts,by_preemption,"+
		"start_within_20_percent,schedulers_differ,slowest_ms")
	table(w, "cause", kinds)
	table(w, "mode", modes)
	table(w, "all", map[string]*tally{"": all})
	if all.right < all.valid || all.lifts < all.named {
		return fmt.Errorf("%d first causes wrong, %d changes that do not lift", all.valid-all.right, all.named-all.lifts)
	}
	return nil
}

// of is the tally of a name.
func of(m map[string]*tally, name string) *tally {
	if m[name] == nil {
		m[name] = &tally{}
	}
	return m[name]
}

// table prints a row of CSV for each name.
func table(w io.Writer, by string, rows map[string]*tally) {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t := rows[name]
		fmt.Fprintf(w, "%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", by, name, t.cases, t.valid, t.right, t.named, t.lifts, t.preempt, t.timed,
			t.differ,
			t.slowest.Milliseconds())
	}
}
