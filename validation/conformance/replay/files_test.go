package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is no recording, or one with a step that can't be, is said with its place and ends
// with a difference or an error, never with agreement.
func TestUnusableFiles(t *testing.T) {
	first := func(name string) (s *Scenario) {
		err := ReadFile("../testdata/"+name+".jsonl.gz", func(x *Scenario) error {
			if s == nil {
				s = x
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	capacity, fair := first("regression-cached-verdict"), first("fair-reload")
	for _, c := range []struct{ lines, want string }{
		{"", "no scenario"},
		{"\n\n", "no scenario"},
		{`{"do":"beat"}`, ":1: a step before the first scenario header"},
		{`{ "scenario":"x"}`, ":1: a step before the first scenario header"},
		{capacity.Head + "\n" + `{"do":`, ":2: unexpected end of JSON input"},
		{"HEAD\n" + `{"do":"beat","node":"n1"}`, "step 1: a step without an outcome"},
		{"HEAD\n" + `{"do":"fly","out":{}}`, "step 1: unknown step fly"},
		{"HEAD\n" + `{"do":"beat","out":{}}`, "step 1: step beat without the name of a node"},
		{"HEAD\n" + `{"do":"lose","node":{},"out":{}}`, "step 1: step lose without the name of a node"},
		{"HEAD\n" + `{"do":"lose","node":"n99","out":{}}`, `step 1: step lose of node "n99", which has not been added`},
		{"HEAD\n" + `{"do":"beat","node":"n1","done":[["app9",1]],"out":{}}`, "step 1: a heartbeat reports container 1 of " +
			"application app9, which there is not"},
		{"HEAD\n" + capacity.Raw[0] + "\n" + `{"do":"beat","node":"n1","done":[["app1",-1]],"out":{}}`,
			"step 2: a heartbeat reports container -1 of application app1, which there is not"},
		{capacity.Head + "\n" + `{"do":"decommission","node":"n99","out":{}}`,
			`step decommission of node "n99", which has not been added`},
		{capacity.Head + "\n" + `{"do":"label","node":"n99","out":{}}`, `step label of node "n99", which has not been added`},
	} {
		t.Run(c.want, func(t *testing.T) {
			heads := []*Scenario{capacity}
			if strings.Contains(c.lines, "HEAD") && !strings.Contains(c.lines, capacity.Raw[0]) {
				heads = append(heads, fair)
			}
			for _, s := range heads {
				path := filepath.Join(t.TempDir(), "x.jsonl")
				if err := os.WriteFile(path, []byte(strings.Replace(c.lines, "HEAD", s.Head, 1)), 0o600); err != nil {
					t.Fatal(err)
				}
				var out, errOut bytes.Buffer
				if Files(&out, &errOut, []string{path}) || !strings.Contains(out.String()+errOut.String(), c.want) {
					t.Errorf("%s, %.60s: want %q, got\n%.400s%s", s.Scenario, c.lines, c.want, out.String(), errOut.String())
				}
			}
		})
	}
}
