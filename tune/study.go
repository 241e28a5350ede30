package tune

import (
	"fmt"
	"iter"

	"schedtune/internal/parallel"
	"schedtune/internal/text"
)

// Study is a search that asks for runs instead of doing them:
//
//	study, err := tune.NewStudy(problem, options)
//	defer study.Close()
//	for {
//		items, err := study.Ask()   // nil when the study is done
//		if err != nil || items == nil { break }
//		study.Tell(outcomes...)     // of all items, or of the first few, in order
//	}
//	result := study.Result()
//
// With a Log, the same can be spread over processes that each replay the log:
// one that asks and one that tells.
type Study struct {
	d     *driver
	log   *Log
	next  func() ([]request, bool)
	stop  func()
	batch []request
	outs  []Outcome
	runs  int
	done  bool
	err   error
}

// NewStudy checks the problem and starts a study.
func NewStudy(p Problem, o Options) (*Study, error) {
	p, o = p.withDefaults(), o.withDefaults()
	if err := check(p, o); err != nil {
		return nil, err
	}
	d, err := newDriver(p, o)
	if err != nil {
		return nil, err
	}
	s := &Study{d: d, log: o.Log}
	if err := s.log.put(d.header()); err != nil {
		return nil, err
	}
	s.next, s.stop = iter.Pull(func(yield func([]request) bool) {
		defer func() {
			switch v := recover().(type) {
			case nil:
			case stopped:
				s.err = v.err
			default:
				panic(parallel.Caught(v))
			}
		}()
		d.led.yield = yield
		d.run()
	})
	return s, nil
}

// Panic is what a search panics with: the value, and the stack of the place, which the
// coroutine that it runs in would lose.
type Panic = parallel.Panic

// Ask returns the runs the study waits for, or nil when it is done. Asking
// again without telling returns the same.
func (s *Study) Ask() ([]Item, error) {
	for !s.done && s.err == nil {
		if err := s.replay(); err != nil {
			s.err = err
			break
		}
		if len(s.outs) < len(s.batch) {
			return s.items(), nil
		}
		s.advance()
	}
	return nil, s.err
}

// advance lets the search work on the finished batch until it wants the next.
func (s *Study) advance() {
	s.d.led.outs = s.outs
	batch, ok := s.next()
	s.batch, s.outs = batch, nil
	s.done = !ok
}

// replay takes outcomes from the log while it holds some.
func (s *Study) replay() error {
	for len(s.outs) < len(s.batch) {
		line := s.line()
		ok, err := s.log.replayRun(&line)
		if !ok {
			return err
		}
		s.take(line.Outcome.checked(s.d.p.Objectives))
	}
	return nil
}

// take takes the outcome of the next run.
func (s *Study) take(o Outcome) {
	s.outs = append(s.outs, o)
	s.runs++
}

// line describes the next run in order.
func (s *Study) line() runLine {
	r := s.batch[len(s.outs)]
	return runLine{runID: runID{s.runs, r.t.id, s.d.led.phase, r.in.seed, r.in.window}}
}

func (s *Study) items() []Item {
	return mapped(s.batch[len(s.outs):], func(r request) Item {
		return Item{Trial: r.t.id, Settings: r.t.settings, Seed: r.in.seed, Window: r.in.window}
	})
}

// Tell hands over outcomes of the items asked, in their order; it may be
// called with some of them at a time.
func (s *Study) Tell(outcomes ...Outcome) error {
	for _, o := range outcomes {
		if len(s.outs) >= len(s.batch) {
			return fmt.Errorf("tune: more outcomes than items")
		}
		line := s.line()
		line.Outcome = o.checked(s.d.p.Objectives)
		if s.d.p.Composite == nil {
			line.Outcome.Parts = nil // nothing learns from them
		}
		if err := s.log.put(line); err != nil {
			s.err = err
			return err
		}
		s.take(line.Outcome)
	}
	return nil
}

// Result returns the result so far; after Ask has returned nil it is final. Before,
// nothing is recommended.
func (s *Study) Result() *Result { return account{s.d.parts}.result(s.d.name, s.runs) }

// Progress returns how far the study is.
func (s *Study) Progress() Progress {
	p := account{s.d.parts}.progress(s.runs)
	if n := len(s.outs); n > 0 {
		p.Tried = s.batch[n-1].t.settings
	}
	return p
}

// Close ends the study's coroutines; the log stays open.
func (s *Study) Close() {
	s.stop()
	s.d.proposer.close()
}

// header describes the study for the log.
func (d *driver) header() header {
	p, o := d.p, d.o
	h := header{
		Schema: text.SchemaTrials, Problem: p.Name, Code: p.Code, Sampler: d.name, Seed: o.Seed, Budget: o.Budget,
		Replicates: 1, Patience: o.Patience, Level: confidence, Off: o.Off,
		Windows: p.Windows, HoldOut: p.HoldOut, Objectives: p.Objectives, Limits: p.Constraints,
		Space: p.Space.Hash(), Candidates: p.Candidates,
	}
	if o.Risk != DefaultRisk() {
		h.Risk = &o.Risk
	}
	if o.TimeBudget > 0 {
		h.Time = o.TimeBudget.String()
	}
	return h
}
