// Package accept holds the files that a study writes against Hadoop's own Capacity
// Scheduler.
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
	"strconv"
	"strings"
	"testing"

	"schedtune/internal/report"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/tune"
	"schedtune/validation/conformance/replay"
	"schedtune/yarnconf"
)

// TestAccepted: random files that the original loads are present files; random and
// extreme settings of the space that a study of each searches with --params '*' become a
// tuned file, the request of the scheduler-conf API and the rollback, written as --out
// writes them. The original must load the tuned file at its start and in a refresh of the
// present one, must read the request as the change that the files make, must come back to
// the present figures with the rollback, and must report the capacities, maxima, limits
// and states that the evaluation here has.
//
// Needs SCHEDTUNE_RM or SCHEDTUNE_LONG, a JDK 17 and Maven. ACCEPT_FILES is how many files of
// each kind and version (10), ACCEPT_SEED the first seed, ACCEPT_KINDS and ACCEPT_HADOOP what
// and by which versions, ACCEPT_KEEP a folder for the scenarios.
func TestAccepted(t *testing.T) {
	judge := judgeOf(t)
	files, seed := 10, 7_310_000
	number(t, "ACCEPT_FILES", &files)
	number(t, "ACCEPT_SEED", &seed)
	for _, version := range words("ACCEPT_HADOOP", "3.4.1 3.5.0 3.3.6") {
		t.Run(version, func(t *testing.T) {
			n, kinds := files, words("ACCEPT_KINDS", "conf conf-forms vectors first-use partitions modes combined")
			if version == "3.3.6" { // which has neither vectors nor the placement rules of 3.4
				n, kinds = (files+3)/4, words("ACCEPT_KINDS", "conf partitions modes combined")
			}
			t.Logf("%d files of each kind, seeds from %d", n, seed)
			j := &trial{judge: judge, version: version, dir: folder(t, version)}
			for _, kind := range kinds {
				j.draw(t, kind, seed, n)
			}
			j.ask(t)
		})
	}
}

