package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// What a store holds is taken from it, to the last bit, and not run again.
func TestStoreKeepsRepeats(t *testing.T) {
	ps, err := functionProblems([]int{5}, 3, 100)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "store")
	m := ourMethods()[1]
	var want trace
	for k := range 2 {
		s, err := openStore(path)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := s.repeat(ps[0], m, 4)
		if err != nil {
			t.Fatal(err)
		}
		if k > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%v from the store, %v before", got, want)
		}
		want = got
		if err := s.f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n != 1 {
		t.Errorf("%d lines for one repeat, want 1", n)
	}
}

// The stops of 200 runs: every 5 up to 80, then an eighth more, to a multiple of
// 5 (80 + 10, ..., 120 + 15, ..., 165 + 20), and the end.
func TestStops(t *testing.T) {
	got := stops(200)
	want := []int{0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90, 100, 110, 120, 135, 150, 165, 185,
		200}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stops %v, want %v", got, want)
	}
}

// A recommendation counts from the first stop at or after the runs it took: one
// after 7 runs shows at 10, and what is said after the budget not at all.
func TestTraceCountsRuns(t *testing.T) {
	ps, err := functionProblems([]int{5}, 3, 20)
	if err != nil {
		t.Fatal(err)
	}
	p := ps[0]
	ends := p.space.Decode([]float64{0.9, 0.9, 0.9, 0.9, 0.9})
	m := method{name: "m", run: func(_ *problem, _ uint64, see seeing) error {
		see(0, p.space.PresentSettings())
		see(7, ends)
		see(21, p.space.PresentSettings())
		return nil
	}}
	got, _, err := runOne(p, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, b := p.present(), p.truth(ends)
	want := trace{{0, a}, {5, a}, {10, b}, {15, b}, {20, b}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("trace %v, want %v", got, want)
	}
}
