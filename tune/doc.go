// Package tune searches a parameter space for settings that a noisy, cheap
// simulator finds better than the present ones, and says how sure it is. It
// knows nothing of clusters or schedulers: it sees a [Space], an [Evaluator]
// that turns (settings, seed, window) into metrics, and [Objective] and
// [Constraint] values over those metrics.
//
// The usual call:
//
//	space, err := tune.NewSpace(params...)           // typed parameters with their present values
//	problem := tune.Problem{Space: space, Objectives: …, Evaluator: tune.Pool(workers, run)}
//	result, err := tune.Search(ctx, problem, tune.Options{Seed: 1, Budget: 2000})
//
// A study has five parts. (1) The present configuration, always trial 0, and
// the caller's own candidates are measured. (2) A [Sampler] proposes
// generations; every generation is measured on seeds shared by its members and
// new to it (common random numbers), and now and then the best are raced
// against the incumbent on paired seeds. A model of the costs measured so far
// has a say in what the default sampler and NSGA-II propose, and where the
// problem offers a [Level], a cheaper kind of run, most is measured there
// first. (3) Sequential halving over what is
// left. (4) An ablation takes back the changes that carry no gain. (5) The
// rest is confirmed on seeds, and where the problem offers them windows, that
// the search never used. "No proven improvement" is a result.
//
// A study is a pure function of problem, options and outcomes: the number of
// workers changes nothing, and a [Log] lets a killed study continue to the
// identical end. [Study] is the same search turned inside out (ask for items,
// tell outcomes), for evaluations that happen elsewhere.
//
// What it is not: it recommends nothing that only a model of the costs finds
// good, it does not prove global optimality (a lower bound, if the caller has
// one, gives a gap), and it never prints, reads a clock or uses global random
// numbers.
package tune
