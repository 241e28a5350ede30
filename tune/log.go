package tune

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// Log is the append-only record of a study, one JSON object per line: a
// header, then trials (what was tried), runs (what was measured) and decisions
// that depended on the clock. A study given a log that already holds lines
// replays them instead of running, checks that they are its own, and appends
// what is new: a killed study continues to the identical file. A torn last
// line is dropped.
type Log struct {
	f    *os.File
	err  error    // a write failed: what follows it would be another study's
	torn int64    // length up to a torn last line, which goes with the next write; -1 if none
	old  [][]byte // lines still to be replayed
	line int      // lines passed
	code string   // that began the log, if other than this; sameCode if not
	wait []byte   // lines that are written with the next run
}

// OpenLog opens or creates the log at path.
func OpenLog(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("tune: %w", err), f.Close())
	}
	l := &Log{f: f, code: sameCode, torn: -1}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole < len(data) {
		l.torn = int64(whole)
	}
	if whole > 0 {
		l.old = bytes.Split(data[:whole-1], []byte{'\n'})
	}
	return l, nil
}

// Held returns the number of lines a study has still to replay.
func (l *Log) Held() int { return len(l.old) }

// Close writes what waits and closes the file. A torn last line goes only if all
// lines before it were this study's.
func (l *Log) Close() error {
	err := l.flush()
	if err == nil && l.torn >= 0 && len(l.old) == 0 && l.line > 0 {
		err = l.f.Truncate(l.torn)
	}
	return errors.Join(err, l.f.Close())
}

// LogError reports a line that is not what the study would have written.
type LogError struct {
	File      string // of the log
	Line      int    // from 1
	Got, Want string // the line there, and the one this study writes
}

// Error names file, line and what differs.
func (e *LogError) Error() string {
	return fmt.Sprintf("%s:%d: the log belongs to another study: %s", e.File, e.Line, difference(e.Got, e.Want))
}

// difference names what differs between two lines: the options where there are
// any, else the hashes of inputs and space, which differ with them.
func difference(got, want string) string {
	var there, here map[string]json.RawMessage
	if json.Unmarshal([]byte(got), &there) != nil || json.Unmarshal([]byte(want), &here) != nil {
		return fmt.Sprintf("it has %s where this study has %s", short(got), short(want))
	}
	both := maps.Clone(there)
	maps.Copy(both, here)
	var options []string
	for _, key := range slices.Sorted(maps.Keys(both)) {
		a, b := string(there[key]), string(here[key])
		switch {
		case a == b || key == "code":
		case derived[key] != "":
			options = append(options, derived[key])
		case strings.ContainsAny(a+b, "[{"):
			options = append(options, key+" differ")
		default:
			options = append(options, fmt.Sprintf("%s is %s there and %s here", key, short(a), short(b)))
		}
	}
	if !bytes.Equal(there["problem"], here["problem"]) { // candidates and windows follow from the inputs
		options = slices.DeleteFunc(options, func(s string) bool {
			return strings.HasPrefix(s, "candidates ") ||
				strings.HasPrefix(s, "holdout ") || strings.HasPrefix(s, "windows ")
		})
	}
	return strings.Join(slices.Compact(options), ", ")
}

// derived describes members of a header that are hashes.
var derived = map[string]string{"problem": "the trace, the cluster or the configuration differs",
	"space": "the settings to tune or their values differ"}

// short returns the beginning of a text that may be long or missing.
func short(s string) string {
	if len(s) > 160 {
		return s[:160] + "…"
	}
	return cmp.Or(s, "not given")
}

// header is the first line.
type header struct {
	Schema     string       `json:"schema"`
	Problem    string       `json:"problem"`
	Code       string       `json:"code,omitempty"` // see Problem.Code
	Sampler    string       `json:"sampler"`
	Seed       uint64       `json:"seed"`
	Budget     int          `json:"budget"`
	Time       string       `json:"time,omitempty"`
	Population int          `json:"population"`
	Replicates int          `json:"replicates"`
	Patience   int          `json:"patience"`
	Level      float64      `json:"level"`
	Off        Part         `json:"off,omitempty"`
	Windows    int          `json:"windows"`
	HoldOut    []int        `json:"holdout,omitempty"`
	Objectives []Objective  `json:"objectives"`
	Limits     []Constraint `json:"constraints,omitempty"`
	Space      string       `json:"space"` // hash
	Candidates []Candidate  `json:"candidates,omitempty"`
	Risk       *Risk        `json:"risk,omitempty"` // nil: the default
}

