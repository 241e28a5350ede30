package cluster

import (
	"encoding/json"
	"strings"
	"testing"
)

const saved = `{"features":["input","maps"],"scaler":{"mean":[3,1],"deviation":[2,0]},"centers":[[-1,0],[2,1]]}`

func decodeSaved(text string) (*Saved, error) {
	s := &Saved{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, err
	}
	return s, s.Validate()
}

// By hand: 999 bytes and 9 maps are (3, 1), scaled (0, 0), nearer to the first centre; 10^9
// bytes are about (9, 1), scaled (3, 0), nearer to the second.
func TestSaved(t *testing.T) {
	s, err := decodeSaved(saved)
	if err != nil {
		t.Fatal(err)
	}
	for want, job := range []Sizes{{Input: 999, Maps: 9}, {Input: 1e9, Maps: 9}} {
		if got := s.Class(job); got != want {
			t.Errorf("%+v: class %d, want %d", job, got, want)
		}
	}
	if _, err := decodeSaved(strings.Replace(saved, "{", `{"columns":["input","maps"],`, 1)); err == nil ||
		!strings.Contains(err.Error(), "without --jobs") {
		t.Errorf("classes of a table of jobs: got %v, want an error that names what is needed", err)
	}
	for _, bad := range []string{"", "{}",
		strings.Replace(saved, "[2,1]", "[2]", 1), strings.Replace(saved, "input", "x", 1)} {
		if _, err := decodeSaved(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// Jobs with given classes join them; the allocation is due for a new class and at twice the
// jobs.
func TestGivenClasses(t *testing.T) {
	q := NewQueues(ClassOptions{Given: true}, 0)
	var due []bool
	for _, class := range []int{7, 7, 2, 7, 7, 7, 7} {
		a, err := q.Arrive(Job{Times: []float64{1, 2}, Class: class})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[int]int{7: 0, 2: 1}[class]; a.Secondary != want {
			t.Errorf("class %d is number %d, want %d", class, a.Secondary, want)
		}
		due = append(due, a.SecondaryChanged)
	}
	want := []bool{true, true, true, false, false, true, false}
	for i := range due {
		if due[i] != want[i] {
			t.Errorf("due %v, want %v", due, want)
			break
		}
	}
	if n := q.Secondary.List[0].Jobs; n != 6 {
		t.Errorf("%d jobs in the first class, want 6", n)
	}
}

func FuzzReadSaved(f *testing.F) {
	f.Add(saved)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := decodeSaved(text); err == nil {
			s.Class(Sizes{Input: 5})
		}
	})
}
