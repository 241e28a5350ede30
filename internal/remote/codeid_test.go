package remote

import (
	"testing"
	"testing/fstest"
)

func TestSource(t *testing.T) {
	hash := func(files map[string]string) string {
		m := fstest.MapFS{}
		for name, text := range files {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
		h, err := sourceHash(m)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	base := hash(map[string]string{"a/a.go": "x", "b.go": "y"})
	for name, c := range map[string]struct {
		files map[string]string
		same  bool
	}{
		"the same":       {map[string]string{"b.go": "y", "a/a.go": "x"}, true},
		"another test":   {map[string]string{"a/a.go": "x", "b.go": "y", "b_test.go": "z"}, true},
		"another line":   {map[string]string{"a/a.go": "x", "b.go": "yy"}, false},
		"another name":   {map[string]string{"a/c.go": "x", "b.go": "y"}, false},
		"moved contents": {map[string]string{"a/a.go": "xb.go", "b.go": "y"}, false},
	} {
		if got := hash(c.files); (got == base) != c.same {
			t.Errorf("%s: equal %v, want %v", name, got == base, c.same)
		}
	}
}

// The identity is one, and short enough for names on a message server.
func TestID(t *testing.T) {
	a, err := CodeID()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := CodeID()
	if len(a) != 16 || a != b {
		t.Errorf("%q, then %q", a, b)
	}
	one, err := selfTest()
	if err != nil {
		t.Fatal(err)
	}
	if two, _ := selfTest(); one != two {
		t.Error("the self-test differs from itself")
	}
}
