// Package maderun makes a run folder for tests, in the format in which runs of a
// real YARN are recorded (docs/replay.md): tables, queue file, application
// masters' logs, job histories and answers of the ResourceManager.
//
// The cluster around the Capacity Scheduler is written down here once more, as
// plainly as possible and without the simulator: nodes and application masters
// that heartbeat each second, launches that take a drawn time. A replay of the
// folder therefore compares two programs. Only the scheduler's decisions come
// from the project's own engine (simcore/sched/capacity), which recorded
// decisions of Hadoop judge elsewhere (conformance).
//
// `go test ./internal/maderun -update` writes the folder of the repository,
// internal/testdata/runs/mapreduce; the test compares it with what the code makes.
package maderun
