// Package simulate assembles and makes simulation runs: a scenario with changes of the
// queue file, a scheduler of simcore/sched, a slowstart and a seed give a result with its
// metrics. Studies, comparisons and diagnoses make their runs here.
package simulate
