package promise

import (
	"fmt"

	"schedtune/internal/inputs"
	"schedtune/internal/rng"
)

// Case is a draw for other experiments: a cluster and a queue file with two
// consecutive periods of one workload.
type Case struct {
	Name      string
	Now, Next *inputs.Case
}

// Draw draws n cases from the generated sources and the traces, as Run does; heldOut
// chooses the half kept for the end.
func Draw(traces []string, seed uint64, n int, heldOut bool) ([]Case, error) {
	all, err := sources(traces)
	if err != nil {
		return nil, err
	}
	r := Request{Cases: n, Seed: seed, HeldOut: heldOut}
	var out []Case
	for _, c := range r.cases(all) {
		out = append(out, Case{Name: c.name, Now: c.now, Next: c.next})
	}
	if len(out) < n {
		return nil, fmt.Errorf("%d of %d cases could be drawn", len(out), n)
	}
	return out, nil
}

// Key is a stream of draws of a case, for what its sources leave open.
func Key(seed uint64, number int) rng.Key { return rng.NewKey(seed, purposeBeyond).At(uint64(number)) }
