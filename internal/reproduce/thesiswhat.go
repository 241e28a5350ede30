package reproduce

// thesisPending shows the rows of the three questions with the queue of the most pending
// tasks first, in place of the text's running tasks over capacity: what would have to
// hold for those that the text's order misses. Chosen after looking; no verdicts.
func thesisPending(r *runner) ([]Section, error) {
	runs, err := r.thesisCached(1, 32, thesisWay{pending: true})
	if err != nil {
		return nil, err
	}
	questions, err := thesisQuestions(runs)
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "thesis", ID: "experiment queues", Title: "What would have to hold: the queue with the most pending tasks goes first", Source: "Chauhan, thesis, section 6.5",
		Setup: "all experiments with the other order of queues; 4 replications; chosen after looking, no verdicts"}
	for _, q := range questions {
		for _, row := range q.Rows {
			s.show(q.ID+": "+row.What, row.Unit, row.Published, row.Ours)
		}
	}
	return []Section{s}, nil
}
