package yarn

import "schedtune/simcore/yarn/spark"

// What is recorded of the tasks of a Spark application.

// recordedStage returns what is recorded of an attempt of a stage, counted from 0; nil if nothing is.
func (a *sparkApp) recordedStage(stage, try int32) *RecordedStage {
	if tries := pick(a.recorded.Stages, stage); int(try) < len(tries) {
		return &tries[try]
	}
	return nil
}

// indexOf returns the index of a task in the current attempt of its stage.
func (r *sparkStage) indexOf(task int32) int32 {
	if r.index != nil {
		return r.index[task]
	}
	return task
}

// recordedTask returns the record of a task that is being launched; nil if there is none.
func (a *sparkApp) recordedTask(stage int32, l *spark.Launch) *RecordedTask {
	run := &a.stages[stage]
	if r := a.recordedStage(stage, run.tries-1); r != nil && l.Set == run.set {
		if list := pick(r.Tasks, run.indexOf(l.Task)); int(l.Nth) < len(list) {
			return &list[l.Nth]
		}
	}
	return nil
}

// runners returns by task the executors that ran it in the current attempt of a stage; nil if they
// are not recorded.
func (a *sparkApp) runners(stage int32) (list [][]spark.Runner) {
	run := &a.stages[stage]
	r := a.recordedStage(stage, run.tries-1)
	if r == nil {
		return nil
	}
	for t := range a.plan.app.Stages[stage].Tasks {
		var by []spark.Runner
		for _, x := range pick(r.Tasks, run.indexOf(t)) {
			by = append(by, spark.Runner{Executor: x.Executor, Nth: x.Nth})
		}
		list = append(list, by)
	}
	return list
}
