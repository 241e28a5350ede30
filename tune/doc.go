// Package tune searches a parameter space for settings that a noisy simulator finds
// better than the current ones, and decides whether they are recommended ([Decide]). It
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
//     now and then the sampler's mean race against the best so far.
//   - With several objectives NSGA-II searches for a Pareto front; what no other point
//     dominates is measured again, and the point nearest to the ideal one is recommended.
//
// With one objective three steps follow, the same for every budget. Contenders are compared by
// sequential halving. A reduction reverts changes that carry no gain, rounds values toward the
// current ones, and measures what each change that is left brings. A confirmation measures the
// result on seeds and windows that the search never used; the decision rests on this step alone.
//
// A recommendation breaks no limit that the current configuration keeps, and loses no work that it
// does. [Result.Found] is the best found, [Result.Best] that or the current configuration.
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
// with races), and what follows (choice, reduction, confirmation, a front's end), work on these.
package tune
