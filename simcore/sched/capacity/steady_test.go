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
	"schedtune/yarnconf"
)

// insideOf is figuresOf with what else rounds leave behind.
func insideOf(s *Scheduler) string {
	var more []any
	for _, q := range s.queues {
		more = append(more, q.shownCluster)
	}
	for _, a := range s.apps {
		for i := range a.keys {
			more = append(more, a.keys[i].missedPlain)
		}
	}
	return figuresOf(s) + fmt.Sprintln(more...) + fmt.Sprintln(s.async.made, s.births, len(s.async.waiting)-s.async.first)
}

// Rounds that are said to be steady may be left out: each, made in a copy from any
// node, makes as many proposals as was said, and after any number of them, and any
// number of calls that ask for headrooms in between, all figures, counters and
// limits are those of a scheduler for which they were counted.
func TestSteadyRoundsMayBeLeftOut(t *testing.T) {
	found, left, proposed := 0, 0, 0
	for seed := range uint64(24) {
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
		w = w.on(t, s)
		w.s.ByRounds()
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
				w.s.Ask(id, []yarn.Ask{{Priority: 3, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 1500 * int64(1+id%4), VCores: 1}, Count: int32(w.r.IntN(9))}}, nil, &w.resp)
			}
			for range w.r.IntN(3) {
				round(w.s, w.r.IntN(len(w.s.walkOrder())+1))
			}
			st := w.s.Steady()
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
	t.Logf("steady %d times, %d rounds left out, %d proposals", found, left, proposed)
	if found < 1000 || proposed < 5000 {
		t.Errorf("steady %d times, %d rounds left out, %d proposals: little is tested", found, left, proposed)
	}
}

// cloneKeeping is Clone that leaves the record of the last round where it is.
func cloneKeeping(s *Scheduler) *Scheduler {
	kept := s.async.steady
	c := s.Clone()
	s.async.steady = kept
	return c
}

// What can change the scheduler, or shows counters or limits, first books the rounds
// that were left out.
func TestVerbsBookRoundsLeftOut(t *testing.T) {
	free := strings.Fields(`Ambiguous App Backlog ByRounds Candidates ActiveUsers AMLimits Admission Ended Endless Config
		DeclareLabels Destination EffectiveIn Foresee ForeseeBeat ForeseeNode ForeseeStart Handle Held KeepInterval Killable Killed Labels Leaf LeafIn
		Moved Named NameOf NodesEver Offered Outlook Partitions Pending Place Priority Proposed Queue QueueOf Repeats ReportOrder
		Reset Room Rounds SetClock Skip SortInterval SortNodes State Steady Submitted Used Waiting Walk Wanted Widened`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]string{} // of methods of Scheduler, by name
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
			ast.Inspect(m.Body, func(n ast.Node) bool {
				if c, ok := n.(*ast.SelectorExpr); ok && fmt.Sprint(c.X) == "s" {
					calls[m.Name.Name] = append(calls[m.Name.Name], c.Sel.Name)
				}
				return true
			})
			calls[m.Name.Name] = append(calls[m.Name.Name], "")
		}
	}
	var books func(name string, depth int) bool
	books = func(name string, depth int) bool {
		return name == "makeUp" || depth > 0 && slices.ContainsFunc(calls[name], func(c string) bool { return books(c, depth-1) })
	}
	seen := 0
	for name := range calls {
		if !ast.IsExported(name) || slices.Contains(free, name) {
			continue
		}
		seen++
		if !books(name, 5) {
			t.Errorf("%s changes or shows the scheduler and does not book rounds that were left out", name)
		}
	}
	if seen < 20 {
		t.Errorf("%d methods looked at", seen)
	}
}
