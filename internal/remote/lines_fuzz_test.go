package remote

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzReadResults: result lines come from files that anybody may have written. What is
// taken over has an id and the code of this program, and reads the same when it is
// written again; every other line is told.
func FuzzReadResults(f *testing.F) {
	code, err := CodeID()
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"id":"a","outcome":{"metrics":{"makespan":1}}}` + "\n\n7\t{}"))
	f.Add([]byte("0\t{\"id\":\"b\",\"host\":\"../x\"}\n[1]\nnull\n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		// The code is a digest that a fuzzer does not guess.
		lines = bytes.ReplaceAll(lines, []byte(`{"id"`), []byte(`{"code":"`+code+`","id"`))
		got, bad := map[string]Result{}, 0
		if err := ReadResults(bytes.NewReader(lines), nil, got, func(line int, err error) {
			if bad++; line < 1 || err == nil {
				t.Errorf("line %d: %v", line, err)
			}
		}); err != nil {
			return
		}
		if n := bytes.Count(lines, []byte("\n")) + 1; len(got)+bad > n {
			t.Errorf("%d results and %d bad lines of %d", len(got), bad, n)
		}
		var again bytes.Buffer
		for id, r := range got {
			if id == "" || r.ID != id || r.Code != code {
				t.Errorf("result %q: %+v", id, r)
			}
			line, err := encode(r)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(line)
		}
		read := map[string]Result{}
		err := ReadResults(&again, nil, read, func(line int, err error) { t.Errorf("written again, line %d: %v", line, err) })
		if err != nil || !sameJSON(t, read, got) {
			t.Errorf("%+v, written and read again %+v, %v", got, read, err)
		}
	})
}

func sameJSON(t *testing.T, a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x, y)
}
