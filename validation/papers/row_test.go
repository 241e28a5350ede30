package papers

import (
	"math"
	"testing"
)

// add judges a row of a paper without data of its own.
func add(t *testing.T, s *Section, line record) *Row {
	t.Helper()
	if s.Paper == "" {
		s.Paper = "omo"
	}
	newRunner(t.Context(), Options{}).addRow(s, line)
	return &s.Rows[len(s.Rows)-1]
}

// A row that the null model meets is not counted whether ours meets it or not, and a
// calibration never is.
func TestWhatCounts(t *testing.T) {
	magnitude := func(published, ours, rule string) record {
		return record{"kind": "magnitude", "published": published, "ours": ours, "rule": rule, "group": "g"}
	}
	for _, c := range []struct {
		name  string
		lines []record
		want  Tally
	}{
		{"an effect", []record{{"kind": "claim", "ours": "1", "rule": "above"}}, Tally{1, 1, 0, 0}},
		{"what no effect meets", []record{{"kind": "claim", "ours": "1", "rule": "mean>-10"}}, Tally{}},
		{"what another null model meets", []record{{"kind": "claim", "ours": "3", "rule": "mean>2", "null": "constant=5"}},
			Tally{}},
		{"a repeat", []record{{"kind": "claim", "ours": "1", "rule": "above", "apart": "repeats the first"}}, Tally{}},
		{"a repeat under a condition that holds", []record{{"kind": "claim", "ours": "1", "rule": "above",
			"apart": "repeats if 0.7<0.8"}}, Tally{}},
		{"a repeat under a condition that does not", []record{{"kind": "claim", "ours": "1", "rule": "above",
			"apart": "repeats if 0.9<0.8"}}, Tally{1, 1, 0, 0}},
		{"a calibration", []record{{"kind": "calibration", "published": "10", "ours": "10", "rule": "gain"}}, Tally{}},
		{"shown only", []record{{"ours": "10"}}, Tally{}},
		{"the mean of the group meets none", []record{magnitude("100", "100", "within:10%"),
			magnitude("104", "300", "within:10%"), magnitude("200", "300", "within:10%")}, Tally{0, 0, 3, 1}},
		{"the mean of the group meets both", []record{magnitude("100", "100", "within:10%"),
			magnitude("104", "300", "within:10%")}, Tally{}},
		// Of mean 20 with reaches 8.5, 11.3, 14.1, 15.5, all but 9 are met.
		{"counts that are not simulated", []record{magnitude("9", "nan", "within:poisson"),
			magnitude("16", "nan", "within:poisson"), magnitude("25", "nan", "within:poisson"),
			magnitude("30", "nan", "within:poisson")}, Tally{0, 0, 1, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Section{}
			for _, line := range c.lines {
				add(t, s, line)
			}
			s.constantNull()
			if got := s.Count(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// The rank correlation that the number of queues alone has with table 5.1.
func TestNullOfTable51(t *testing.T) {
	var queues []string
	s := &Section{Paper: "thesis"}
	for _, line := range rowsOf("thesis") {
		if line["section"] == "table 5.1" && line["group"] == "cells" {
			queues = append(queues, line["what"])
			add(t, s, record{"published": line["published"], "ours": "0", "group": "cells"})
		}
	}
	for i := range s.Rows {
		name := queues[i][:len(queues[i])-len(", queue 1")]
		for _, other := range queues {
			if other[:min(len(other), len(name))] == name && other[len(name):][:len(", queue")] == ", queue" {
				s.Rows[i].Ours.Mean++
			}
		}
	}
	f := (&scope{newRunner(t.Context(), Options{}), s, false}).eval("spearman(cells)")
	if math.Abs(f.Mean-0.37) > 0.005 {
		t.Errorf("got %v, want 0.37 as in data/rows-thesis.csv", f.Mean)
	}
}

// Three values 1, 2, 3: mean 2, standard deviation 1, t(2, 0.975) = 4.3027, so the interval
// is 2 ± 4.3027/sqrt(3) = 2 ± 2.4841.
func TestEstimate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		values []float64
		want   Estimate
	}{
		{"three values", []float64{1, 2, 3}, Estimate{2, -0.4841, 4.4841, 3}},
		{"one value", []float64{5}, Estimate{5, 5, 5, 1}},
		{"a replication without a value", []float64{1, nan, 2, 3}, Estimate{2, -0.4841, 4.4841, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := estimate(c.values)
			if math.Abs(e.Mean-c.want.Mean) > 1e-9 || math.Abs(e.Low-c.want.Low) > 1e-4 ||
				math.Abs(e.High-c.want.High) > 1e-4 || e.N != c.want.N {
				t.Errorf("got %+v, want %+v", e, c.want)
			}
		})
	}
	if e := estimate([]float64{nan}); !math.IsNaN(e.Mean) {
		t.Errorf("no value: got %+v, want NaN", e)
	}
}
