// Package testruns makes run folders for tests, in the format in which runs of a
// real YARN are recorded (docs/validation.md): of MapReduce jobs (Files) tables, queue
// file, application masters' logs, job histories and answers of the
// ResourceManager; of Spark applications (SparkFiles) tables and queue file.
//
// The cluster around the Capacity Scheduler is written down here once more, as
// plainly as possible and without the simulator: nodes and application masters
// that heartbeat each second, launches that take a drawn time; Spark's allocation
// manager, its monitor of idle executors, and the requests of its application
// master. A replay of a folder therefore compares two programs. Only the
// scheduler's decisions come from the project's own engine
// (simcore/sched/capacity), which recorded decisions of Hadoop judge elsewhere
// (conformance).
//
// `go test ./validation/testruns -update` writes the folders of the repository,
// internal/testdata/runs; a test compares them with what the code makes.
package testruns
