package tune

// Prospect is what a change of settings does to a metric in one further period. Probabilities
// are nil where the simulator's error is not known.
type Prospect struct {
	Better *float64 // probability that the metric gets better
	Worse  *float64 // probability that it gets worse by more than was asked
	Gain   Interval // confidence interval of the mean gain, as a part of the value before
}

// Prospect predicts a metric from its values before and after a change on the same workloads.
// by is the change for the worse, as a part of the value before, that Worse is about. It
// returns false for fewer than two values.
func (p *Prediction) Prospect(v Paired, by float64) (Prospect, bool) {
	f, ok := p.outlook(v, by)
	return Prospect{f.better, f.worse, f.mean}, ok
}
