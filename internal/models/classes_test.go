package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"schedtune/cluster"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// three kinds of job, a factor of a hundred apart: 30 tiny without reduces, 20
// medium, 10 large.
func kinds() []*Facts {
	var jobs []*Facts
	for i := range 60 {
		f := &Facts{Job: fmt.Sprint("job", i), Sizes: cluster.Sizes{Input: 1e6 * (1 + 0.01*float64(i*7%13)), Output: 1e5,
			Maps: 1, MapSeconds: 20}}
		switch {
		case i%6 == 5:
			f.Input, f.Shuffle, f.Maps, f.Reduces, f.MapSeconds, f.ReduceSeconds = f.Input*1e4, 1e10, 300, 30, 40000, 9000
		case i%3 == 1:
			f.Input, f.Shuffle, f.Maps, f.Reduces, f.MapSeconds, f.ReduceSeconds = f.Input*100, 5e6, 20, 2, 2000, 300
		}
		jobs = append(jobs, f)
	}
	return jobs
}

func TestClassesAreFound(t *testing.T) {
	r, err := FitClasses("made", kinds(), ClassOptions{Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.K != 3 || r.Classes[0].Jobs != 30 || r.Classes[1].Jobs != 20 || r.Classes[2].Jobs != 10 {
		t.Fatalf("k %d, sizes %+v; want 3 classes of 30, 20 and 10 jobs", r.K, r.Classes)
	}
	// 30 tiny of 20 s, 20 medium of 2300 s, 10 large of 49000 s: 536600 s.
	if w := r.Classes[2].Work; w < 0.913 || w > 0.9133 {
		t.Errorf("the large jobs do %v of the work, want 490000/536600 = 0.9132", w)
	}
	for i, want := range []string{"tiny, maps only", "medium, aggregate", "large, shuffle-heavy"} {
		if r.Classes[i].Label != want {
			t.Errorf("class %d is %q, want %q", i, r.Classes[i].Label, want)
		}
	}
	for i, f := range kinds() {
		want := 0
		switch {
		case i%6 == 5:
			want = 2
		case i%3 == 1:
			want = 1
		}
		if r.Model.Jobs[i].Label != want || !strings.HasPrefix(r.Model.Name(f), fmt.Sprint(want+1)) {
			t.Errorf("job %d is in class %d (%s), want %d", i, r.Model.Jobs[i].Label, r.Model.Name(f), want)
		}
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "silhouette") || len(r.Chart()) == 0 {
		t.Errorf("print: %v", err)
	}
	for _, line := range strings.Split(text.String(), "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("line of %d columns, at most 100: %s", len([]rune(line)), line)
		}
	}
}

// Going on with a saved classification gives the model of one pass, byte for
// byte.
func TestClassesContinued(t *testing.T) {
	jobs := kinds()
	whole, err := FitClasses("made", kinds(), ClassOptions{Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := FitClasses("made", jobs[:25], ClassOptions{Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(first.Model)
	var saved ClassesModel
	if err := json.Unmarshal(raw, &saved); err != nil {
		t.Fatal(err)
	}
	if err := saved.Validate(); err != nil {
		t.Fatal(err)
	}
	second, err := FitClasses("made", jobs[25:], ClassOptions{Seed: 3}, &saved)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(whole.Model)
	b, _ := json.Marshal(second.Model)
	if !bytes.Equal(a, b) {
		t.Errorf("continued:\n%.300s\none pass:\n%.300s", b, a)
	}
}

// A given k is clustered once: no other is tried. A model's k is kept, and jobs that are
// assigned get the class of the nearest centre, with the classes as they are.
func TestGivenK(t *testing.T) {
	r, err := FitClasses("x", kinds(), ClassOptions{K: 4, MaxK: 5, Seed: 1}, nil)
	if err != nil || r.K != 4 || r.Tried != nil {
		t.Fatalf("%v: k %d, tried %v, want 4 and none", err, r.K, r.Tried)
	}
	var labels []int
	for _, j := range r.Model.Jobs {
		labels = append(labels, j.Label)
	}
	more, err := FitClasses("x", kinds()[:7], ClassOptions{}, r.Model)
	if err != nil || more.K != 4 {
		t.Errorf("%v: k %d, want the model's 4", err, more.K)
	}
	a, err := FitClasses("x", kinds(), ClassOptions{Assign: true}, r.Model)
	if err != nil || a.Jobs != 60 {
		t.Fatalf("%v: %d jobs, want 60", err, a.Jobs)
	}
	for i := range a.Model.Jobs {
		if got, want := a.Model.Jobs[i].Label, labels[i]; got != want {
			t.Errorf("job %d: class %d, want %d", i, got, want)
		}
	}
	one, err := FitClasses("x", kinds()[:1], ClassOptions{Assign: true}, r.Model)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(one); err != nil { // classes without jobs have the model's medians
		t.Error(err)
	}
	if got := fmt.Sprint(a.Model.Centers); got != fmt.Sprint(r.Model.Centers) {
		t.Errorf("centres moved: %v", got)
	}
}

func TestClassesDegenerate(t *testing.T) {
	if _, err := FitClasses("none", nil, ClassOptions{}, nil); err == nil {
		t.Error("no jobs: no error")
	}
	same := []*Facts{{}, {}, {}}
	r, err := FitClasses("same", same, ClassOptions{K: 2}, nil)
	if err != nil || r.K != 1 || r.Classes[0].Jobs != 3 || len(r.Chart()) == 0 {
		t.Errorf("equal jobs: %+v, %v; want one class", r, err)
	}
	var out strings.Builder
	if err := r.Print(&out); err != nil || !strings.HasPrefix(out.String(), "same: 3 jobs, 1 class (2 given, no more "+
		"jobs differ), ") {
		t.Errorf("%v %s", err, &out)
	}
	if err := r.Model.Validate(); err != nil {
		t.Error(err)
	}
	if (&ClassesModel{Schema: text.SchemaFitClassesModel}).Validate() == nil || (&ClassesModel{}).Validate() == nil {
		t.Error("an empty model must not validate")
	}
}

// Facts of a workload: two maps of 3 and 5 s recorded singly; a job of 4 maps
// and 2 reduces from distributions with means 10 and 7 s.
func TestFactsOf(t *testing.T) {
	w := &simcore.Workload{Classes: []string{"c"},
		Jobs: []simcore.Job{
			{ID: "a", Class: 0, Maps: 2, FirstTask: 0, MapDist: -1, ReduceDist: -1, InputBytes: 7},
			{Name: "b", Class: -1, Maps: 4, Reduces: 2, FirstTask: -1, MapDist: 0, ReduceDist: 1, Submit: 3 * simcore.Second},
		},
		Tasks: simcore.Tasks{Duration: []simcore.Time{3 * simcore.Second, 5 * simcore.Second}},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}, {Kind: simcore.Exponential, A: 7}}}
	f := FactsOf(w)
	if f[0].MapSeconds != 8 || f[0].Class != "c" || f[0].Input != 7 || f[1].MapSeconds != 40 ||
		f[1].ReduceSeconds != 14 || f[1].Job != "b" || f[1].Submit != 3 {
		t.Errorf("facts %+v", f)
	}
}
