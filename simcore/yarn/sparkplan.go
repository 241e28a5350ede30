package yarn

import (
	"fmt"
	"slices"

	"schedtune/simcore"
)

// sparkPlan holds the parts that all runs of a Spark application share.
type sparkPlan struct {
	app       *simcore.SparkApp
	sizes     []Resource // by resource profile: an executor's container
	slots     []int32    // by resource profile: tasks an executor runs at a time
	stride    int32      // the most of slots
	children  [][]int32  // by stage: those of its job that read its output
	followers [][]int32  // by job: those that wait for it
	before    []int32    // by job: how many it waits for
	shuffles  [][]int32  // by job: stages whose output it uses
	taskBase  []int32    // by stage: its first task within the application; one more at the end
	blockBase []int32    // by data set: its first block; one more at the end
	located   []bool     // by stage: some task has input hosts
}

// planSpark prepares a Spark application, or returns an error if it cannot be simulated.
func planSpark(w *simcore.Workload, j *simcore.Job) (*sparkPlan, error) {
	a := j.Spark
	p := &sparkPlan{app: a}
	if err := p.planProfiles(j.ID); err != nil {
		return nil, err
	}
	n := len(a.Stages)
	p.children, p.taskBase, p.located = make([][]int32, n), []int32{0}, make([]bool, n)
	blocks := []int32{}
	for i := range a.Stages {
		st := &a.Stages[i]
		p.taskBase = append(p.taskBase, p.taskBase[i]+st.Tasks)
		for _, q := range st.Parents {
			if a.Stages[q].Job == st.Job && !slices.Contains(p.children[q], int32(i)) {
				p.children[q] = append(p.children[q], int32(i))
			}
		}
		if st.Caches >= 0 {
			for int(st.Caches) >= len(blocks) {
				blocks = append(blocks, 0)
			}
			blocks[st.Caches] = max(blocks[st.Caches], st.Tasks)
		}
		if st.FirstTask >= 0 && len(w.Tasks.HostAt) > 0 {
			p.located[i] = w.Tasks.HostAt[st.FirstTask] < w.Tasks.HostAt[st.FirstTask+st.Tasks]
		}
	}
	p.blockBase = []int32{0}
	for set, b := range blocks {
		p.blockBase = append(p.blockBase, p.blockBase[set]+b)
	}
	p.planJobs()
	return p, nil
}

// maxProfiles bounds the resource profiles of an application; each is a priority
// of its asks.
const maxProfiles = 1000

// planProfiles prepares the resource profiles. Without dynamic allocation all
// executors are of the default one.
func (p *sparkPlan) planProfiles(job string) error {
	a := p.app
	if len(a.Executors) > maxProfiles {
		return fmt.Errorf("yarn: job %q: %d resource profiles: must be at most %d", job, len(a.Executors), maxProfiles)
	}
	for i := range a.Executors {
		e := &a.Executors[i]
		p.slots = append(p.slots, e.Slots())
		p.sizes = append(p.sizes, Resource{Memory: e.Container[simcore.Memory], VCores: max(e.Container[simcore.VCores], 1)})
		p.stride = max(p.stride, e.Slots())
	}
	for i := range a.Stages {
		if q := a.Stages[i].Profile; !a.Settings.Dynamic && p.slots[q] != p.slots[0] {
			return fmt.Errorf("yarn: job %q, stage %d: resource profile %d: must run %d tasks per executor without dynamic "+
				"allocation, as the default profile",
				job, i, q, p.slots[0])
		}
	}
	return nil
}

// profile returns the resource profile whose executors run a stage.
func (p *sparkPlan) profile(stage int32) int32 {
	if !p.app.Settings.Dynamic {
		return 0
	}
	return p.app.Stages[stage].Profile
}

// planJobs lists which jobs wait for which, and whose output they use.
func (p *sparkPlan) planJobs() {
	n := len(p.app.Jobs)
	p.followers, p.before, p.shuffles = make([][]int32, n), make([]int32, n), make([][]int32, n)
	for i := range p.app.Jobs {
		job := &p.app.Jobs[i]
		for _, q := range job.After {
			if !slices.Contains(p.followers[q], int32(i)) {
				p.followers[q] = append(p.followers[q], int32(i))
				p.before[i]++
			}
		}
		p.shuffles[i] = p.ancestors(job)
	}
}

// ancestors lists the stages whose shuffle output a job uses, directly or not.
func (p *sparkPlan) ancestors(job *simcore.SparkJob) (list []int32) {
	todo := []int32{}
	for st := job.FirstStage; st < job.FirstStage+job.Stages; st++ {
		todo = append(todo, st)
	}
	for len(todo) > 0 {
		st := todo[0]
		todo = todo[1:]
		for _, q := range p.app.Stages[st].Parents {
			if !slices.Contains(list, q) {
				list, todo = append(list, q), append(todo, q)
			}
		}
	}
	return list
}
