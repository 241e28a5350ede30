// Package spark holds the parts of Spark's application master against recorded
// applications, one step at a time.
package spark

import (
	"path/filepath"
	"testing"

	"schedtune/simcore"
	"schedtune/validation/sparkreplay"
	"schedtune/validation/testdata"
)

// runs loads the recorded runs of a real YARN, or skips the test.
func runs(t *testing.T, pattern string) []*sparkreplay.Run {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(testdata.Shared(t, "traces", "minispark"), pattern))
	if err != nil || len(dirs) == 0 {
		t.Skipf("no recorded runs %s (%v)", pattern, err)
	}
	return load(t, dirs)
}

// everyRun loads the run that the repository holds and, where they are, the
// recorded ones. The made one is not real; it shows that what judges works.
func everyRun(t *testing.T) []*sparkreplay.Run {
	t.Helper()
	return load(t, testdata.SparkRuns(t))
}

func load(t *testing.T, dirs []string) (list []*sparkreplay.Run) {
	t.Helper()
	for _, d := range dirs {
		r, err := sparkreplay.Load(d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestTargets: fed with the recorded stages, tasks and registrations, the
// allocation manager makes the same changes of its target in the same order in
// every application with dynamic allocation, at least 99 % within 100 ms and
// 99.5 % within 200 ms, and gives up the same idle executors within 150 ms.
func TestTargets(t *testing.T) {
	apps, equal, changes, in100, in200, kills, same, extra := 0, 0, 0, 0, 0, 0, 0, 0
	for _, r := range everyRun(t) {
		for i := range r.Apps {
			a := r.Apps[i]
			if a.Kind != "spark" || !a.Settings.Dynamic {
				continue
			}
			s := r.JudgeTargets(a)
			apps++
			changes, in100, in200 = changes+s.Changes, in100+s.Within100, in200+s.Within200
			kills, same, extra = kills+s.Kills, same+s.SameKills, extra+s.Extra
			if s.Equal {
				equal++
			} else {
				t.Errorf("%s %s: targets\n%v, recorded\n%v", r.Name, a.Name, seconds(s.Got), seconds(s.Want))
			}
			if s.SameKills < s.Kills || s.Extra > 0 {
				t.Errorf("%s %s: idle kills %v, recorded %v", r.Name, a.Name, s.GotKills, s.WantKills)
			}
		}
	}
	t.Logf("%d applications, %d with equal targets; of %d changes %d within 100 ms, %d within 200 ms; of %d kills %d "+
		"the same, %d others",
		apps, equal, changes, in100, in200, kills, same, extra)
	if 1000*in100 < 990*changes || 1000*in200 < 995*changes {
		t.Errorf("%d and %d of %d changes within 100 and 200 ms, want 99 %% and 99.5 %%", in100, in200, changes)
	}
}

type stamped struct {
	At     float64
	Target int32
}

func seconds(c []sparkreplay.Change) (list []stamped) {
	for _, x := range c {
		list = append(list, stamped{float64(x.At/simcore.Millisecond) / 1000, x.Target})
	}
	return list
}
