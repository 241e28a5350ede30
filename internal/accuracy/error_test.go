package accuracy

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"schedtune/internal/calibrate"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// Recorded runs that differ in settings only are pairs: from the record of one and
// the settings of the other the simulator predicts the ratio of makespans and of
// mean completion times, and the records tell it. The run that the prediction is
// made from teaches the calibration; the other is unknown to it.
func TestErrorOfChanges(t *testing.T) {
	t.Parallel()
	p := loadPairs(t)
	for _, even := range []bool{true, false} {
		var s shares
		for _, d := range p.runs[even] {
			c, r := compared(t, d, filepath.Join(d, "capacity-scheduler.xml"), p.site)
			p.compare(t, &s, d, c, r)
		}
		s.judge(t, even, 0.85)
	}
}

// The rule holds where the simulator does not agree with the record, too, as long
// as it is within a factor of two: with the file of other queues for the present
// one, and with latencies of another kind of cluster.
func TestErrorOfChangesFarOff(t *testing.T) {
	t.Parallel()
	p := loadPairs(t)
	for _, even := range []bool{true, false} {
		var s shares
		for _, d := range p.runs[even] {
			for _, file := range []string{"run-01-A-ss005", "run-04-B-ss005", "run-05-A-ss005-am010"} {
				if strings.HasPrefix(file, presentScenario(d)) {
					continue
				}
				c, r := compared(t, d, filepath.Join(p.base, file, "capacity-scheduler.xml"), p.site)
				p.compare(t, &s, d, c, r)
			}
			own, _ := compared(t, d, filepath.Join(d, "capacity-scheduler.xml"), p.site)
			c := *own
			c.Calibration = yarn.Default()
			p.compare(t, &s, d, &c, Compare(t.Context(), &c, calibrate.Latencies{Source: "built-in"}, 1))
		}
		s.judge(t, even, 0.85)
	}
}

// pairs are the recorded runs that differ in settings only.
type pairs struct {
	base, site string
	runs       map[bool][]string               // by the number of their scenario being even
	recorded   map[string][]map[string]float64 // values by scenario
}

// slowstarts of the scenarios.
var slowstarts = map[string]float64{"run-01": 0.05, "run-02": 0.5, "run-03": 1, "run-04": 0.05, "run-05": 0.05,
	"run-06": 0.5, "run-07": 1}

var errorMetrics = []string{"makespan", "mean-completion"}

func loadPairs(t *testing.T) *pairs {
	t.Helper()
	p := &pairs{base: testdata.Shared(t, "traces", "minimr"), runs: map[bool][]string{},
		recorded: map[string][]map[string]float64{}}
	for _, even := range []bool{true, false} {
		var dirs []string
		dirs, p.site = recordedRuns(t, even)
		for _, d := range dirs {
			if slowstarts[presentScenario(d)] == 0 || strings.HasSuffix(d, "loaded") {
				continue
			}
			p.runs[even] = append(p.runs[even], d)
			p.recorded[presentScenario(d)] = append(p.recorded[presentScenario(d)], valuesOf(t, d, p.site))
		}
	}
	return p
}

// shares counts errors inside the interval, by metric, over all pairs that have one.
type shares struct {
	inside     map[string]int
	n, unknown int
	far        float64 // largest distance
}

// compare adds the pairs of one run as a case has it, which r compares with its record.
func (p *pairs) compare(t *testing.T, s *shares, d string, c *scenario.Case, r *Report) {
	t.Helper()
	if r.Unknown() || r.Lost > 0 {
		s.unknown++
		return
	}
	if s.inside == nil {
		s.inside = map[string]int{}
	}
	s.far = max(s.far, r.Distance)
	own, now := simulated(t, c, "", p.site, -1, errorMetrics), valuesOf(t, d, p.site)
	for other := range p.recorded {
		if other == presentScenario(d) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.base, other+"*", "capacity-scheduler.xml"))
		if err != nil || len(files) != 1 {
			t.Fatal(other, err)
		}
		then := simulated(t, c, files[0], p.site, slowstarts[other], errorMetrics)
		s.n++
		for _, m := range errorMetrics {
			var came []float64
			for _, v := range p.recorded[other] {
				came = append(came, v[m])
			}
			e := math.Log(stats.Mean(came)/now[m]) - math.Log(then[m]/own[m])
			if math.Abs(e) <= 1.645*r.Error(m).Spread {
				s.inside[m]++
			}
		}
	}
}

func (s *shares) judge(t *testing.T, even bool, least float64) {
	t.Helper()
	for _, m := range errorMetrics {
		share := float64(s.inside[m]) / float64(s.n)
		t.Logf("even %v: %.0f %% of %d errors of %s inside the 90 %% interval; distances up to %.2f, %d presents "+
			"farther off", even, 100*share, s.n, m, s.far, s.unknown)
		if share < least {
			t.Errorf("even %v: %.0f %% of %s inside, want about 90", even, 100*share, m)
		}
	}
}

// valuesOf are a record's makespan and mean completion.
func valuesOf(t *testing.T, dir, site string) map[string]float64 {
	t.Helper()
	c, _ := load(t, dir, filepath.Join(dir, "capacity-scheduler.xml"), site)
	first, last, sum, n := math.Inf(1), 0.0, 0.0, 0.0
	for _, o := range Observe(c, c.Recorded).Seen {
		if o.Compared() {
			first, last = min(first, o.Submit.Seconds()), max(last, o.Finish.Seconds())
			sum, n = sum+(o.Finish-o.Submit).Seconds(), n+1
		}
	}
	return map[string]float64{"makespan": last - first, "mean-completion": sum / n}
}

// simulations keeps what simulated has measured: runs that differ in a file that their case does
// not run under are the same.
var simulations sync.Map

// simulated are means over twenty runs of a case under a file, "" for its own, and
// a slowstart.
func simulated(t *testing.T, c *scenario.Case, config, site string, slowstart float64,
	metrics []string) map[string]float64 {
	t.Helper()
	other := *c
	if config != "" {
		doc, err := yarnconf.Load(config)
		if err != nil {
			t.Fatal(err)
		}
		s, err := yarnconf.Load(site)
		if err != nil {
			t.Fatal(err)
		}
		other.Doc = doc.WithSite(s)
	}
	other.Props = other.Doc
	work, err := json.Marshal(c.Work)
	if err != nil {
		t.Fatal(err)
	}
	latencies, err := c.Calibration.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	key := sha256.Sum256(fmt.Append(work, latencies, other.Doc.Map(), len(c.Cluster.Nodes), slowstart, metrics))
	if known, ok := simulations.Load(key); ok {
		return known.(map[string]float64)
	}
	r, err := simulate.New(&other, simulate.Options{Jitter: simulate.Replications()})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	const n = 20
	for i := range uint64(n) {
		res, err := r.Run(t.Context(), simulate.Item{Slowstart: slowstart, Seed: 100 + i})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metrics {
			out[m] += simulate.Value(res, m) / n
		}
	}
	simulations.Store(key, out)
	return out
}
