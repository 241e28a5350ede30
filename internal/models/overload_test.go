package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"schedtune/classify"
	"schedtune/classify/batch"
	"schedtune/internal/fileio"
)

func sample(t testing.TB, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSample(&b, rows, 1); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readOverloadModel reads a model file.
func readOverloadModel(r io.Reader) (*OverloadModel, error) {
	m := &OverloadModel{}
	return m, fileio.ReadJSON(r, m)
}

func source(b []byte) []Source { return []Source{{Name: "log.csv", R: bytes.NewReader(b)}} }

// Three rows of one node: the decisions of rows 1 and 2 are judged by rows 2
// and 3, of which the first is overloaded (load1/cpus = 5/4) and the second is
// not; the decision of row 3 stays unresolved. Another node's rows do not
// matter for it.
func TestLabelComesWithTheNextRow(t *testing.T) {
	log := "node,load1,cpus,decision\nn1,1,4,1\nn2,9,4,0\nn1,5,4,1\nn1,2,4,1\nn2,9,4,0\n"
	r, err := FitOverload(source([]byte(log)), OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Decisions != 2 || r.Unresolved != 1 || r.Label != "load1/cpus > 1" {
		t.Errorf("%d decisions, %d unresolved, label %q; want 2, 1, load1/cpus > 1", r.Decisions, r.Unresolved, r.Label)
	}
	c := r.Learners[0].Confusion // untrained says good; after one bad outcome with load1 1 …
	if c[0][0]+c[0][1] != 1 || c[1][0]+c[1][1] != 1 {
		t.Errorf("confusion %v, want one bad and one good", c)
	}
	if c[0][1] != 1 {
		t.Errorf("confusion %v: the untrained learner must have said good", c)
	}
}

// The outcome column decides, one decision late; an unknown outcome is counted
// and not learned.
func TestOutcomeColumn(t *testing.T) {
	log := "x,outcome\n1,good\n2,bad\n3,\n4,good\n"
	r, err := FitOverload(source([]byte(log)), OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Decisions != 3 || r.Unlabelled != 1 || r.Label != "outcome" || r.Model.Classifier.Seen() != 3 {
		t.Errorf("%d decisions, %d unlabelled, label %q, seen %v", r.Decisions, r.Unlabelled, r.Label,
			r.Model.Classifier.Seen())
	}
}

// Two halves with a saved model between them must give the same model file as
// one pass, byte for byte in everything learned, for every learner; the
// decisions that waited for their node's next row are carried over.
func TestContinuedEqualsOnePass(t *testing.T) {
	log := sample(t, 3000)
	cut := bytes.LastIndexByte(log[:len(log)/2], '\n') + 1
	header := log[:bytes.IndexByte(log, '\n')+1]
	for _, learner := range Learners() {
		var features []string
		if strings.HasSuffix(learner, "perceptron") { // which learns anew what is kept where a range grows
			features = []string{"job_cpu", "job_disk", "cpus", "cpu", "disk"}
		}
		whole, err := FitOverload(source(log), OverloadOptions{Learner: learner, Features: features})
		if err != nil {
			t.Fatal(err)
		}
		first, err := FitOverload(source(log[:cut]), OverloadOptions{Learner: learner, Features: features})
		if err != nil {
			t.Fatal(err)
		}
		if first.Unresolved == 0 {
			t.Fatal("the cut must leave decisions waiting, or the test shows nothing")
		}
		var file bytes.Buffer
		if err := first.Model.Write(&file); err != nil {
			t.Fatal(err)
		}
		model, err := readOverloadModel(&file)
		if err != nil {
			t.Fatal(err)
		}
		second, err := FitOverload(source(append(bytes.Clone(header), log[cut:]...)), OverloadOptions{Continue: model})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := learned(t, whole.Model), learned(t, second.Model); a != b {
			t.Errorf("%s: continued differs from one pass:\n%s\n%s", learner, b, a)
		}
		if first.Decisions+second.Decisions != whole.Decisions {
			t.Errorf("%s: %d + %d decisions, want %d", learner, first.Decisions, second.Decisions, whole.Decisions)
		}
	}
}

// learned is the part of a model file that was learned.
func learned(t *testing.T, m *OverloadModel) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	var c OverloadModel
	if err := json.Unmarshal(b.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	for i := range c.Features {
		c.Features[i].Permuted = 0 // on the log's own hold-out
	}
	if strings.HasSuffix(c.Learner, "perceptron") { // whether the average is saved is up to the hold-out
		c.Classify = json.RawMessage(strings.ReplaceAll(string(c.Classify), `"averaged": true`, `"averaged": false`))
		c.Learner = "perceptron"
		for i := range c.Features {
			c.Features[i].Influence = 0
		}
		for i := range c.Waiting {
			c.Waiting[i].Odds, c.Waiting[i].Guess = 0, 0
		}
	}
	out, err := json.Marshal([]any{c.Label, c.Learner, c.Features, c.Modes, c.Waiting, c.Classify})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Several logs in a row are one log.
func TestSeveralLogs(t *testing.T) {
	log := sample(t, 4000)
	cut := bytes.LastIndexByte(log[:len(log)/2], '\n') + 1
	header := log[:bytes.IndexByte(log, '\n')+1]
	whole, err := FitOverload(source(log), OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := FitOverload([]Source{{"a", bytes.NewReader(log[:cut])},
		{"b", bytes.NewReader(append(bytes.Clone(header), log[cut:]...))}}, OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if learned(t, whole.Model) != learned(t, parts.Model) {
		t.Error("two logs in a row must teach the same as one")
	}
	if _, err := FitOverload([]Source{{"a", bytes.NewReader(log)}, {"b", strings.NewReader("other,columns\n1,2\n")}},
		OverloadOptions{}); err == nil || !strings.Contains(err.Error(), "b:1: columns") {
		t.Errorf("logs with other columns: %v", err)
	}
}

// Twelve unreadable rows: all counted, ten kept with their line numbers.
func TestBadRowsAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("node,load1,cpus\n")
	for i := range 40 {
		if i%3 == 2 && i < 36 {
			fmt.Fprintf(&b, "n1,high,4\n")
		} else {
			fmt.Fprintf(&b, "n1,%d,4\n", i%8)
		}
	}
	r, err := FitOverload(source([]byte(b.String())), OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Intake.Rows != 40 || r.Intake.BadRows != 12 || len(r.Intake.Faults) != 10 {
		t.Errorf("%d rows, %d bad, %d described; want 40, 12, 10", r.Intake.Rows, r.Intake.BadRows, len(r.Intake.Faults))
	}
	if want := `log.csv:4: field 2: "high" where a number is expected`; r.Intake.Faults[0] != want {
		t.Errorf("first fault %q, want %q", r.Intake.Faults[0], want)
	}
}

// On the sample every learner beats the base rate once it has learned, and the
// load decides most.
func TestLearnersBeatTheBaseRate(t *testing.T) {
	r, err := FitOverload(source(sample(t, 12000)), OverloadOptions{Compare: golearn})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Learners {
		last := l.Curve[len(l.Curve)-2] // the last full window
		if l.Name != "golearn bernoulli-nb" && last.Accuracy < last.BaseRate+0.05 {
			t.Errorf("%s: %v at the end, base rate %v", l.Name, last.Accuracy, last.BaseRate)
		}
	}
	if len(r.Learners) != 8 {
		t.Errorf("%d learners, want the four, the two baselines and golearn's two", len(r.Learners))
	}
	top := r.Features[0]
	for _, f := range r.Features {
		if f.Influence > top.Influence {
			top = f
		}
	}
	if top.Name != "load1" {
		t.Errorf("most influence has %s, want load1", top.Name)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "naive-bayes") {
		t.Errorf("print: %v", err)
	}
	if !bytes.Contains(r.Chart(), []byte("<svg")) {
		t.Error("no chart")
	}
}

// Ratios such as x/0 are infinite: they count as unknown, for every learner.
func TestInfiniteFeatures(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,outcome\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d,%d,%s\n", i, i%2, []string{"bad", "good"}[i%2])
	}
	r, err := FitOverload(source([]byte(b.String())), OverloadOptions{Features: []string{"x/y", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	// Judged as they are learned: of four rows one is 1 and good, one 10 and bad,
	// two are infinite and good. Unknown, they are good as most rows are; taken
	// for the largest level they would be bad.
	b.Reset()
	b.WriteString("x,y,outcome\n" + strings.Repeat("1,1,good\n10,1,bad\n1,0,good\n1,0,good\n", 100))
	only, err := FitOverload(source([]byte(b.String())), OverloadOptions{Features: []string{"x/y"}})
	if err != nil {
		t.Fatal(err)
	}
	if a := only.Learners[0].Accuracy; a < 0.9 {
		t.Errorf("accuracy %v: infinities were judged as the largest value", a)
	}
	if r.Decisions != 30 || math.IsNaN(float64(r.Learners[1].Accuracy)) {
		t.Errorf("%d decisions: %+v", r.Decisions, r.Learners[1])
	}
}

// One absurd value late in a log does not keep the model from being saved.
func TestHugeFeature(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,outcome\n")
	for i := range 700 {
		x := fmt.Sprint(i % 7)
		if i == 650 {
			x = "1e200"
		}
		fmt.Fprintf(&b, "%s,%d,%s\n", x, i%5, []string{"bad", "good"}[i%2])
	}
	for _, l := range Learners() {
		r, err := FitOverload(source([]byte(b.String())), OverloadOptions{Learner: l})
		if err != nil {
			t.Fatal(l, err)
		}
		if err := r.Model.Write(io.Discard); err != nil {
			t.Errorf("%s: %v", l, err)
		}
	}
}

func TestModelErrors(t *testing.T) {
	r, err := FitOverload(source(sample(t, 2000)), OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var good bytes.Buffer
	r.Model.Write(&good)
	for name, spoil := range map[string]func(string) string{
		"schema": func(s string) string { return strings.Replace(s, "fit-overload-model/v1", "x", 1) },
		"learner": func(s string) string {
			return strings.Replace(s, `"learner": "naive-bayes"`, `"learner": "gaussian"`, 1)
		},
		"range":         func(s string) string { return strings.Replace(s, `"high": 10`, `"high": 0`, 1) },
		"no modes":      func(s string) string { return strings.Replace(s, "    null", "    []", 1) },
		"levels":        func(s string) string { return strings.Replace(s, `"levels": 10`, `"levels": 12`, 1) },
		"other feature": func(s string) string { return strings.Replace(s, `"name": "cpus"`, `"name": "memory"`, 1) },
		"empty":         func(string) string { return "\n" },
		"more":          func(s string) string { return s + s },
		"no JSON":       func(s string) string { return s[:len(s)/2] },
		"guess":         func(s string) string { return strings.Replace(s, `"guess": `, `"guess": 7`, 1) },
	} {
		if _, err := readOverloadModel(strings.NewReader(spoil(good.String()))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// golearn judges that library's learners.
func golearn(schema classify.Schema, x [][]float64, y []int, window, delay int) []LearnerScore {
	var out []LearnerScore
	for _, name := range batch.Learners() {
		b, err := batch.Evaluate(name, schema, x, y, batch.Options{Window: window, Delay: delay})
		if err != nil {
			continue // only an empty log, which has been refused
		}
		out = append(out, Score("golearn "+name, b.Confusion, b.Curve, ""))
	}
	return out
}
