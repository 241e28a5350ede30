package datasets

import (
	"fmt"

	"schedtune/simcore"
)

// The workloads of the learning paper: seven workers of four processors and one
// disk (section V-B); each job in isolation.

// JobProfile is one of the paper's evaluation jobs.
type JobProfile struct {
	Name string
	// Usage is figure 7: CPU, memory, disk and network on a scale of 1 to 10.
	Usage [4]float64
	// Load is what one task adds to a node's load average: four processors over
	// the tasks the paper's scheduler kept at 100 % (figure 11). It is a
	// calibration, not a result; that the scheduler finds it is.
	Load float64
}

// LearningJobs returns the six evaluation jobs in the order of figure 7.
func LearningJobs() ([]JobProfile, error) {
	usage, err := Published("learning", "7")
	if err != nil {
		return nil, err
	}
	var jobs []JobProfile
	for i, r := range usage.Rows {
		v, err := usage.floats(i, 1)
		if err != nil {
			return nil, err
		}
		tasks, err := learningTasks(r[0])
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, JobProfile{Name: r[0], Usage: [4]float64(v), Load: 4 / tasks})
	}
	return jobs, nil
}

func learningTasks(job string) (float64, error) {
	t, err := Published("learning", "11")
	if err != nil {
		return 0, err
	}
	return t.Float(job, "learning")
}

// learningSet is one job in isolation. Nodes have 40 slots of each kind, as
// the learning scheduler decides beyond limits.
func learningSet(job int, maps, runs int) func() (*Set, error) {
	return func() (*Set, error) {
		jobs, err := LearningJobs()
		if err != nil {
			return nil, err
		}
		b := newWorkloadBuilder("learning-" + jobs[job].Name)
		for _, p := range jobs {
			intern(&b.w.Classes, b.classes, p.Name)
		}
		for r := range runs {
			b.add(jobSpec{
				name: fmt.Sprintf("%s-%d", jobs[job].Name, r+1), class: jobs[job].Name, queue: "default", user: "user",
				submit: float64(r), maps: maps, input: 64e6 * float64(maps), mapTime: learningTask, spread: 0.1,
			})
		}
		return &Set{Cluster: learningCluster(), Workload: b.sorted(), Profiles: jobs, Config: learningRun()}, nil
	}
}

func learningCluster() *simcore.Cluster {
	return uniform(7, simcore.Node{
		Slots: simcore.Vec{40, 40}, Capacity: simcore.Vec{4096, 4}, Cores: 4, Disks: 1, DiskRate: 60e6, NICRate: 125e6,
	})
}
