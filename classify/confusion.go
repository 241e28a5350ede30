package classify

import "math"

// Confusion counts how often class Truth was judged as class Guess. Use
// NewConfusion.
type Confusion struct {
	Names  []string    `json:"classes"` // of the classes, by index
	Counts [][]float64 `json:"counts"`  // [truth][guess]
}

// NewConfusion returns an empty matrix for the classes.
func NewConfusion(classes []string) *Confusion {
	m := &Confusion{Names: append([]string(nil), classes...), Counts: make([][]float64, len(classes))}
	for i := range m.Counts {
		m.Counts[i] = make([]float64, len(classes))
	}
	return m
}

// Add counts one judgement; classes out of range are ignored.
func (m *Confusion) Add(truth, guess int) {
	if m.has(truth) && m.has(guess) {
		m.Counts[truth][guess]++
	}
}

// Total returns the number of judgements.
func (m *Confusion) Total() float64 {
	n := 0.0
	for _, r := range m.Counts {
		n += sum(r)
	}
	return n
}

// Accuracy returns the share judged right; NaN without judgements.
func (m *Confusion) Accuracy() float64 {
	hit := 0.0
	for i := range m.Counts {
		hit += m.Counts[i][i]
	}
	return hit / m.Total()
}

// BaseRate returns the share of the most frequent class: the accuracy of
// always naming it. NaN without judgements.
func (m *Confusion) BaseRate() float64 {
	top := 0.0
	for _, r := range m.Counts {
		top = math.Max(top, sum(r))
	}
	return top / m.Total()
}

// has reports whether there is such a class.
func (m *Confusion) has(class int) bool { return class >= 0 && class < len(m.Counts) }

// named returns how often the class was named.
func (m *Confusion) named(class int) (n float64) {
	for i := range m.Counts {
		n += m.Counts[i][class]
	}
	return n
}

// Precision returns the share of judgements "class" that are right; NaN if it
// was never named.
func (m *Confusion) Precision(class int) float64 {
	if !m.has(class) {
		return math.NaN()
	}
	return m.Counts[class][class] / m.named(class)
}

// Recall returns the share of the class that was found; NaN if it never came.
func (m *Confusion) Recall(class int) float64 {
	if !m.has(class) {
		return math.NaN()
	}
	return m.Counts[class][class] / sum(m.Counts[class])
}

// Balanced returns the balanced accuracy: the mean of the classes' recalls, of those that
// came; NaN without judgements.
func (m *Confusion) Balanced() float64 {
	n, s := 0.0, 0.0
	for c := range m.Counts {
		if r := m.Recall(c); r == r {
			n, s = n+1, s+r
		}
	}
	return s / n
}

// F1 returns the harmonic mean of precision and recall: 2TP/(2TP + FP + FN);
// NaN for a class that neither came nor was named.
func (m *Confusion) F1(class int) float64 {
	if !m.has(class) {
		return math.NaN()
	}
	return 2 * m.Counts[class][class] / (sum(m.Counts[class]) + m.named(class))
}

// Kappa returns Cohen's kappa: accuracy beyond what the same frequencies of
// judgement would reach by chance; 1 is perfect, 0 is chance, NaN where only
// one class came and was named.
func (m *Confusion) Kappa() float64 {
	n, chance := m.Total(), 0.0
	for c := range m.Counts {
		chance += sum(m.Counts[c]) / n * m.named(c) / n
	}
	return (m.Accuracy() - chance) / (1 - chance)
}

// CurvePoint is one window of a learning curve; the paper's figure 10 has windows
// of 250 decisions.
type CurvePoint struct {
	Decisions int     `json:"decisions"` // judged up to and with this window
	Accuracy  float64 `json:"accuracy"`  // within the window
	BaseRate  float64 `json:"base_rate"` // share of the window's most frequent class
}
