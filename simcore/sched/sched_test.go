package sched_test

import (
	"strings"
	"testing"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
)

// Every scheduler finishes the default workload and repeats itself.
func TestDefaultWorkload(t *testing.T) {
	set, err := datasets.Load("default-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slotSchedulers() {
		t.Run(e.Name, func(t *testing.T) {
			run := func() *simcore.Result {
				s, err := sched.New(e.Name, sched.Options{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				r, err := mr1.Run(mr1.Config{Pool: e.Pool}, set.Cluster, set.Workload, s)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			r := run()
			a, _ := r.Value("makespan")
			c, _ := r.Value("mean-completion")
			l, _ := r.Value("locality")
			t.Logf("makespan %.0f s, mean completion %.0f s, locality %.2f, beats %d", a, c, l, r.Beats)
			if b, _ := run().Value("makespan"); a != b {
				t.Errorf("makespan %v, then %v", a, b)
			}
		})
	}
}

func TestSpecErrorsListWhatIsAllowed(t *testing.T) {
	for spec, want := range map[string]string{
		"nope":                  "must be one of capacity, yarn-fair, fifo, ",
		"fair:x=1":              "parameter \"x\": must be one of assign, first, jobs, pool, slowstart, spread, total",
		"fair:slowstart=2":      "must be a number from 0 to 1",
		"fair:pool=planet":      "must be one of user, queue, class, job",
		"native:limit=1.5":      "must be a whole number from 0 to 1000",
		"omo:lazy":              "not key=value",
		"omo:beta=0.1,beta=0.2": "beta is given twice, as 0.1 and 0.2",
		"coupling:mismatch=yes": "must be one of true, false",
	} {
		t.Run(spec, func(t *testing.T) {
			if _, err := sched.New(spec, sched.Options{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want an error with %q", spec, err, want)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	got := strings.Join(sched.Split("fifo,coupling:threshold=3,beta=0.5,omo"), " ")
	if want := "fifo coupling:threshold=3,beta=0.5 omo"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The defaults of the table pass their own checks, and a spec's shortest form
// reads back as the same spec.
func TestTableIsConsistent(t *testing.T) {
	for _, e := range sched.Table() {
		if e.Help == "" || e.Source == "" {
			t.Errorf("%s: help or source missing", e.Name)
		}
		for _, p := range e.Params {
			if p.Help == "" {
				t.Errorf("%s: parameter %s has no help", e.Name, p.Name)
			}
			s, err := sched.Parse(e.Name + ":" + p.Name + "=" + p.Default)
			if err != nil {
				t.Errorf("default of %s.%s: %v", e.Name, p.Name, err)
			} else if s.String() != e.Name {
				t.Errorf("%s with a default reads %q", e.Name, s)
			}
		}
	}
}
