package forecast

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"schedtune/internal/study"
)

// A log gives back what was written, a period without a run included, drops a torn
// last line, and counts what other code has judged.
func TestLogGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	outs := []Outcome{
		{Case: "1: a", Found: true, Recommended: true, Expected: Range{0.2, -0.1, 0.4}, Came: 0.25, WorstQueue: 0.01},
		{Case: "3: b", Found: true, Came: math.Inf(-1), WorstQueue: math.Inf(1)},
	}
	l, err := OpenLog(path, "one")
	if err != nil {
		t.Fatal(err)
	}
	for i := range outs {
		if err := l.Add(&outs[i]); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, `{"code":"one","Case":"5: torn`...), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err = OpenLog(path, "two")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if len(l.Known) != 2 || l.Other != 2 || !reflect.DeepEqual(l.Known["1: a"], outs[0]) ||
		!math.IsInf(l.Known["3: b"].Came, -1) {
		t.Errorf("%d of other code, %+v", l.Other, l.Known)
	}
	if err := l.Add(&Outcome{Case: "7: c"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Add(&outs[0]); err != nil { // is there already
		t.Fatal(err)
	}
	again, err := OpenLog(path, "two")
	if err != nil || len(again.Known) != 3 || again.Other != 2 {
		t.Errorf("%v: %+v", err, again)
	}
	again.Close()
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(path, "two"); err == nil {
		t.Error("a line that is no case is taken")
	}
}

// A case that is known is taken as it is: this one could not be judged.
func TestKnownCasesAreNotJudgedAgain(t *testing.T) {
	known := Outcome{Case: "1: a", Came: 42}
	r := Request{Known: map[string]Outcome{known.Case: known}}
	if got, err := r.judgeOnce(context.Background(), &job{name: known.Case}); err != nil ||
		!reflect.DeepEqual(got, known) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A case that is cut short is not told as judged, so that no log keeps it.
func TestInterruptedCasesAreNotKept(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	told := 0
	r := Request{Sample: Sample{Cases: 1, Budget: 5000, Seed: 3, Workers: 1}, Progress: func(int, *Outcome) { told++ }}
	r.Study = func(q *study.Request) { stop() } // as the case begins
	if _, err := Run(ctx, r); err == nil || told != 0 {
		t.Errorf("%d cases told, error %v", told, err)
	}
}
