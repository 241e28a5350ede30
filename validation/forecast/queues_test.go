package forecast

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"schedtune/internal/study"
)

// Queues are judged one by one, in all cases with a promise that could be played.
func TestQueuesAreJudged(t *testing.T) {
	at := func(low, high, came float64) Queue {
		return Queue{"root.q", &Range{(low + high) / 2, low, high}, came}
	}
	j := Judge([]Outcome{
		{Case: "0", Found: true, Queues: []Queue{at(-0.2, 0.1, 0), at(-0.2, 0.1, 0.3)}},
		{Case: "2", Found: true, Queues: []Queue{at(-0.2, 0.1, -0.5), at(0, 0.2, 0.1)}},
		{Case: "4", Found: true, Came: math.Inf(-1), Queues: []Queue{at(0, 0.2, 9)}},
		{Case: "6"},
	})
	if q := j.Queues; q.Cases != 4 || math.Abs(q.Coverage-0.5) > 1e-12 {
		t.Errorf("%d queues, coverage %v; want 4, a half", q.Cases, q.Coverage)
	}
	// the least and the most lie outside the rest
	if c := j.QueuesConstant; c.Cases != 4 || math.Abs(c.Coverage-0.5) > 1e-12 {
		t.Errorf("the constant promise covers %v of %d queues; want a half of 4", c.Coverage, c.Cases)
	}
	var b bytes.Buffer
	if err := Write(&b, j); err != nil {
		t.Fatal(err)
	}
	if want := "| mean completion of 4 queues with limits | 50 % |"; !strings.Contains(b.String(), want) {
		t.Errorf("%s lacks %q", b.String(), want)
	}
}

// A study with limits on its queues says what to expect of those that the next period judges.
func TestQueuesAreExpected(t *testing.T) {
	t.Parallel()
	r := Request{Sample: Sample{Cases: 1, Seed: 10, Budget: 80, Workers: 2},
		Constraints: []string{"queue.*.mean-completion <= present + 5 %"},
		Study:       func(q *study.Request) { q.Workloads = 4 }}
	outs, err := Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, o := range outs {
		worst := math.Inf(-1)
		for _, q := range o.Queues {
			n++
			worst = math.Max(worst, q.Came)
			if q.Expected == nil {
				n--
				continue
			}
			if e := q.Expected; !(e.Low <= e.Point && e.Point <= e.High) || strings.Contains(q.Name, "mean-completion") {
				t.Errorf("%s: %+v", o.Case, q)
			}
		}
		if len(o.Queues) > 0 && worst > o.WorstQueue {
			t.Errorf("%s: a queue came out at %v, the worst at %v", o.Case, worst, o.WorstQueue)
		}
	}
	if n == 0 {
		t.Error("seed 10: nothing is expected of any queue")
	}
}
