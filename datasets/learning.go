package datasets

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// The workloads of the learning paper: seven workers of four processors and one
// disk (section V-B); each job in isolation.

// JobProfile is one of the paper's evaluation jobs.
type JobProfile struct {
	Name string // as in figure 7
	// Usage is figure 7: CPU, memory, disk and network on a scale of 1 to 10.
	Usage [4]float64
	// Load is what one task adds to a node's load average: four processors over
	// the tasks the paper's scheduler kept at 100 % (figure 11). It is a
	// calibration, not a result; that the scheduler finds it is.
	Load float64
}

// learningJobs returns the six evaluation jobs in the order of figure 7.
func learningJobs() (jobs []JobProfile) {
	usage, tasks := published("learning", "7"), published("learning", "11")
	for i, r := range usage.Rows {
		n, err := tasks.Float(r[0], "learning")
		if err != nil {
			panic(err)
		}
		jobs = append(jobs, JobProfile{Name: r[0], Usage: [4]float64(usage.floats(i, 1)), Load: 4 / n})
	}
	return jobs
}

// learningSet is one job in isolation, with tasks of the given seconds. Nodes have
// 40 slots of each kind, as the learning scheduler decides beyond limits.
func learningSet(job int, maps, runs int, task float64, config func() mr1.Config) func() *Set {
	return func() *Set {
		jobs := learningJobs()
		b := newLearningBuilder(jobs)
		for r := range runs {
			b.learningJob(fmt.Sprintf("%s-%d", jobs[job].Name, r+1), jobs[job].Name, float64(r), maps, task)
		}
		return &Set{Cluster: learningCluster(), Workload: b.sorted(), Profiles: jobs, Config: config()}
	}
}

// learningMix is figure 9's run: TextWriter makes 10 GB (160 maps), then WordCount
// and Grep read it. They are submitted when TextWriter would be done at the asked
// load of 1. Grep, of which the paper says nothing more, is taken as WordCount,
// without the hints.
func learningMix() *Set {
	jobs := learningJobs()
	grep := JobProfile{Name: "Grep", Load: jobs[1].Load}
	cluster := learningCluster()
	at := learningMixMaps * learningShortTask / float64(learningCores*len(cluster.Nodes))
	jobs = append(jobs, grep)
	b := newLearningBuilder(jobs)
	for i, name := range []string{jobs[0].Name, jobs[1].Name, grep.Name} {
		submit := at
		if i == 0 {
			submit = 0
		}
		b.learningJob(name, name, submit, learningMixMaps, learningShortTask)
	}
	return &Set{Cluster: cluster, Workload: b.sorted(), Profiles: jobs, Config: sharedLearningRun()}
}

// newLearningBuilder has a class per profile, in their order.
func newLearningBuilder(jobs []JobProfile) *workloadBuilder {
	b := newWorkloadBuilder()
	for _, p := range jobs {
		b.classes.ID(&b.w.Classes, p.Name)
	}
	return b
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
