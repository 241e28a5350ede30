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
// instances (seed and window), so that noise common to all cancels. One loop serves all budgets, one and several
// windows, with and without limits, one and several objectives:
//
//   - A proposer says what a round measures beside the current configuration: the default one by the model, with
//     a configuration drawn anew in part, or a generation of CMA-ES; or a [Sampler] by name, NSGA-II for several
//     objectives.
//   - A model of all runs (boosted trees for each objective, each limit and for stalls) says which is the best so far.
//   - The search ends with its part of the budget, or when the answer is known: the second half of its rounds brought next
//     to nothing.
//   - A finisher makes the result. With one objective contenders are compared by sequential halving, changes that carry
//     no gain are reverted and values rounded toward the current ones. With several, what no other point dominates is
//     measured again, and the point nearest to the ideal one is taken.
//
// A confirmation measures what was chosen on seeds and windows that the search never used; the decision rests on this step
// alone. There each change that is left is reverted alone, for what it brings; one that brings nothing goes.
// A budget that pays for no confirmation ends with the best found, and recommends nothing.
//
// A recommendation breaks no limit that the current configuration keeps (one relative to it counts at the
// median of the workloads: Constraint.Middle), and loses no work that it
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
// A ledger holds trials and runs, a judge scores them, risks compares what a confirmation will find and decides, a plan
// divides the budget, a model learns from all runs. The driver runs the loop of proposer, model and finisher on these.
package tune