// TestRecordedFiles: what TestAccepted asks of the files themselves, of configurations
// that recordings hold: no point of a space is a file that our rules refuse, that a refresh
// would refuse, that tune check finds an error in, or that request and rollback do not fit.
// A thirtieth of them, with SCHEDTUNE_LONG all; ACCEPT_MORE names further recordings.
func TestRecordedFiles(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.jsonl.gz")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d recordings, error %v", len(paths), err)
	}
	every := 30
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		every = 1
	}
	j, n := &trial{}, 0
	for _, path := range append(paths, words("ACCEPT_MORE", "")...) {
		err := replay.ReadFile(path, func(s *replay.Scenario) error {
			if s.Rejected != nil || s.Of == "fair" {
				return nil
			}
			if n++; n%every == 0 {
				j.present(t, s)
				j.out.Reset()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d present files (%d that our rules refuse, %d without anything to move, %d that no refresh takes), %d "+
		"tuned ones", j.presents, j.refused, j.still, j.unrefreshed, j.points)
	if j.points < 1000 {
		t.Error("too few files were tuned for this to say anything")
	}
}

func number(t *testing.T, name string, n *int) {
	t.Helper()
	if text := os.Getenv(name); text != "" {
		v, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s=%q: allowed: a number", name, text)
		}
		*n = v
	}
}

func words(name, otherwise string) []string {
	if v := os.Getenv(name); v != "" {
		otherwise = v
	}
	return strings.Fields(otherwise)
}

func folder(t *testing.T, version string) string {
	t.Helper()
	keep := os.Getenv("ACCEPT_KEEP")
	if keep == "" {
		return t.TempDir()
	}
	dir := filepath.Join(keep, version)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// judgeOf is the recorder's command, where it can run.
func judgeOf(t *testing.T) string {
	t.Helper()
	if os.Getenv("SCHEDTUNE_RM") == "" && os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("set SCHEDTUNE_RM=1 to have Hadoop's own scheduler load tuned files (JDK 17 and Maven needed)")
	}
	for _, tool := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	path, err := filepath.Abs(filepath.Join("..", "judge", "run"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

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
		if j.still++; !strings.Contains(err.Error(), "nothing can move") && !strings.Contains(err.Error(),
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
	m, err := yarnconf.ParseMutation(body)
	if err != nil {
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

// readAlike compares the changes that the original reads in a request with those that
// stand beside it; "" if they are the same or it was not read.
func readAlike(raw string) string {
	var st struct {
		Conf  map[string]string
		Unset []string
		Out   struct{ Changes map[string]*string }
	}
	if err := json.Unmarshal([]byte(raw), &st); err != nil {
		return err.Error()
	}
	if st.Out.Changes == nil {
		return ""
	}
	got, want := map[string]string{}, maps.Clone(st.Conf)
	for k, v := range st.Out.Changes {
		if got[k] = "(unset)"; v != nil {
			got[k] = *v
		}
	}
	for _, k := range st.Unset {
		want[k] = "(unset)"
	}
	if !maps.Equal(got, want) {
		return fmt.Sprintf("the request is read as %v", got)
	}
	return ""
}

func sameShape(want, got map[string]replay.Shape) string {
	for _, q := range slices.Sorted(maps.Keys(want)) {
		a, err := json.Marshal(want[q])
		if err != nil {
			return err.Error()
		}
		b, err := json.Marshal(got[q])
		if err != nil {
			return err.Error()
		}
		if !bytes.Equal(a, b) {
			return fmt.Sprintf("%s was\n  %s and is\n  %s", q, a, b)
		}
	}
	return ""
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

// confOf are a document's properties with those that the scenario has outside of the
// queue file.
func confOf(d *yarnconf.Document, s *replay.Scenario) map[string]string {
	m := map[string]string{}
	for k, v := range s.Conf {
		if !strings.HasPrefix(k, yarnconf.Prefix) {
			m[k] = v
		}
	}
	for _, k := range d.Keys() {
		if v, _ := d.Get(k); strings.HasPrefix(k, yarnconf.Prefix) {
			m[k] = strings.TrimSpace(v)
		}
	}
	return m
}

func changed(conf, set map[string]string, unset []string) map[string]string {
	out := maps.Clone(conf)
	maps.Copy(out, set)
	for _, k := range unset {
		delete(out, k)
	}
	return out
}

// parsed reads a file as one of a case's cluster.
func parsed(t *testing.T, data []byte, c *scenario.Case, site *yarnconf.Document) *yarnconf.Document {
	t.Helper()
	d, err := yarnconf.Parse("capacity-scheduler.xml", data)
	if err != nil {
		t.Fatal(err)
	}
	return d.WithSite(site).ForHadoop(c.Doc.Hadoop())
}

// errorsOf are the errors that tune check finds.
func errorsOf(c *scenario.Case) []string {
	var out []string
	for _, p := range yarnconf.CheckOn(c.Doc, groupsOf(c.Cluster)).Problems {
		if p.Severity == yarnconf.Error {
			out = append(out, p.Error())
		}
	}
	return out
}

// groupsOf counts nodes by label.
func groupsOf(c *simcore.Cluster) []yarnconf.NodeGroup {
	groups := []yarnconf.NodeGroup{{}}
	for _, l := range c.Labels {
		groups = append(groups, yarnconf.NodeGroup{Label: l.Name, Shared: !l.Exclusive})
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		k := slices.IndexFunc(groups, func(g yarnconf.NodeGroup) bool { return g.Label == n.Label })
		groups[k].Nodes++
		groups[k].Total = groups[k].Total.Add(yarnconf.Resource{Memory: n.Capacity[simcore.Memory],
			VCores: n.Capacity[simcore.VCores]})
	}
	return groups
}

// caseOf is a study's case of a recorded header: its properties as files, its nodes, and
// a job for every queue and every label that the queue may use, and in queues that are
// made on first use.
func caseOf(t *testing.T, s *replay.Scenario) (*scenario.Case, *yarnconf.Document) {
	t.Helper()
	const async = yarnconf.Prefix + "schedule-asynchronously.enable" // the recorder's default
	if _, ok := s.Conf[async]; !ok {
		s.Conf[async] = "false"
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml", xmlOf(s.Conf, true))
	if err != nil {
		t.Fatal(err)
	}
	site, err := yarnconf.Parse("yarn-site.xml", xmlOf(s.Conf, false))
	if err != nil {
		t.Fatal(err)
	}
	v, err := yarnconf.ParseVersion(s.Hadoop)
	if err != nil {
		t.Fatal(err)
	}
	c := &scenario.Case{Doc: doc.WithSite(site).ForHadoop(v), Cluster: &simcore.Cluster{Racks: []string{"/r"}}}
	for _, n := range s.Nodes {
		c.Cluster.Nodes = append(c.Cluster.Nodes, simcore.Node{Name: n.ID, Capacity: simcore.Vec{n.Memory, n.VCores},
			Label: n.Label})
	}
	for _, l := range s.Labels {
		c.Cluster.Labels = append(c.Cluster.Labels, simcore.NodeLabel{Name: l.Name, Exclusive: l.Exclusive})
	}
	w := &simcore.Workload{Name: s.Scenario, Users: []string{"u1", "u2"}}
	w.Tasks.HostAt = []int32{0}
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil {
		t.Errorf("%s: Hadoop loads it, this project does not: %v", s.Scenario, err)
		return nil, nil
	}
	for i := range conf.Queues {
		q := &conf.Queues[i]
		path := q.Path
		if q.AutoCreate || q.AutoCreateOld {
			path += ".u1"
		} else if !q.Leaf {
			continue
		}
		w.Queues = append(w.Queues, path)
		labels := []string{""}
		for _, l := range s.Labels {
			if q.Accessible(l.Name) {
				labels = append(labels, l.Name)
			}
		}
		for k, l := range labels {
			j := simcore.Job{ID: fmt.Sprint(len(w.Jobs)), Queue: int32(len(w.Queues) - 1), User: int32(k % 2), Maps: 1,
				Reduces: 1, FirstTask: -1, Slowstart: -1}
			if l != "" {
				j.Labels = &simcore.JobLabels{App: l}
			}
			w.Jobs = append(w.Jobs, j)
		}
	}
	c.Props, c.Work = c.Doc, w
	return c, site
}

// xmlOf writes the properties of the queue file, or the others.
func xmlOf(conf map[string]string, queues bool) []byte {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for _, k := range slices.Sorted(maps.Keys(conf)) {
		if strings.HasPrefix(k, yarnconf.Prefix) == queues {
			fmt.Fprintf(&b, "  <property>\n    <name>%s</name>\n    <value>%s</value>\n  </property>\n", escaped(k),
				escaped(conf[k]))
		}
	}
	b.WriteString("</configuration>\n")
	return []byte(b.String())
}

func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
