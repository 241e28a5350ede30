// Package tune searches a parameter space for settings that a noisy simulator finds
// better than the current ones, and decides whether the improvement is proven. It
// knows nothing of clusters or schedulers: it sees a [Space] of typed parameters, an
// [Evaluator] that turns settings, a seed and a window (a workload) into metrics, and
// [Objective] and [Constraint] values over these metrics.
//
//	space, err := tune.NewSpace(params...)
//	problem := tune.Problem{Space: space, Objectives: objectives, Evaluator: tune.Pool(workers, run)}
//	result, err := tune.Search(ctx, problem, tune.Options{Seed: 1, Budget: 1000})
//
// # The course of a study
//
// The current configuration is always trial 0. Configurations are compared on the same
// instances (seed and window), so that noise common to all cancels. How candidates are
// proposed depends on the problem:
//
//   - In rounds: with one objective, several windows to search on, a budget of 100 runs
//     or more and no sampler named. A model of all runs (boosted trees for the objective
//     and for each limit) chooses what each round measures, beside the best so far.
//   - In generations: otherwise. A [Sampler], CMA-ES unless [Options.Method] names another,
//     proposes generations, of which a model chooses a part; the caller's candidates and
//     now and then the sampler's mean race against the best so far. Costly parameters
//     (see [Param]) stay at their current values in the first half.
//   - With several objectives NSGA-II searches for a Pareto front; what no other point
//     dominates is measured again, and the point nearest to the ideal one is recommended.
//
// With one objective three steps follow. Contenders are compared by sequential halving.
// An ablation reverts changes that carry no gain and moves the others toward the current
// values. A confirmation measures what is left on seeds and windows that the search never
// used; the result rests on this step alone. In a study of fewer than 300 runs in rounds,
// short finals and one check of the reverted changes replace halving and ablation.
//
// A recommendation breaks no limit and loses no work that the current configuration does.
// If none is proven, [Result.Best] is the current configuration and [Result.Unproven] what
// was found.
//
// # Determinism
//
// A study is a pure function of problem, options and outcomes, whatever the number of
// workers. With a [Log] a study that was killed continues to the identical end. A [Study]
// asks for runs and takes their outcomes, for evaluations that happen elsewhere.
//
// # What it does not do
//
// Nothing is recommended because of a model's estimate alone. The search does not prove
// global optimality; a lower bound, if the caller has one, gives a gap. The package never
// prints, reads a clock or uses global random numbers.
//
// # Parts
//
// A ledger holds trials and runs, a judge scores them, a plan divides the budget, and
// findings hold the state that a [Result] is computed from. Searches (rounds, generations
// with races), and what follows (halving, ablation, confirmation, a front's end), are types
// of their own over these.
package tune
