package models

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/classify"
	"schedtune/trace"
)

// Jobs of a table in all forms of a log: columns of numbers are kept, one of texts is left out, and a row
// with an unknown number is a bad one.
func TestReadJobs(t *testing.T) {
	want := []*Facts{{Job: "a", Class: "x", Values: []float64{1, -2}},
		{Job: "b", Class: "y", Submit: 90, Values: []float64{3, 4}}}
	for name, text := range map[string]string{
		"seconds": "id,submit,class,cpu s,queue,d\na,0,x,1,q,-2\nb,90,y,3,r,4\nc,110,y,NA,r,4\n",
		"iso":     "id,submit,class,cpu s,d\na,1970-01-01T00:00:00Z,x,1,-2\nb,1970-01-01 00:01:30,y,3,4\nc,,y,3,?\n",
		"json lines": `{"id":"a","submit":0,"cpu s":1,"class":"x","d":-2}` + "\n" +
			`{"id":"b","submit":90,"cpu s":3,"class":"y","d":4}` + "\n[]\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadJobs(source([]byte(text)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got.Jobs); d != "" || fmt.Sprint(got.Columns) != "[cpu s d]" || got.Intake.BadRows != 1 {
				t.Errorf("columns %q, %d bad rows, jobs (want -, got +):\n%s", got.Columns, got.Intake.BadRows, d)
			}
		})
	}
	for name, text := range map[string]string{"no numbers": "id,queue\na,q\nb,r\n", "no jobs": "id,x\n", "empty": ""} {
		if _, err := ReadJobs(source([]byte(text)), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Classes of a table's jobs are found by its columns, named after them, and taken up by a saved model.
func TestClassesOfTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,cpu,delta\n")
	for i := range 60 {
		fmt.Fprintf(&b, "j%d,%g,%g\n", i, math.Pow(100, float64(i%3))+float64(i%7)/100, float64(-50*(i%2))-float64(i%5)/100)
	}
	table, err := ReadJobs(source([]byte(b.String())), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := FitClasses("jobs", table.Jobs, ClassOptions{Columns: table.Columns, MaxK: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.K != 6 || r.Classes[0].Jobs != 10 || r.Model.Validate() != nil || r.Model.Saved.Validate() == nil {
		t.Errorf("%d classes, %+v; want 6 of 10 jobs", r.K, r.Classes)
	}
	var out strings.Builder
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), "cpu") || !strings.Contains(out.String(),
		"high cpu") || len(r.Chart()) == 0 {
		t.Errorf("print %v:\n%s", err, &out)
	}
	again, err := FitClasses("jobs", table.Jobs, ClassOptions{Columns: table.Columns, Assign: true}, r.Model)
	if err != nil || again.Classes[0].Jobs != 10 || again.Classes[0].Values[0] != r.Classes[0].Values[0] {
		t.Errorf("assigned %+v, %v", again, err)
	}
	if _, err := FitClasses("sizes", kinds(), ClassOptions{}, r.Model); err == nil {
		t.Error("jobs of a trace in a model of a table: no error")
	}
}

func FuzzReadJobs(f *testing.F) {
	f.Add("id,submit,class,x\na,1,c,2\nb,2,d,NA\n")
	f.Add(`{"id":"a","x":1}` + "\n" + `{"id":"b","x":-3}`)
	f.Fuzz(func(t *testing.T, s string) {
		table, err := ReadJobs(source([]byte(s)), nil)
		if err != nil {
			return
		}
		if _, err := FitClasses("x", table.Jobs, ClassOptions{Columns: table.Columns, K: 2}, nil); err != nil {
			t.Log(err) // values so large that they have no distance
		}
	})
}

// A trace that is read in parts gives the jobs and notes of one that is read whole, in whatever order they
// were submitted.
func TestOpenFactsInParts(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, "job%d\t%d\t0\t%d\t%d\t%d\n", i%19999, (i*7919)%20000/3, i*1000, i%3*5000, i%7*100000)
	}
	path := filepath.Join(t.TempDir(), "swim.tsv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	whole, err := trace.Open(path, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, notes, err := whole.Workload(trace.WorkloadOptions{AfterUp: true})
	if err != nil {
		t.Fatal(err)
	}
	got, told, err := OpenFacts(path, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(FactsOf(w), got); d != "" {
		t.Errorf("jobs (want -, got +):\n%.1000s", d)
	}
	byText := cmpopts.SortSlices(func(a, b trace.Note) bool { return a.Text < b.Text })
	if d := cmp.Diff(append(whole.Notes, notes...), told, byText); d != "" {
		t.Errorf("notes (want -, got +):\n%s", d)
	}
}

// Exact probabilities show the calibration error that chances expects of them: outcomes drawn by
// probabilities that are spread evenly from 0 to 1.
func TestCalibrationErrorIfExact(t *testing.T) {
	sum, want := 0.0, 0.0
	for draw := range 50 {
		s, order := make(classify.Scores, 1000), shuffled(1000, uint64(draw))
		for i := range s {
			p := (float64(i) + 0.5) / 1000
			s[i] = classify.Scored{Score: p, Bad: float64(order[(i*617)%1000]) < p*1000}
		}
		c := chances(s)
		sum, want = sum+float64(c.ECE)/50, float64(c.Exact)
	}
	if math.Abs(sum/want-1) > 0.15 {
		t.Errorf("mean calibration error of exact probabilities %.4f, want %.4f", sum, want)
	}
}
