package accept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/report"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/simcore/sched/capacity"
	"schedtune/tune"
	"schedtune/validation/conformance/replay"
	"schedtune/yarnconf"
)

// trial is what one version of Hadoop is asked in one run.
type trial struct {
	judge, version, dir string
	out                 bytes.Buffer
	parts               [][]byte // of out, each for a process of its own: the original keeps what it has loaded
	presents, refused   int
	still, points       int
	unrefreshed         int
}

// call runs the recorder and returns what it prints.
func (j *trial) call(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(j.judge, args...)
	cmd.Env = append(os.Environ(), "JUDGE_HADOOP="+j.version)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%.4000s", j.judge, args, err, log.String())
	}
	return out.Bytes()
}

// draw records the headers of a kind and writes scenarios for each.
func (j *trial) draw(t *testing.T, kind string, seed, n int) {
	t.Helper()
	path := filepath.Join(j.dir, kind+".jsonl")
	if err := os.WriteFile(path, j.call(t, "record", kind, fmt.Sprint(seed), fmt.Sprint(n), "0"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := replay.ReadFile(path, func(s *replay.Scenario) error {
		if s.Rejected == nil {
			j.present(t, s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// present writes scenarios of the tuned files of one present file.
func (j *trial) present(t *testing.T, s *replay.Scenario) {
	t.Helper()
	c, site := caseOf(t, s)
	if c == nil {
		return
	}
	for _, p := range c.Doc.Validate() {
		if p.Severity == yarnconf.Error { // our own rule, which a study tells
			j.refused++
			return
		}
	}
	if conf, err := yarnconf.Evaluate(c.Doc); err == nil {
		if _, err := capacity.New(conf); err != nil { // not simulated by the rules of this version, which a study tells too
			j.refused++
			return
		}
	}
	j.presents++
	if j.out.Len() > partBytes {
		j.parts = append(j.parts, slices.Clone(j.out.Bytes()))
		j.out.Reset()
	}
	key := rng.NewKey(uint64(crc32.ChecksumIEEE([]byte(s.Scenario))), 0)
	others := [][]string{nil, {yarnconf.Capacity}, {yarnconf.MaximumCapacity}, {"root.*a*"}}
	var steps []step
	for i, params := range [][]string{{"*"}, others[key.IntN(4, len(others))]} {
		name := s.Scenario
		if i > 0 {
			name += fmt.Sprintf(" --params %q", params)
		}
		steps = append(steps, j.study(t, s, name, c, site, params, key.At(uint64(10+i)))...)
	}
	if refreshes(c, c.Doc, c.Doc) != "" {
		j.unrefreshed++
		return
	}
	j.header(t, s, s.Scenario+" refreshed", confOf(c.Doc, s))
	// Figures of queues may depend on what the original computed before: the present ones are those after a refresh.
	steps = append([]step{{Do: "refresh", Conf: map[string]string{}, Request: json.RawMessage("{}")}}, steps...)
	for _, st := range steps {
		var b bytes.Buffer
		raw, err := json.Marshal(st)
		if err == nil {
			err = json.Compact(&b, raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&j.out, "%s\n", b.Bytes())
	}
}

// refreshes says what a refresh from one file to another, or back, is refused for; "" if
// for nothing.
func refreshes(c *scenario.Case, from, to *yarnconf.Document) string {
	for _, e := range append(c.RefusedRefresh(from, to), c.RefusedRefresh(to, from)...) {
		return "a refresh is refused: " + e.Error()
	}
	return ""
}

// step is one refresh of a scenario.
type step struct {
	Do      string            `json:"do"`
	Conf    map[string]string `json:"conf"`
	Unset   []string          `json:"unset"`
	Request json.RawMessage   `json:"request"`
	Back    bool              `json:"back"` // to the present file
}

// study returns the refreshes to the tuned files of one study of a present file, and back.
func (j *trial) study(t *testing.T, s *replay.Scenario, of string, c *scenario.Case, site *yarnconf.Document,
	params []string, key rng.Key) []step {
	t.Helper()
	space, _, err := study.NewSpace(c, params)
	if err != nil {
		if j.still++; !strings.Contains(err.Error(), "no setting can be tuned") && !strings.Contains(err.Error(),
			"names no setting") {
			t.Errorf("%s: %v\n%s", of, err, c.Doc.Bytes())
		}
		return nil
	}
	st := &study.Study{Case: c, Space: space}
	if changes, _ := space.Changes(space.PresentSettings()); len(changes) > 0 {
		t.Errorf("%s: the present point changes %v\n%s", of, changes, c.Doc.Bytes())
	}
	before := errorsOf(c)
	may := refreshes(c, c.Doc, c.Doc) == "" // else the original takes no refresh of it at all, which the inputs warn of
	var steps []step
	var docs []*yarnconf.Document
	sets := points(space, key)
	for _, k := range study.Candidates(c, space) {
		sets = append(sets, point{k.Name, k.Settings})
	}
	for k, p := range sets {
		name := fmt.Sprintf("%s point %s", of, p.name)
		files, err := report.QueueFiles(st, p.set)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, c.Doc.Bytes())
			return nil
		}
		j.points++
		at := map[string][]byte{}
		for _, f := range files {
			at[f.Name] = f.Data
		}
		tuned := parsed(t, at[study.FileConfig], c, site)
		if bad := errorsOf(&scenario.Case{Doc: tuned, Cluster: c.Cluster}); len(bad) > len(before) {
			t.Errorf("%s: tune check on the tuned file: %q\n%s", name, bad, tuned.Bytes())
			return nil
		}
		if what := refreshes(c, c.Doc, tuned); may && what != "" {
			t.Errorf("%s: %s\n%s", name, what, c.Doc.Bytes())
			return nil
		}
		if !bytes.Equal(at[report.FileRollback], c.Doc.Bytes()) {
			t.Errorf("%s: the rollback differs from the current configuration", name)
		}
		if k < atStart && params != nil && params[0] == "*" {
			j.header(t, s, fmt.Sprintf("%s at start, point %s", of, p.name), confOf(tuned, s))
		}
		if bytes.Equal(at[study.FileConfig], c.Doc.Bytes()) {
			continue
		}
		docs = append(docs, tuned)
		steps = append(steps, j.refresh(t, s, c, name, c.Doc, tuned, at[report.FileMutation]),
			j.refresh(t, s, c, name, tuned, c.Doc, at[report.FileUnmutate]))
	}
	// From one tuned file to the next, as a timetable does.
	if n := min(len(docs), atStart); n > 1 && may {
		chain := append(append([]*yarnconf.Document{c.Doc}, docs[:n]...), c.Doc)
		for i := range chain[1:] {
			if what := refreshes(c, chain[i], chain[i+1]); what != "" {
				t.Errorf("%s: between two tuned files %s\n%s", of, what, c.Doc.Bytes())
				return nil
			}
			m, err := yarnconf.NewMutation(chain[i], chain[i+1])
			if err != nil {
				t.Errorf("%s: between two tuned files: %v", of, err)
				return nil
			}
			body, err := m.JSON()
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, j.refresh(t, s, c, of+" between tuned files", chain[i], chain[i+1], body))
		}
	}
	return steps
}

// refresh is a step from one file to another by a request, which must be the difference
// of the two.
func (j *trial) refresh(t *testing.T, s *replay.Scenario, c *scenario.Case, of string, from, to *yarnconf.Document,
	body []byte) step {
	t.Helper()
	var m yarnconf.Mutation
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	st := step{Do: "refresh", Conf: map[string]string{}, Request: body, Back: to == c.Doc}
	for _, ch := range m.Changes() {
		if ch.Unset {
			st.Unset = append(st.Unset, ch.Key)
		} else {
			st.Conf[ch.Key] = ch.Value
		}
	}
	if got := changed(confOf(from, s), st.Conf, st.Unset); !maps.Equal(got, confOf(to, s)) {
		t.Errorf("%s: the request does not turn one file into the other:\n%s", of, body)
	}
	return st
}

// header begins a scenario with a configuration on the nodes of another.
func (j *trial) header(t *testing.T, s *replay.Scenario, name string, conf map[string]string) {
	t.Helper()
	var head map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s.Head), &head); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	props, err := json.Marshal(conf)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&j.out, `{"scenario":%s`, text)
	for _, k := range []string{"needs", "labels", "nodes"} {
		if v, ok := head[k]; ok {
			fmt.Fprintf(&j.out, `,%q:%s`, k, v)
		}
	}
	fmt.Fprintf(&j.out, `,"conf":%s}`+"\n", props)
}

// ask has the original answer all scenarios and compares.
func (j *trial) ask(t *testing.T) {
	t.Helper()
	starts, refreshes, bad := 0, 0, 0
	fail := func(format string, args ...any) {
		if bad++; bad <= 40 {
			t.Errorf(format, args...)
		}
	}
	compare := func(s *replay.Scenario) error {
		s.Hadoop = j.version
		starts++
		if s.Rejected != nil {
			fail("%s: Hadoop refuses it: %s\n%s", s.Scenario, *s.Rejected, s.Head)
			return nil
		}
		for i, st := range s.Steps {
			refreshes++
			if st.Out.Rejected != nil {
				fail("%s, refresh %d: Hadoop refuses it: %s\n%.1500s\npresent: %s", s.Scenario, i+1, *st.Out.Rejected, s.Raw[i],
					s.Head)
				return nil
			}
			if what := readAlike(s.Raw[i]); what != "" {
				fail("%s, refresh %d: %s\n%.1500s", s.Scenario, i+1, what, s.Raw[i])
			}
			if strings.Contains(s.Raw[i], `"back":true`) {
				if what := sameShape(s.Steps[0].Out.Shape, st.Out.Shape); what != "" {
					fail("%s, refresh %d: rollback to the current configuration: %s\n%.1500s", s.Scenario, i+1, what, s.Raw[i-1])
					return nil
				}
			}
		}
		if d, _ := replay.Play(s); d != nil {
			fail("%.3000s", d.String())
		}
		return nil
	}
	for i, part := range append(j.parts, j.out.Bytes()) {
		asked, told := filepath.Join(j.dir, fmt.Sprintf("asked-%d.jsonl", i)),
			filepath.Join(j.dir, fmt.Sprintf("told-%d.jsonl", i))
		if err := os.WriteFile(asked, part, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(told, j.call(t, "replay", asked), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := replay.ReadFile(told, compare); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("Hadoop %s: %d present files (%d that our rules refuse, %d without anything to move, %d that no refresh "+
		"takes), %d tuned ones, %d starts, %d refreshes, %d differences",
		j.version, j.presents, j.refused, j.still, j.unrefreshed, j.points, starts, refreshes, bad)
}

const (
	atStart   = 3       // points of a file that the original is started with
	partBytes = 1 << 20 // of scenarios, before the next process
	mostEnds  = 8       // coordinates of which the ends are tried
)

// point is settings with a name.
type point struct {
	name string
	set  tune.Settings
}

// points are random places of a space, its two far ends and corners, and for each coordinate
// its ends with all others as they are.
func points(s *study.Space, seed rng.Key) []point {
	fill := func(f func(i int) float64) tune.Settings {
		p := make(tune.Point, s.Dim())
		for i := range p {
			p[i] = f(i)
		}
		return s.Decode(p)
	}
	out := []point{
		{"all-0", fill(func(int) float64 { return 0 })},
		{"all-1", fill(func(int) float64 { return 1 })},
	}
	for k := range 2 {
		out = append(out,
			point{fmt.Sprintf("random-%d", k), fill(func(i int) float64 { return seed.At(1).At(uint64(k)).Float64(uint64(i)) })},
			point{fmt.Sprintf("corner-%d", k), fill(func(i int) float64 {
				return math.Floor(2 * seed.At(2).At(uint64(k)).Float64(uint64(i)))
			})})
	}
	for i := range s.Dim() {
		if seed.At(3).Float64(uint64(i))*float64(s.Dim()) >= mostEnds {
			continue
		}
		for end := range 2 {
			p := s.Present()
			p[i] = float64(end)
			out = append(out, point{fmt.Sprintf("%d=%d", i, end), s.Decode(p)})
		}
	}
	return out
}
