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
	m := ourMethods()[2]
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

// A report of what a store holds runs nothing: of a method with a repeat of every
// problem all of them stand in the table, however many, and others are left out.
func TestStoredAlone(t *testing.T) {
	ps, err := functionProblems([]int{5}, 3, 40)
	if err != nil {
		t.Fatal(err)
	}
	ps = ps[:2]
	ran := 0
	made := func(name string) method {
		return method{name: name, run: func(p *problem, _ uint64, see seeing) error {
			ran++
			see(0, p.space.PresentSettings())
			return nil
		}}
	}
	whole, part, none := made("whole"), made("part"), made("none")
	s, err := openStore(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.f.Close()
	for _, c := range []struct {
		p    *problem
		m    method
		seed uint64
	}{{ps[0], whole, 1000}, {ps[1], whole, 1000}, {ps[1], whole, 1002}, {ps[0], part, 1000}} {
		if _, _, err := s.repeat(c.p, c.m, c.seed); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.read(s.f.Name()); err != nil {
		t.Fatal(err)
	}
	s.only, ran = true, 0
	ms := s.complete(ps, []method{whole, part, none}, 3, 1)
	if len(ms) != 1 || ms[0].name != "whole" {
		t.Fatalf("%d methods left, want the whole one", len(ms))
	}
	tb, err := runAll(ps, ms, 3, 1, 1, s, func(*table, int) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	if a, b := len(tb.cells[0][0]), len(tb.cells[1][0]); ran > 0 || a != 1 || b != 2 {
		t.Errorf("%d runs, %d and %d repeats; want 0, 1 and 2", ran, a, b)
	}
}
