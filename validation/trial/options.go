package trial

import "time"

// Options of a trial.
type Options struct {
	Tune  string        // the built command tune to try
	Only  []string      // parts to run
	Scale float64       // 1 runs the full number of every part
	Limit time.Duration // stops with what is done so far; every part has its share of it
	Seed  uint64        // of every draw
}
