package schedtune

import "embed"

// Source holds the text of the packages that a simulation runs, and the data sets
// built into them: remote.CodeID hashes it, so that two programs can tell whether they
// compute the same numbers. The list is that of the packages that internal/simulate
// imports, with internal/study, which draws workloads and makes outcomes of results;
// TestSource compares it with the import graph.
//
//go:embed go.mod
//go:embed classify/*.go classify/modelfile/*.go cluster/*.go lp/*.go predict/*.go
//go:embed fairconf/*.go yarnconf/*.go yarnconf/placement/*.go
//go:embed simcore/*.go simcore/metrics.csv simcore/mr1/*.go simcore/yarn/*.go simcore/yarn/calibration.json simcore/yarn/spark/*.go
//go:embed simcore/internal/kernel/*.go simcore/internal/prefetch/*.go
//go:embed simcore/sched/*.go simcore/sched/params.csv simcore/sched/capacity/*.go simcore/sched/capacity/internal/deepcopy/*.go
//go:embed simcore/sched/schedulers.csv simcore/sched/internal/requests/*.go simcore/sched/yarnfair/*.go
//go:embed trace/*.go trace/internal/history/*.go trace/runlog/*.go trace/sparklog/*.go trace/tezlog/*.go
//go:embed datasets/*.go datasets/*.csv datasets/config datasets/tables
//go:embed internal/fileio/*.go internal/java/*.go internal/parallel/*.go internal/rng/*.go internal/text/*.go
//go:embed internal/scenario/*.go internal/simulate/*.go internal/study/*.go
var Source embed.FS
