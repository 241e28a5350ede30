package models

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"schedtune/classify/modelfile"
	"schedtune/internal/fileio"
)

// wave is a log of one node whose load follows a wave with noise.
func wave(rows int) []byte {
	r := rand.New(rand.NewPCG(5, 5))
	var b bytes.Buffer
	b.WriteString("time,node,cpu,mem\n")
	for i := range rows {
		cpu := 50 + 30*math.Sin(2*math.Pi*float64(i)/288) + 8*r.NormFloat64()
		fmt.Fprintf(&b, "%d,n,%.3f,%.3f\n", 300*i, cpu, 10*r.Float64())
	}
	return b.Bytes()
}

// The printed hold-out figures of a log are those of the model saved of its beginning, judging
// the rest.
func TestHoldOutIsTheSavedModel(t *testing.T) {
	log := wave(2000)
	lines := bytes.SplitAfter(log, []byte("\n"))
	for _, learner := range Learners() {
		whole, err := FitOverload(source(log), OverloadOptions{Label: "cpu > 70", Learner: learner})
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for i, l := range Learners() {
			if l == learner {
				at = i
			}
		}
		want := whole.Learners[at].Frozen
		begin := bytes.Join(lines[:want.FirstLine], nil) // its rows, and the first judged one waits
		first, err := FitOverload(source(begin), OverloadOptions{Label: "cpu > 70", Learner: learner})
		if err != nil {
			t.Fatal(err)
		}
		if first.Saved != learner {
			continue // the perceptron's average is better on the first part's own hold-out
		}
		var file bytes.Buffer
		if err := first.Model.Write(&file); err != nil {
			t.Fatal(err)
		}
		saved, err := readOverloadModel(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		rest := append(bytes.Clone(lines[0]), bytes.Join(lines[want.FirstLine:], nil)...)
		judged := 0
		got, err := FitOverload(source(rest), OverloadOptions{Continue: saved, Freeze: true, Judged: func(d Decision) {
			if d.Label >= 0 {
				judged++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		f := *got.Learners[0].Frozen
		f.FirstTime, f.FirstLine, f.Shuffled = want.FirstTime, want.FirstLine, want.Shuffled
		if a, b := fmt.Sprintf("%+v %+v %+v", f, f.Raw, f.Calibrated), fmt.Sprintf("%+v %+v %+v", *want, want.Raw,
			want.Calibrated); cutPointers(a) != cutPointers(b) {
			t.Errorf("%s: the saved model\n%s\nwant the hold-out's\n%s", learner, a, b)
		}
		if judged != want.Decisions || saved.Classifier.Seen() != first.Model.Classifier.Seen() {
			t.Errorf("%s: %d judged, %v learned; want %d, %v", learner, judged, saved.Classifier.Seen(), want.Decisions,
				first.Model.Classifier.Seen())
		}
		// One call opens the file and judges a row of names and values, alike.
		m := &modelfile.Model{}
		if err := fileio.ReadJSON(bytes.NewReader(file.Bytes()), m); err != nil {
			t.Fatal(err)
		}
		if j := m.Judge("n", map[string]float64{"cpu": 95, "mem": 5}); math.IsNaN(j.LogOdds) {
			t.Errorf("%s: %+v", learner, j)
		}
	}
}

// cutPointers removes addresses, which differ.
func cutPointers(s string) string {
	var out []string
	for _, w := range strings.Fields(s) {
		if !strings.Contains(w, "0x") {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// Shuffled passes make the averaged perceptron useful where the order of rows ruins it.
func TestPasses(t *testing.T) {
	r, err := FitOverload(source(wave(2000)), OverloadOptions{Label: "cpu > 70", Learner: "averaged-perceptron",
		Passes: 5})
	if err != nil {
		t.Fatal(err)
	}
	if b := r.Learners[3].Frozen.Balanced; b < 0.7 {
		t.Errorf("balanced accuracy on the hold-out: got %v, want at least 0.7", b)
	}
	if seen := r.Model.Classifier.Seen(); seen != float64(5*r.Decisions) {
		t.Errorf("learned %v decisions, want five times %d", seen, r.Decisions)
	}
}

// A cost of a miss moves the cut of learners with probabilities: more is called overloaded.
func TestCost(t *testing.T) {
	said := func(cost float64) float64 {
		r, err := FitOverload(source(wave(2000)), OverloadOptions{Label: "cpu > 70", Cost: cost})
		if err != nil {
			t.Fatal(err)
		}
		if cost > 0 && r.Worth.Measure != "cost per decision" {
			t.Errorf("measure %q", r.Worth.Measure)
		}
		c := r.Learners[0].Confusion
		return c[0][0] + c[1][0]
	}
	if few, many := said(0), said(50); !(many > few) {
		t.Errorf("said overloaded %v times without a cost and %v with 50, want more", few, many)
	}
}

// What a log's rows do to labels: a repeated row is left out, a row that cannot be read, a gap
// and a step back in time leave the decision before without a label.
func TestLabelsDoNotCross(t *testing.T) {
	for name, c := range map[string]struct {
		rows                           string
		opt                            OverloadOptions
		decisions, unlabelled, repeats int
	}{
		"plain":    {"0,a,1,x\n5,a,2,x\n10,a,3,y\n", OverloadOptions{}, 2, 0, 0},
		"repeated": {"0,a,1,x\n0,a,1,x\n5,a,2,x\n5,a,2,x\n10,a,3,y\n", OverloadOptions{}, 2, 0, 2},
		"unreadable of a node": {"0,a,1,x\n0,b,1,x\n5,a,high,x\n5,b,2,x\n10,a,3,y\n10,b,3,y\n15,a,1,x\n",
			OverloadOptions{}, 3, 1, 0},
		"unreadable altogether": {"0,a,1,x\n0,b,1,x\n5\n5,b,2,x\n10,a,3,y\n10,b,3,y\n15,a,1,x\n", OverloadOptions{}, 2, 2, 0},
		"gap":                   {"0,a,1,x\n5,a,2,x\n99,a,3,y\n104,a,2,x\n", OverloadOptions{MaxGap: 20}, 2, 1, 0},
		"back in time":          {"0,a,1,x\n5,a,2,x\n3,a,3,y\n9,a,2,x\n", OverloadOptions{}, 2, 1, 0},
		"unknown": {"0,a,1,x\n5,a,NA,x\n10,a,-,y\n15,a,null,x\n20,a,1,x\n25,a,2,y\n", OverloadOptions{},
			2, 3, 0},
	} {
		c.opt.Label, c.opt.Features = "load > 2", []string{"load"}
		r, err := FitOverload(source([]byte("time,node,load,role\n"+c.rows)), c.opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Decisions != c.decisions || r.Unlabelled != c.unlabelled || int(r.Intake.Repeats) != c.repeats {
			t.Errorf("%s: %d decisions, %d unlabelled, %d repeats; want %d, %d, %d", name, r.Decisions, r.Unlabelled,
				r.Intake.Repeats, c.decisions, c.unlabelled, c.repeats)
		}
	}
}

// A baseline that goes on with a model knows what the node was.
func TestContinuedBaseline(t *testing.T) {
	log := "node,load1,cpus\na,9,4\nb,9,4\na,9,4\nb,9,4\n"
	first, err := FitOverload(source([]byte(log)), OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := FitOverload(source([]byte(log)), OverloadOptions{Continue: first.Model})
	if err != nil {
		t.Fatal(err)
	}
	if l := second.Learners[1]; l.Name != sameAsLast || l.Accuracy != 1 {
		t.Errorf("%s: accuracy %v, want 1", l.Name, l.Accuracy)
	}
}

// Columns with names of others' logs are asked about, and texts left out, in a note.
func TestNotes(t *testing.T) {
	var b strings.Builder
	b.WriteString("machine_id,time_stamp,cpu,tasks,role\n")
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%d,%d,%d,web\n", i%6, 300*(i/6), r.IntN(100), r.IntN(6))
	}
	for _, c := range []struct {
		names Names
		want  []string
	}{
		{Names{}, []string{"left out, as they hold texts: role",
			"no column node: all rows are one node's; did you mean --node machine_id?",
			"no column time: the order of rows is not checked; did you mean --time time_stamp?"}},
		{Names{Node: "machine_id", Time: "time_stamp"}, []string{"left out, as they hold texts: role"}},
	} {
		f, err := FitOverload(source([]byte(b.String())), OverloadOptions{Label: "cpu > 50", Names: c.names})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(f.Intake.Notes); got != fmt.Sprint(c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// The verdict: outcomes by tosses of a coin, nine in ten good, teach nothing; outcomes that
// follow the row's load teach every learner, and those that no linear rule can tell are worth
// a learner of the paper. The probability has no floor.
func TestWorth(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, seed))
	fit := func(bad func(load float64) bool) *Worth {
		var b strings.Builder
		b.WriteString("node,load1,outcome\n")
		for range 3000 {
			load := r.Float64() * 10
			fmt.Fprintf(&b, "n%d,%g,%d\n", r.IntN(3), load, map[bool]int{false: 1}[bad(load)])
		}
		f, err := FitOverload(source([]byte(b.String())), OverloadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return f.Worth
	}
	if w := fit(func(float64) bool { return r.IntN(10) == 0 }); w.Learnable || w.WorthIt {
		t.Errorf("a coin: got %+v, want neither", w)
	}
	if w := fit(func(l float64) bool { return l > 7 }); !w.Learnable || w.Found.P > 1e-20 {
		t.Errorf("a threshold: got %+v, want learnable with a p below 1e-20", w)
	}
	w := fit(func(l float64) bool { return l > 3 && l < 7 })
	if !w.Learnable || !w.WorthIt || w.Best.Baseline != recent && w.Best.Baseline != always && w.Best.Value < 0.9 {
		t.Errorf("the middle: got %+v, want both", w)
	}
}