// trialLine introduces a configuration.
type trialLine struct {
	Trial      int      `json:"trial"`
	Origin     string   `json:"origin"`
	Generation int      `json:"generation,omitempty"`
	Settings   Settings `json:"settings"`
}

// runLine is one run.
type runLine struct {
	runID
	Outcome
}

// runID is what a run is known by.
type runID struct {
	Run    int    `json:"run"`
	Trial  int    `json:"trial"`
	Phase  string `json:"phase"`
	Seed   uint64 `json:"seed"`
	Window int    `json:"window,omitempty"`
}

// decisionLine is a decision that depended on the clock.
type decisionLine struct {
	Decision string `json:"decision"`
	Value    int    `json:"value"`
}

// pop takes the next line to replay.
func (l *Log) pop() []byte {
	b := l.old[0]
	l.old = l.old[1:]
	l.line++
	return b
}

func (l *Log) mismatch(got []byte, want string) error {
	return &LogError{l.f.Name(), l.line, string(got), want}
}

// put writes a line that follows from what was before, or checks it.
func (l *Log) put(v any) error {
	if l == nil {
		return nil
	}
	want, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("tune: %w", err)
	}
	if len(l.old) > 0 {
		if got := l.pop(); !bytes.Equal(got, want) && !l.otherCode(got, want, v) {
			return l.mismatch(got, string(want))
		}
		return nil
	}
	l.line++
	l.wait = append(append(l.wait, want...), '\n')
	if _, trial := v.(trialLine); trial {
		return nil // a trial without runs says nothing yet
	}
	return l.flush()
}

// otherCode reports whether a line is the header that the same study began with
// when it was run by other code, and keeps that code's identity.
func (l *Log) otherCode(got, want []byte, v any) bool {
	h, ok := v.(header)
	var was header
	if !ok || json.Unmarshal(got, &was) != nil {
		return false
	}
	code := was.Code
	was.Code = h.Code
	same, err := json.Marshal(was)
	if ok = err == nil && bytes.Equal(same, want); ok {
		l.code = code
	}
	return ok
}

// OtherCode returns the identity of the code that began the log, if it is not this
// study's: its runs and new ones may not be those of one simulator. ok is false
// before the study has begun, or if it is the same.
func (l *Log) OtherCode() (code string, ok bool) {
	if l == nil || l.code == sameCode {
		return "", false
	}
	return l.code, true
}

// sameCode marks a log whose header is not of other code; no identity is one space.
const sameCode = " "

// flush writes what waits.
func (l *Log) flush() error {
	if len(l.wait) == 0 || l.err != nil {
		return l.err
	}
	if l.torn >= 0 {
		l.err = l.f.Truncate(l.torn)
		l.torn = -1
	}
	if l.err == nil {
		_, l.err = l.f.Write(l.wait)
	}
	l.wait = l.wait[:0]
	return l.err
}

// replayRun fills in the outcome of a run from the log; false if the log has
// ended.
func (l *Log) replayRun(want *runLine) (bool, error) {
	if l == nil || len(l.old) == 0 {
		return false, nil
	}
	got := l.pop()
	var r runLine
	if err := json.Unmarshal(got, &r); err != nil || r.runID != want.runID {
		text, _ := json.Marshal(want.runID)
		return false, l.mismatch(got, string(text))
	}
	want.Outcome = r.Outcome
	return true, nil
}

// decide returns the logged decision, or takes and logs it.
func (l *Log) decide(name string, take func() int) (int, error) {
	if l == nil {
		return take(), nil
	}
	if len(l.old) == 0 {
		v := take()
		return v, l.put(decisionLine{name, v})
	}
	got := l.pop()
	var d decisionLine
	if err := json.Unmarshal(got, &d); err != nil || d.Decision != name {
		return 0, l.mismatch(got, "decision "+name)
	}
	return d.Value, nil
}
