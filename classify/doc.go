// Package classify holds online classifiers that learn from scheduling
// decisions whether a task will overload a node, after Dhok and Varma, "Using
// Pattern Classification for Task Assignment in MapReduce".
//
// Four learners share one interface, Model: Categorical (histogram Naive
// Bayes), Gaussian (Gaussian Naive Bayes), Perceptron (plain and averaged), and
// as a baseline Logistic (logistic regression, not in the papers).
// Each learns one observation at a time without allocating, works in log
// space, and is a plain struct of counts that Save writes as readable JSON and
// Load continues from.
//
// A feature vector is a []float64 in the order of the model's Schema; NaN
// means "not known". A class is an index; for overload decisions class Good
// (1) is "does not overload the node" and Bad (0) the opposite.
//
// The usual sequence is predict, then learn when the node's next heartbeat
// tells how it went; a Confusion keeps the score:
//
//	m, err := classify.NewCategorical(classify.PaperSchema(), classify.Binary())
//	score, scratch := classify.NewConfusion(classify.Binary()), make([]float64, 2)
//	for each decision {
//		guess := classify.Predict(m, features, scratch)
//		score.Add(outcome, guess)
//		err = m.Learn(features, outcome)
//	}
//	score.Accuracy(), score.BaseRate()
//
// What the package is not: a batch learner. Package classify/batch adapts
// golearn's for comparison.
package classify
