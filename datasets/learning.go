package datasets

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// The workloads of the learning paper: seven workers of four processors and one
// disk (section V-B); each job in isolation.

// learningJobs returns a builder with the six evaluation jobs as classes, in the order of
// figure 7, and their hints: the usage of figure 7, and as the load of a task four processors
// over the tasks the paper's scheduler kept at 100 % (figure 11). The load is a calibration,
// not a result; that the scheduler finds it is.
func learningJobs() (b *workloadBuilder, hints []simcore.JobHint) {
	b = newWorkloadBuilder()
	usage, tasks := published("learning", "7"), published("learning", "11")
	for i, r := range usage.Rows {
		n, err := tasks.Float(r[0], "learning")
		if err != nil {
			panic(err)
		}
		b.classes.ID(&b.w.Classes, r[0])
		hints = append(hints, simcore.JobHint{Usage: [4]float64(usage.floats(i, 1)), Load: 4 / n})
	}
	return b, hints
}

// learningSet is one job in isolation, with tasks of the given seconds. Nodes have
// 40 slots of each kind, as the learning scheduler decides beyond limits.
func learningSet(job int, maps, runs int, task float64, config func() mr1.Config) func() *Set {
	return func() *Set {
		b, hints := learningJobs()
		name := b.w.Classes[job]
		for r := range runs {
			b.learningJob(fmt.Sprintf("%s-%d", name, r+1), name, float64(r), maps, task)
		}
		return &Set{Cluster: learningCluster(), Workload: b.sorted(), Hints: hints, Config: config()}
	}
}

// learningMix is figure 9's run: TextWriter makes 10 GB (160 maps), then WordCount
// and Grep read it. They are submitted when TextWriter would be done at the asked
// load of 1. Grep, of which the paper says nothing more, is taken as WordCount,
// without the hints.
func learningMix() *Set {
	b, hints := learningJobs()
	hints = append(hints, simcore.JobHint{Load: hints[1].Load})
	cluster := learningCluster()
	at := learningMixMaps * learningShortTask / float64(learningCores*len(cluster.Nodes))
	for i, name := range []string{b.w.Classes[0], b.w.Classes[1], "Grep"} {
		submit := at
		if i == 0 {
			submit = 0
		}
		b.learningJob(name, name, submit, learningMixMaps, learningShortTask)
	}
	return &Set{Cluster: cluster, Workload: b.sorted(), Hints: hints, Config: sharedLearningRun()}
}

func (b *workloadBuilder) learningJob(name, class string, submit float64, maps int, task float64) {
	b.add(jobSpec{
		name: name, class: class, queue: "default", user: "user",
		submit: submit, maps: maps, input: 64e6 * float64(maps), mapTime: task, spread: 0.1,
	})
}

func learningCluster() *simcore.Cluster {
	return uniform(7, simcore.Node{
		Slots: simcore.Vec{40, 40}, Capacity: simcore.Vec{4096, 4}, Cores: learningCores, Disks: 1, DiskRate: 60e6,
		NICRate: 125e6,
	})
}
