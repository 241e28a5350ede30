package forecast

// neededBy is what taking a change back must cost for it to count as one with an effect: of the
// objective, and of some queue's jobs.
const (
	neededObjective = 0.01
	neededQueue     = 0.05
)

// withoutEffect counts the changes of a recommended file that cost nothing to take back.
func (o *Outcome) withoutEffect() int {
	n := 0
	for _, c := range o.Changes {
		if o.Recommended && !c.Needed && c.Objective <= neededObjective && c.Queue <= neededQueue {
			n++
		}
	}
	return n
}
