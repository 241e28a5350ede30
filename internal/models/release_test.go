package models

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"schedtune/predict"
)

// Job 0: maps over 0 to 10 s and 0 to 12 s, a reduce over 5 to 30 s; windows of
// 10 s. Ends: 10 and 12 fall into window 1, 30 into window 3. Available at the
// beginnings 0, 10, 20, 30: both maps; the second map (the first ends at 10);
// the reduce, as the maps are done since 12; nothing.
func TestWindowsOf(t *testing.T) {
	w, err := WindowsOf([]predict.TaskRun{{End: 10}, {End: 12}, {Reduce: true, Start: 5, End: 30}}, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]float64{{0, 2}, {2, 1}, {0, 1}, {1, 0}} {
		if w.Released[i] != want[0] || w.Available[i] != want[1] {
			t.Errorf("window %d: %v released, %v available; want %v", i, w.Released[i], w.Available[i], want)
		}
	}
	if _, err := WindowsOf(nil, 10); err == nil {
		t.Error("no spans: no error")
	}
	if _, err := WindowsOf([]predict.TaskRun{{End: 1}}, 0); err == nil {
		t.Error("no window: no error")
	}
	if _, err := WindowsOf([]predict.TaskRun{{End: 1e12}}, 1e-3); err == nil {
		t.Error("too many windows: no error")
	}
}

// A log in two parts with a saved model between them gives the same model as
// one pass, byte for byte.
func TestReleaseContinued(t *testing.T) {
	var b strings.Builder
	b.WriteString("released,available\n")
	for i := range 80 {
		b.WriteString([]string{"3,20\n", "9,40\n", "4,25\n", "0,10\n"}[i*i%4])
	}
	log := b.String()
	read := func(text string) *Windows {
		w, in, err := ReadWindows(source([]byte(text)), 10, nil)
		if err != nil || in.BadRows != 0 {
			t.Fatal(err)
		}
		return w
	}
	whole, err := FitRelease("log", read(log), nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(log, "\n")
	first, err := FitRelease("log", read(strings.Join(lines[:41], "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(first.Model)
	var saved ReleaseModel
	if err := json.Unmarshal(raw, &saved); err != nil || saved.Validate() != nil {
		t.Fatal(err)
	}
	second, err := FitRelease("log", read(lines[0]+strings.Join(lines[41:], "")), &saved)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(whole.Model)
	c, _ := json.Marshal(second.Model)
	if !bytes.Equal(a, c) {
		t.Errorf("continued:\n%s\none pass:\n%s", c, a)
	}
	if _, err := FitRelease("log", &Windows{Seconds: 5, Released: []float64{1}, Available: []float64{1}},
		&saved); err == nil {
		t.Error("windows of another length: no error")
	}
	var text bytes.Buffer
	if err := whole.Print(&text); err != nil || !strings.Contains(text.String(), "equation 1") ||
		len(whole.Chart()) == 0 {
		t.Errorf("print %v: %s", err, text.String())
	}
}

// Releases in proportion to what is available are predicted best by equation 1,
// with the weight and the error that package predict gives for the series.
func TestReleaseBeatsItsRivals(t *testing.T) {
	w := &Windows{Seconds: 10}
	for i := range 200 {
		a := 40 + 30*math.Sin(float64(i)/7)
		w.Available = append(w.Available, a)
		w.Released = append(w.Released, math.Round(a/4))
	}
	r, err := FitRelease("made", w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(r.Error < r.LastValue && r.Error < r.Mean && r.Error < r.Plain && r.Error <= r.Default) {
		t.Errorf("equation 1 %v, last value %v, mean %v, plain %v, default %v", r.Error, r.LastValue, r.Mean, r.Plain,
			r.Default)
	}
	f, _ := predict.FitRelease(w.Released, w.Available, 10)
	if r.Beta != f.Beta {
		t.Errorf("weight %v, want %v", r.Beta, f.Beta)
	}
}

func TestReleaseLogFaults(t *testing.T) {
	w, in, err := ReadWindows(source([]byte("released,available\n1,2\n-1,2\n,2\nx,1\n3,4\n")), 10, nil)
	if err != nil || len(w.Released) != 2 || in.BadRows != 3 || in.Rows != 5 {
		t.Errorf("%v windows, %+v, %v; want 2 of 5 rows", w, in, err)
	}
	if _, _, err := ReadWindows(source([]byte("a,b\n1,2\n")), 10, nil); err == nil {
		t.Error("other columns: no error")
	}
}
