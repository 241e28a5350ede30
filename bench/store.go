package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// store keeps finished repeats in a file, one JSON object per line, so that a
// long benchmark can be interrupted, and extended by methods, without repeating
// what is there. A nil store keeps nothing.
type store struct {
	mu   sync.Mutex
	f    *os.File
	have map[string]stored
}

// stored is a line: the key says all a repeat depends on.
type stored struct {
	Key   string       `json:"key"`
	Steps [][2]float64 `json:"steps"` // runs, truth
	Own   float64      `json:"own"`   // seconds of the method itself per run
}

// openStore reads what the file holds and opens it for more.
func openStore(path string) (*store, error) {
	s := &store{have: map[string]stored{}}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var l stored
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		s.have[l.Key] = l
	}
	s.f, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return s, err
}

// key names a repeat of a method on a problem.
func key(p *problem, m method, seed uint64) string {
	return fmt.Sprintf("%s, instance %d, %s, %d runs, seed %d", p.name, p.instance, m.name, p.budget, seed)
}

// repeat is runOne, or what the store holds of it.
func (s *store) repeat(p *problem, m method, seed uint64) (trace, time.Duration, error) {
	if s == nil {
		return runOne(p, m, seed)
	}
	k := key(p, m, seed)
	s.mu.Lock()
	had, ok := s.have[k]
	s.mu.Unlock()
	var t trace
	if ok {
		for _, v := range had.Steps {
			t = append(t, step{int(v[0]), v[1]})
		}
		return t, time.Duration(had.Own * float64(time.Second)), nil
	}
	t, own, err := runOne(p, m, seed)
	if err != nil {
		return nil, 0, err
	}
	var steps [][2]float64
	for _, v := range t {
		steps = append(steps, [2]float64{float64(v.runs), v.truth})
	}
	b, err := json.Marshal(stored{k, steps, own.Seconds()})
	if err != nil {
		return nil, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.f.Write(append(b, '\n'))
	return t, own, err
}
