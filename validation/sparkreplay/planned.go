package sparkreplay

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// stepGap is what the driver takes between two steps of its program.
const stepGap = 5 * simcore.Millisecond

// scenario returns the scenario as a workload of user code times: nothing of it
// is recorded.
func (r *Run) scenario() *simcore.Workload {
	b := &builder{r: r, w: &simcore.Workload{Name: r.Name}, rec: &yarn.Recorded{}}
	for i := range r.Apps {
		p := r.planned(r.Apps[i].Name)
		job := simcore.Job{ID: p.Name, Name: p.Name, Queue: b.queues.ID(&b.w.Queues, p.Queue),
			User: b.users.ID(&b.w.Users, p.User), Class: -1,
			Submit: simcore.Time(p.Submit) * simcore.Millisecond, MapDist: -1, ReduceDist: -1, FirstTask: -1}
		if p.Kind == "spark" {
			job.AMAsk, job.Spark = r.Apps[i].Driver, b.program(p, r.Apps[i])
		} else if a := r.Apps[i]; a.tez() {
			job.AMAsk, job.Tez = simcore.Vec{a.AMMiB, 1}, b.tezProgram(p, a)
		} else {
			b.planned(&job, p)
		}
		b.w.Jobs = append(b.w.Jobs, job)
	}
	b.w.Tasks.Output = nil
	slices.SortStableFunc(b.w.Jobs, func(x, y simcore.Job) int { return int(x.Submit - y.Submit) })
	return b.w
}

// program is the plan of a Spark application.
func (b *builder) program(p *PlanJob, a *App) *simcore.SparkApp {
	app := &simcore.SparkApp{Settings: a.Settings, Executors: []simcore.SparkExecutor{a.Executor}}
	sets := p.sets()
	var last []int32
	wait := simcore.Time(0)
	for k := range p.Steps {
		step := &p.Steps[k]
		wait += simcore.Time(step.WaitMS) * simcore.Millisecond
		if step.Unpersist != "" {
			app.Jobs = append(app.Jobs, simcore.SparkJob{After: last, Delay: wait + stepGap, FirstStage: int32(len(app.Stages)),
				Unpersist: []int32{sets[step.Unpersist]}})
		}
		var jobs []int32
		for j := range step.Jobs {
			in := &step.Jobs[j]
			id := int32(len(app.Jobs))
			job := simcore.SparkJob{After: last, Delay: wait + stepGap + simcore.Time(in.AfterMS)*simcore.Millisecond,
				FirstStage: int32(len(app.Stages)), Stages: int32(len(in.Stages))}
			for i := range in.Stages {
				st := simcore.SparkStage{Job: id, Tasks: int32(len(in.Stages[i].TaskMS)),
					FirstTask: int32(len(b.w.Tasks.Duration)), Dist: -1, Reads: -1,
					Caches: sets[in.Stages[i].Cache]}
				if i > 0 {
					st.Parents = []int32{int32(len(app.Stages)) - 1}
					parent := &app.Stages[len(app.Stages)-1]
					parent.ShuffleWrite, parent.Parts = true, parts(parent.Tasks, in.Stages[i-1].KB, st.Tasks)
				} else {
					st.Reads = sets[in.From]
				}
				for _, ms := range in.Stages[i].TaskMS {
					b.newTask(simcore.Time(ms) * simcore.Millisecond)
				}
				app.Stages = append(app.Stages, st)
			}
			app.Jobs = append(app.Jobs, job)
			jobs = append(jobs, id)
		}
		if len(jobs) > 0 {
			last, wait = jobs, 0
		}
	}
	return app
}
