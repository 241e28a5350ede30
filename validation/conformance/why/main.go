// Command why makes scenarios in which an application waits for one known reason,
// for the recorder to answer, and judges answers to "why does it wait" by what the
// real scheduler did.
//
//	go run ./validation/conformance/why make FIRST_SEED COUNT > cases.jsonl
//	validation/conformance/judge/run replay cases.jsonl > recorded.jsonl
//	go run ./validation/conformance/why check recorded.jsonl
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedtune/validation/conformance/replay"
	"schedtune/validation/faults"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "why:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "make":
		first, err := strconv.ParseUint(args[1], 10, 63)
		if err != nil {
			return err
		}
		count, err := strconv.ParseUint(args[2], 10, 31)
		if err != nil {
			return err
		}
		return write(first, count)
	case len(args) == 2 && args[0] == "check":
		return check(args[1])
	}
	return fmt.Errorf("usage: why make FIRST_SEED COUNT | why check FILE, not %q", strings.Join(args, " "))
}

// write writes every case, with the change that the answer names, and its twin.
func write(first, count uint64) error {
	out := bufio.NewWriter(os.Stdout)
	for seed := first; seed < first+count; seed++ {
		c := faults.Draw(seed)
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
	cases, valid, right, named, lifts, differ int
	slowest                                   time.Duration
}

func (t *tally) add(v *faults.Verdict) {
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
}

// check reads recorded pairs of case and twin and prints what is wrong and a table as CSV.
func check(path string) error {
	kinds, modes, all := map[string]*tally{}, map[string]*tally{}, &tally{}
	var last *replay.Scenario
	err := replay.ReadFile(path, func(sc *replay.Scenario) error {
		if last == nil {
			last = sc
			return nil
		}
		v, err := faults.Check(last, sc)
		last = nil
		if err != nil {
			return err
		}
		of(kinds, v.Kind).add(v)
		of(modes, cmp.Or(v.Mode, "heartbeats")).add(v)
		all.add(v)
		switch {
		case !v.Valid:
			fmt.Printf("%s: not valid: the real scheduler does not confirm the planted reason\n", v.Name)
		case !v.Right:
			fmt.Printf("%s: answered %s\n", v.Name, v.Said)
		case v.Named && !v.Lifts:
			fmt.Printf("%s: the change does not lift it on the real scheduler\n", v.Name)
		}
		if v.Differs != "" {
			fmt.Printf("%s: %s\n", v.Name, v.Differs)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Println("by,name,cases,confirmed,first_cause_right,change_named,change_lifts,schedulers_differ,slowest_ms")
	table("cause", kinds)
	table("mode", modes)
	table("all", map[string]*tally{"": all})
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
func table(by string, rows map[string]*tally) {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t := rows[name]
		fmt.Printf("%s,%s,%d,%d,%d,%d,%d,%d,%d\n", by, name, t.cases, t.valid, t.right, t.named, t.lifts, t.differ, t.slowest.Milliseconds())
	}
}
