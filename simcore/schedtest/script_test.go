package schedtest

import (
	"strings"
	"testing"
)

// Every built-in scenario for all schedulers holds for the reference FIFO.
func TestScriptsHoldForReference(t *testing.T) {
	names, scripts, err := Scripts()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, s := range scripts {
		if s.Scheduler != "" {
			continue
		}
		ran++
		missed, err := s.Run(&FIFO{Slowstart: 0.05}, nil)
		if err != nil {
			t.Errorf("%s: %v", names[i], err)
		}
		for _, m := range missed {
			t.Errorf("%s: %s", names[i], m)
		}
	}
	if ran < 4 {
		t.Errorf("%d scenarios for all schedulers, want 4 or more", ran)
	}
}

// What does not come is reported: two maps of 10 s on one slot end after 20 s,
// not within 10, and one runs at a time, not two.
func TestScriptReportsMisses(t *testing.T) {
	s, err := ParseScript(strings.NewReader(`nodes 1 maps 1 reduces 0
heartbeat 0.1
job a maps 2 10
job b maps 1 1
expect a ends within 0 10
expect a runs at-least 2 maps
expect b starts before a
expect makespan within 21 22   # this one comes`))
	if err != nil {
		t.Fatal(err)
	}
	missed, err := s.Run(&FIFO{}, nil)
	if err != nil || len(missed) != 3 {
		t.Fatalf("missed %q, error %v; want three", missed, err)
	}
	for i, want := range []string{"line 5", "line 6", "line 7"} {
		if !strings.Contains(missed[i], want) {
			t.Errorf("%q does not name %s", missed[i], want)
		}
	}
}

func TestScriptErrorsNameTheLine(t *testing.T) {
	const good = "nodes 1 maps 1 reduces 1\njob a maps 1 1\n"
	for text, want := range map[string]string{
		"nodes 1 maps x reduces 1":          `line 1: nodes "x"`,
		"nodes 0 maps 1 reduces 1":          "line 1: nodes 0",
		"nodes 1 slots 2":                   "line 1: nodes 1 slots 2",
		"frobnicate":                        `line 1: statement "frobnicate"`,
		good + "job a":                      "line 3: job needs a name",
		good + "job b maps 1":               "line 3: job b: maps needs 2 more",
		good + "job b size 3":               `line 3: job b: property "size"`,
		good + "job b maps 1e9 1":           "line 3: job b: maps",
		good + "expect c ends within 1 2":   "line 3: expect needs a job",
		good + "expect a ends after 3":      "line 3: expect after 3",
		good + "expect a sleeps within 1 2": `line 3: expect a "sleeps"`,
		good + "expect a runs 3 maps":       "line 3: runs 3 maps",
		good:                                "nothing is expected",
		"job a at 5\njob b at 4":            "line 2: job b: jobs must be in the order",
		"":                                  "no nodes",
	} {
		if _, err := ParseScript(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// No text makes the reader crash, and what it accepts can be run.
func FuzzParseScript(f *testing.F) {
	names, _, err := Scripts()
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range names {
		b, err := scriptFiles.ReadFile("scenarios/" + n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("nodes 1 maps 0 reduces 0\njob a maps 1 NaN\nexpect makespan within 0 Inf")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScript(strings.NewReader(text))
		if err != nil || len(s.Workload.Jobs) > 20 || s.Heartbeat > 0 && s.Heartbeat < 100000 {
			return
		}
		for _, j := range s.Workload.Jobs {
			if j.Maps+j.Reduces > 1000 || j.Submit.Seconds() > 1e5 {
				return
			}
		}
		_, _ = s.Run(&FIFO{}, nil) // a stall is an answer too
	})
}
