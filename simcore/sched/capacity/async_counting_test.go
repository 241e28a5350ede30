package capacity

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// insideOf is figuresOf with what else rounds leave behind.
func insideOf(s *Scheduler) string {
	var more []any
	for _, a := range s.apps {
		for i := range a.keys {
			more = append(more, a.keys[i].missedPlain)
		}
	}
	return figuresOf(s) + fmt.Sprintln(more...) + fmt.Sprintln(s.async.made, s.accepted,
		len(s.async.waiting)-s.async.first)
}

// Rounds that are said to count only may be left out: each, made in a copy from any
// node, makes as many proposals as was said, and after any number of them, and any
// number of calls that ask for headrooms in between, all figures, counters and
// limits are those of a scheduler for which they were counted.
func TestCountingRoundsMayBeLeftOut(t *testing.T) {
	t.Parallel()
	seeds, found, left, proposed := testdata.Cases(24), 0, 0, 0
	for seed := range uint64(seeds) {
		w := newRounds(t, seed)
		lag := int(seed % 3)
		round := func(s *Scheduler, start int) int {
			was := s.async.made
			s.Round(start, lag, nil, nil)
			s.Commit(0, nil)
			return int(s.async.made - was)
		}
		for step := range 250 {
			w.step(t)
			if w.r.IntN(2) == 0 && len(w.apps) > 0 { // more than the nodes hold, of sizes that do not divide them
				id := w.apps[w.r.IntN(len(w.apps))]
				w.s.Ask(id, []yarn.Ask{{Priority: 3, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 1500 * int64(1+id%4),
					VCores: 1}, Count: int32(w.r.IntN(9))}}, nil, &w.resp)
			}
			for range w.r.IntN(3) {
				round(w.s, w.r.IntN(len(w.s.roundOrder())+1))
			}
			st := w.s.Counting()
			if st == nil {
				continue
			}
			found++
			known := *st
			made := cloneKeeping(w.s)
			for range min(1+w.r.IntN(40), known.Left) {
				if w.r.IntN(4) == 0 && len(w.apps) > 0 {
					id := w.apps[w.r.IntN(len(w.apps))]
					var a, b yarn.AskResponse
					made.Ask(id, nil, nil, &a)
					w.s.Ask(id, nil, nil, &b)
					if a.Headroom != b.Headroom {
						t.Fatalf("seed %d, step %d: headroom %v, %v where rounds were left out", seed, step, a.Headroom, b.Headroom)
					}
				}
				start := w.r.IntN(len(known.First))
				want := st.Each + int(st.First[start])
				st.Skipped, st.Left, st.Last = st.Skipped+1, st.Left-1, int32(start)
				st.Starts[start]++
				if got := round(made, start); got != want {
					t.Fatalf("seed %d, step %d: %d proposals in a round from %d, said to be %d", seed, step, got, start, want)
				}
				left++
				proposed += want
			}
			w.s.settle()
			if a, b := insideOf(made), insideOf(w.s); a != b {
				t.Fatalf("seed %d, step %d: rounds made come to\n%s\nleft out\n%s", seed, step, a, b)
			}
		}
	}
	t.Logf("known %d times, %d rounds left out, %d proposals", found, left, proposed)
	if found < 40*seeds || proposed < 200*seeds {
		t.Errorf("known %d times, %d rounds left out, %d proposals: little is tested", found, left, proposed)
	}
}

// newRounds is newWorld with asynchronous scheduling.
func newRounds(t *testing.T, seed uint64) *world {
	w := newWorld(t, seed)
	w.conf[yarnconf.Prefix+"schedule-asynchronously.enable"] = "true"
	conf, err := yarnconf.Evaluate(w.conf)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(conf)
	if err != nil {
		t.Fatal(err)
	}
	s.ByRounds()
	return w.on(t, s)
}

// A change that is not booked against rounds left out before it is found when these are
// booked, and is a fault. The change is that of a verb that forgets to.
func TestForgottenBookingIsAFault(t *testing.T) {
	w := newRounds(t, 3)
	known := func() *yarn.CountingRounds {
		for range 300 {
			w.step(t)
			w.s.Round(0, 0, nil, nil)
			if st := w.s.Counting(); st != nil {
				return st
			}
		}
		t.Fatal("no round that counts only")
		return nil
	}
	for _, forgets := range []bool{false, true} {
		st := known()
		st.Skipped, st.Left = st.Skipped+1, st.Left-1
		st.Starts[0]++
		if forgets {
			w.s.epoch++
		}
		w.s.settle()
		if err := w.s.Fault(); (err != nil) != forgets {
			t.Errorf("forgotten %v: %v", forgets, err)
		}
	}
}

// cloneKeeping is Clone that leaves the record of the last round where it is.
func cloneKeeping(s *Scheduler) *Scheduler {
	kept := s.async.counting
	c := s.Clone()
	s.async.counting = kept
	return c
}

// What can change the scheduler, or shows counters or limits, first books the rounds
// that were left out: every exported method calls bookSkipped, by way of others at most
// eight calls deep. Excepted are those that show or change nothing that such a round
// could have changed, and those of the rounds themselves.
func TestVerbsBookRoundsLeftOut(t *testing.T) {
	excepted := strings.Fields(`Ambiguous App Backlog ByRounds Candidates Clock Config Counting DeclareLabels Fault
		Ended Endless Handle Held KeepInterval Killable Killed Labels Moved NameOf Named NodesEver
		Occupancy Offered Partitions PrefetchEnd PrefetchNode PrefetchStart Priority Proposed Queue QueueOf
		ReportOrder RoundOrder Rounds SetClock SortInterval SortNodes Submitted Used Widened`)
	calls := callsOfScheduler(t)
	var books func(name string, depth int) bool
	books = func(name string, depth int) bool {
		return name == "bookSkipped" || depth > 0 && slices.ContainsFunc(calls[name], func(c string) bool {
			return books(c, depth-1)
		})
	}
	seen := 0
	for name := range calls {
		if !ast.IsExported(name) {
			continue
		}
		seen++
		if got, want := books(name, 8), !slices.Contains(excepted, name); got != want {
			t.Errorf("%s books rounds that were left out: %v, want %v", name, got, want)
		}
	}
	if seen < 60 {
		t.Errorf("%d methods looked at", seen)
	}
	for _, name := range excepted {
		if _, ok := calls[name]; !ok {
			t.Errorf("%s is excepted, and there is no such method", name)
		}
	}
}

// callsOfScheduler parses the package and returns, by method of Scheduler, the methods
// that it calls on its receiver.
func callsOfScheduler(t *testing.T) map[string][]string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil || m.Body == nil {
				continue
			}
			if p, ok := m.Recv.List[0].Type.(*ast.StarExpr); !ok || fmt.Sprint(p.X) != "Scheduler" {
				continue
			}
			calls[m.Name.Name] = nil
			ast.Inspect(m.Body, func(n ast.Node) bool {
				if c, ok := n.(*ast.SelectorExpr); ok && fmt.Sprint(c.X) == "s" {
					calls[m.Name.Name] = append(calls[m.Name.Name], c.Sel.Name)
				}
				return true
			})
		}
	}
	return calls
}
