package papers

import "fmt"

// thesisPending runs the rows of chapter 6 with the queue of the most pending tasks
// first, in place of the text's running tasks over capacity: what would have to hold for
// those that the text's order misses.
func thesisPending(r *runner) ([]Section, error) {
	s := Section{Paper: "thesis", ID: "experiment queues", Title: "What would have to hold: the queue with the most pending tasks goes first", Source: "Chauhan, thesis, chapter 6",
		Setup: fmt.Sprintf("all experiments with the other order of queues; %d replications; %s", thesisOtherReps, afterwards)}
	changed := r.under(nil)
	changed.way, changed.thesis = thesisWay{pending: true}, r.thesis
	var ids []string
	for _, t := range thesisTables {
		ids = append(ids, "table "+t.id)
	}
	err := s.whatIf(r, changed, append(ids, "question 1", "question 2", "question 3")...)
	return []Section{s}, err
}
