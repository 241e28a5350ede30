package sched

import "testing"

// FuzzParse: no spec string panics, and one that is accepted reads back from
// its shortest form as the same spec.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"fifo", "coupling:threshold=3,beta=0.5", "fair:pool=user", "omo:", "x:=,",
		"native:limit=1e3", "fair:slowstart=NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil {
			t.Fatalf("%q gives %q, which is refused: %v", text, s, err)
		}
		if again.String() != s.String() {
			t.Errorf("%q gives %q, then %q", text, s, again)
		}
		if _, err := s.New(Options{}); err != nil {
			t.Errorf("%q is accepted but builds nothing: %v", text, err)
		}
	})
}

// FuzzSplit: joining the parts again gives the list.
func FuzzSplit(f *testing.F) {
	f.Add("fifo,coupling:threshold=3,beta=0.5,omo")
	f.Fuzz(func(t *testing.T, list string) {
		joined := ""
		for i, s := range Split(list) {
			if i > 0 {
				joined += ","
			}
			joined += s
		}
		if joined != list {
			t.Errorf("%q comes back as %q", list, joined)
		}
	})
}
