package tune

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// batch is what a study asked for at once.
type batch struct {
	phase     string
	trials    []int
	windows   map[int]bool
	instances int
	runs      int
}

// batches runs a study and writes down what it asked for.
func batches(t *testing.T, p Problem, o Options) ([]batch, *Study) {
	t.Helper()
	st, err := NewStudy(p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	var out []batch
	for {
		items, err := st.Ask()
		if err != nil {
			t.Fatal(err)
		}
		if items == nil {
			return out, st
		}
		b := batch{phase: st.d.phase, windows: map[int]bool{}, runs: len(items)}
		seeds := map[uint64]bool{}
		for _, it := range items {
			if !slices.Contains(b.trials, it.Trial) {
				b.trials = append(b.trials, it.Trial)
			}
			seeds[it.Seed], b.windows[it.Window] = true, true
			if err := st.Tell(guarded(t.Context(), p.Evaluator.(*pool).run, it)); err != nil {
				t.Fatal(err)
			}
		}
		b.instances = len(seeds)
		out = append(out, b)
	}
}

// The first design has eight configurations on one instance of full fidelity, and on
// each level as many as cost a quarter of such a run: four of a sixteenth, two of an
// eighth where the cheaper level does not rank as the whole does. The finals have eight
// contenders at most and the present one on two instances, then five of them on two more and
// three of those on four more; the confirmation 4 and then 12.
func TestDesignAndFinals(t *testing.T) {
	for name, cheap := range map[string]func(float64) float64{"as the whole": same, "the other way round": reverse} {
		out, st := batches(t, levelled(cheap), Options{Seed: 4, Budget: 500})
		design := []int{8, 32}
		if name != "as the whole" {
			design = append(design, 16)
		}
		var got, finals, confirmed []int
		var fields [][]int
		for _, b := range out {
			switch b.phase {
			case "design":
				if got = append(got, b.runs); len(b.trials) != 8 {
					t.Errorf("%s: design of %d configurations", name, len(b.trials))
				}
			case "finals":
				finals, fields = append(finals, b.instances), append(fields, b.trials)
			case "confirm":
				if confirmed = append(confirmed, b.instances); len(b.trials) != 2 {
					t.Errorf("%s: confirmation of %d", name, len(b.trials))
				}
			}
		}
		if !slices.Equal(got, design) {
			t.Errorf("%s: design in batches of %v runs, want %v", name, got, design)
		}
		if !slices.Equal(confirmed, []int{4, 12}) {
			t.Errorf("%s: confirmations on %v instances, want 4 and 12", name, confirmed)
		}
		if !slices.Equal(finals, []int{2, 2, 4}) || len(fields[0]) < 6 || len(fields[0]) > 9 || len(fields[1]) != 6 || len(fields[2]) != 4 || fields[2][0] != 0 {
			t.Errorf("%s: finals of %v on %v new instances", name, fields, finals)
		}
		for k, field := range fields[1:] {
			for _, id := range field {
				if !slices.Contains(fields[k], id) {
					t.Errorf("%s: contender %d came late", name, id)
				}
			}
		}
		// The winner is one of the last, and none of these has a better merit by more than a
		// standard error and lies nearer to the present configuration.
		d := st.d
		var field []*trial
		for _, tr := range d.levels.contenders[:3] {
			if !slices.Contains(fields[2], tr.id) {
				t.Errorf("%s: %d among the last, want one of %v", name, tr.id, fields[2])
			}
			field = append(field, tr)
		}
		if want := d.nearest(field, d.common(8)); d.full != want {
			t.Errorf("%s: the ablation began at %d, the finals were won by %d", name, d.full.id, want.id)
		}
	}
}

// The contenders of the finals by hand: the best, points at two thirds and one third of
// the way to it, the best of the first design, the boldest, the settings of the first stage
// and those that stayed longest in the halving, each once, eight at most and none that
// falls short.
func TestFinalField(t *testing.T) {
	build := func() (*driver, []*trial) {
		var rows [][]float64
		for range 7 {
			rows = append(rows, []float64{1})
		}
		d, ts, _ := byHand(t, Problem{Space: cube(t, 2)}, rows...)
		d.levels.on = true
		return d, ts
	}
	d, ts := build()
	far, err := d.pointTrial(Point{0.8, 0.5}, "far")
	if err != nil {
		t.Fatal(err)
	}
	d.best = far
	way, err := d.wayPoints(far)
	if err != nil || len(way) != 2 {
		t.Fatalf("%v, %v", way, err)
	}
	for i, part := range []float64{2.0 / 3, 1.0 / 3} {
		for k, to := range []float64{0.8, 0.5} {
			if got, want := value(Item{Settings: way[i].settings}, fmt.Sprint("x", k)), 0.2+part*(to-0.2); math.Abs(got-want) > 1e-4 {
				t.Errorf("point %d of the way: %v, want %v", i, got, want)
			}
		}
	}
	d.levels.design, d.mild, d.found, d.levels.ranked = ts[1:2], ts[2], ts[3], ts[4:7]
	field, err := d.finalField()
	if want := []*trial{far, way[0], way[1], ts[1], ts[3], ts[2], ts[4], ts[5]}; err != nil || !slices.Equal(field, want) {
		t.Errorf("%v: field %v, want %v", err, names(field), names(want))
	}
	d.levels.design, d.mild = nil, d.present
	way[0].short = 1
	field, _ = d.finalField()
	if want := []*trial{far, way[1], ts[3], ts[4], ts[5], ts[6]}; !slices.Equal(field, want) {
		t.Errorf("field %v, want %v", names(field), names(want))
	}
	// Where the levels' limits allowed nothing, the way goes to what they ruled out.
	d, ts = build()
	d.best, d.found = d.present, ts[6]
	field, _ = d.finalField()
	if len(field) != 3 || field[2] != ts[6] || field[0].origin != "retreat" {
		t.Errorf("field %v", names(field))
	}
	if w, err := d.wayPoints(d.present); w != nil || err != nil {
		t.Error("a way to the present configuration")
	}
	// The boldest has the best objective of those that lose nothing, whatever limits say.
	d, ts, ins := byHand(t, Problem{Constraints: []Constraint{{Metric: "cost", Op: ">=", Limit: 5}}}, []float64{1, 1}, []float64{6, 6}, []float64{3, 3}, []float64{2, math.NaN()}, []float64{4, 4})
	if b := d.boldest(ts, ins); b != ts[2] {
		t.Errorf("the boldest is %s, want t2", b.origin)
	}
	o := ts[2].runs[ins[0]]
	o.Lost = []int32{1}
	ts[2].runs[ins[0]] = o
	if b := d.boldest(ts, ins); b != ts[4] {
		t.Errorf("the boldest that loses nothing is %s, want t4", b.origin)
	}
	if d.boldest(ts[:1], ins) != nil {
		t.Error("the present configuration is bold")
	}
}

// A confirmation after a search on levels takes one instance per 60 runs, 16 to 200, of
// two configurations and with limits of a third; the history again a quarter as many, 6
// to 24. Its part of the budget and the finals' and the check's 49 runs are 40 % at most.
func TestFewConfirmations(t *testing.T) {
	for _, c := range []struct {
		budget, limits, again int
		few, planned, most    float64
	}{{300, 0, 0, 16, 32, 32}, {1200, 0, 0, 20, 40, 40}, {1200, 1, 0, 20, 40, 60}, {1200, 1, 2, 20, 50, 70}, {6000, 0, 1, 100, 248, 248}, {100000, 0, 0, 200, 400, 400}} {
		d := &driver{budget: c.budget, p: Problem{Constraints: make([]Constraint, c.limits), Again: make([]int, c.again)}, levels: levelState{on: true}}
		if f, p, m := float64(d.fewConfirm()), d.plannedConfirm(), d.fewConfirmRuns(); f != c.few || p != c.planned || m != c.most {
			t.Errorf("%+v: %v, %v and %v", c, f, p, m)
		}
		if got, want := d.confirmPart(), math.Min(0.4, (c.most+49)/float64(c.budget)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v: part %v, want %v", c, got, want)
		}
	}
}

// What is left to do by level, by hand, for a study of 1000 runs on two levels.
func TestLeftByLevel(t *testing.T) {
	d, err := newDriver(levelled(same).withDefaults(), Options{Seed: 1, Budget: 1000}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	// Halving and ablation follow on the level of the search.
	confirm := 32.0
	search := 1000 * (1 - d.reserve())
	for phase, want := range map[string][]float64{
		"design":   {search + 240, 0, 49 + confirm + 8},
		"halving":  {240, 0, 49 + confirm},
		"finals":   {120, 0, 49 + confirm},
		"ablation": {120, 0, 4 + confirm},
		"check":    {0, 0, 4 + confirm},
		"confirm":  {0, 0, confirm},
	} {
		d.phase = phase
		got := d.left()
		for l := range want {
			if math.Abs(got[l]-want[l]) > 1 {
				t.Errorf("%s: %v runs left, want %v", phase, got, want)
				break
			}
		}
	}
	d.phase, d.pace.phase[1], d.pace.done[0], d.pace.live[0], d.pace.time[0] = "halving", 100, 300, 300, 600e9
	if got := d.left(); math.Abs(got[0]-140) > 1 {
		t.Errorf("after 100 runs of the halving %v left, want 140", got[0])
	}
	// 2 s a run at a sixteenth: 4 s at an eighth, 32 s on the whole.
	if each := d.runTimes(); math.Abs(each[0]-2) > 1e-9 || math.Abs(each[1]-4) > 1e-9 || math.Abs(each[2]-32) > 1e-9 {
		t.Errorf("times of runs %v, want 2, 4 and 32 s", each)
	}
	part, rest := d.workLeft()
	if todo := 140*2 + 81*32.0; math.Abs(rest.Seconds()-todo) > 3 || math.Abs(part-600/(600+todo)) > 0.01 {
		t.Errorf("%v of the work is done and %v left, want %v and %v s", part, rest, 600/(600+todo), todo)
	}
}

// Beyond the limits: of those that break one, lose nothing and are better than the
// present configuration, the two that gained most in the runs of the search.
func TestBeyondTheLimits(t *testing.T) {
	limit := []Constraint{{Metric: "cost", Op: ">=", Limit: 4.5}}
	d, ts, ins := byHand(t, Problem{Constraints: limit}, []float64{5, 5}, []float64{3, 3}, []float64{4, 4}, []float64{2, 2}, []float64{4.8, 4.8}, []float64{6, 6}, []float64{1, 1})
	ts[6].short = 1
	if got := d.beyond(2); !slices.Equal(got, []*trial{ts[3], ts[1]}) {
		t.Errorf("%v, want t3 and t1", names(got))
	}
	d.best = ts[3]
	if got := d.beyond(5); !slices.Equal(got, []*trial{ts[1], ts[2]}) {
		t.Errorf("%v, want t1 and t2: the recommended one is not among them", names(got))
	}
	d.best = ts[4]
	d.yield = func([]request) bool { t.Error("measured again"); return false }
	if err := d.lookBeyond(ins); err != nil || d.lifted == nil {
		t.Fatalf("%v, %+v", err, d.lifted)
	}
	if l := d.lifted; !l.Settings.Equal(ts[3].settings) || math.Abs(l.Gain.Mean-0.6) > 1e-12 || math.Abs(l.With.Mean-0.04) > 1e-12 || len(l.Broken) != 1 {
		t.Errorf("%+v", l)
	}
	o := ts[3].runs[ins[0]]
	o.Lost = []int32{3}
	ts[3].runs[ins[0]] = o
	d.lifted = nil
	if err := d.lookBeyond(ins); err != nil || d.lifted == nil || !d.lifted.Settings.Equal(ts[1].settings) {
		t.Errorf("%v, %+v: want t1, which loses nothing", err, d.lifted)
	}
}

// The nearest to the ideal point of a front whose first is the nearest; scales count.
func TestKneeOfTwo(t *testing.T) {
	for _, c := range []struct {
		front [][]float64
		want  int
	}{{[][]float64{{0, 100}}, 0}, {[][]float64{{1, 100}, {0, 100}}, 1}, {[][]float64{{0, 100}, {1, 0}}, 0}, {[][]float64{{0, 1000}, {0.3, 200}, {1, 0}}, 1}, {[][]float64{{0, 1000}, {0.9, 0.5}, {1, 0}}, 1}, {[][]float64{{0, 300}, {0.9, 290}, {0.95, 20}, {1, 0}}, 2}} {
		if got := byIdeal(c.front)[0]; got != c.want {
			t.Errorf("%v: %d, want %d", c.front, got, c.want)
		}
	}
}

// The largest step that divides what is to be handed out and is no larger than asked.
func TestFitStep(t *testing.T) {
	for _, c := range [][3]float64{{100, 1, 1}, {100, 0.3, 0.25}, {33.3, 1, 0.1}, {99.5, 1, 0.5}, {100, 7, 1}, {98, 7, 7}, {0.123, 1, 0.001}, {33.25, 2, 0.25}, {10.05, 0.1, 0.05}, {0.03, 1, 0.01}} {
		if got := fitStep(c[0], c[1]); got != c[2] {
			t.Errorf("%v points by %v: step %v, want %v", c[0], c[1], got, c[2])
		}
	}
	share := func(name, present, suffix string, total float64) Param {
		return Param{Name: name, Kind: Share, Group: "g", Present: present, Suffix: suffix, Total: total}
	}
	for want, ps := range map[string][]Param{
		`q: total 10 and suffix "w"`:   {share("p", "6w", "w", 100), share("q", "4w", "w", 10)},
		`q: total 10 and suffix "x"`:   {share("p", "6w", "w", 10), share("q", "4x", "x", 10)},
		"sum 101; allowed: 100 within": {share("p", "60", "", 0), share("q", "41", "", 0)},
	} {
		if _, err := NewSpace(ps...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Settings are one JSON object in order, of texts and numbers; nothing else is taken.
func TestSettingsAsJSON(t *testing.T) {
	set := Settings{{"b", "1"}, {"a", `x "<&> \ ü` + "\n"}, {"", ""}}
	b, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	var again Settings
	if err := json.Unmarshal(b, &again); err != nil || !again.Equal(set) {
		t.Errorf("%v: %v became %v", err, set, again)
	}
	if err := json.Unmarshal([]byte(`{"a":1.50,"b":"x"}`), &again); err != nil || !again.Equal(Settings{{"a", "1.50"}, {"b", "x"}}) {
		t.Errorf("%v, %v", err, again)
	}
	for _, text := range []string{`[]`, `"x"`, `{"a":true}`, `{"a":null}`, `{"a":{}}`, `{"a":"1","a":"2"}`, `3`} {
		if err := json.Unmarshal([]byte(text), &again); err == nil {
			t.Errorf("%s was taken as %v", text, again)
		}
	}
	for _, pair := range [][2]Settings{{{{"a", "b"}}, {{"a", "c"}}}, {{{"a", "1"}, {"b", "2"}}, {{"a", "1"}}}, {{{"a=1", ""}}, {{"a", "1"}}}, {{{"x", "1;1:y=1:2"}}, {{"x", "1"}, {"y", "2"}}}} {
		if pair[0].Key() == pair[1].Key() || pair[0].Equal(pair[1]) {
			t.Errorf("%v and %v have one key", pair[0], pair[1])
		}
	}
}

// The bootstrap-t interval of a symmetric sample is symmetric within its resampling
// error and as wide as Student's within a fifth.
func TestBootstrapOfSymmetry(t *testing.T) {
	var x []float64
	for i := range 15 {
		x = append(x, 10+float64(i), 10-float64(i))
	}
	b, s := BootstrapInterval(x, 0.95, 3), MeanInterval(x, 0.95)
	up, down, half := b.High-b.Mean, b.Mean-b.Low, s.High-s.Mean
	if math.Abs(up-down) > 0.15*half || math.Abs(up+down-2*half) > 0.4*half || b.Mean != s.Mean || b.N != 30 {
		t.Errorf("%+v, Student's %+v", b, s)
	}
	if got, want := BootstrapInterval(x[:2], 0.95, 3), MeanInterval(x[:2], 0.95); got != want {
		t.Errorf("of two values %+v, want %+v", got, want)
	}
}
