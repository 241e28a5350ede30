package trace

import (
	"testing"

	"schedtune/trace/sparklog"
)

// executorsAt are executors of a profile that registered at these times.
func executorsAt(profile int32, times ...Millis) (list []sparklog.Executor) {
	for _, at := range times {
		list = append(list, sparklog.Executor{ID: "x", Cores: 2, Profile: profile, Added: at, Requested: Unknown,
			Storage: Unknown, Removed: Unknown})
	}
	return list
}

// A stage of two tasks, which one executor of two cores takes at a time, is submitted at 4 s and
// another of six at 20 s. More executors than these tasks can ask for were there from the start,
// and the driver waited for four fifths of them unless its first job came before.
func TestExecutorsFromTheStart(t *testing.T) {
	on := map[string]string{"spark.master": "yarn", "spark.dynamicAllocation.enabled": "true", "spark.executor.cores": "2"}
	with := func(name, value string) map[string]string {
		conf := map[string]string{name: value}
		for k, v := range on {
			conf[k] = v
		}
		return conf
	}
	gone := executorsAt(0, 1000, 30_000, 31_000, 32_000, 33_000, 34_000)
	gone[0].Removed = 29_000
	for _, c := range []struct {
		name      string
		conf      map[string]string
		executors []sparklog.Executor
		first     Millis // the first job's submission
		initial   int32
		ratio     float64
	}{
		{"as the tasks ask for", on, executorsAt(0, 5000, 21_000, 22_000, 23_000), 4000, 0, 0.8},
		{"more, before the job", on, executorsAt(0, 1000, 2000, 3000), 4000, 3, 0.8},
		{"more, after the job", on, executorsAt(0, 5000, 6000, 7000), 4000, 3, 0},
		{"more later than the second stage", on, executorsAt(0, 5000, 21_000, 22_000, 23_000, 24_000, 25_000), 4000, 6, 0},
		{"as said", with("spark.dynamicAllocation.initialExecutors", "3"), executorsAt(0, 5000, 6000, 7000), 4000, 3, 0.8},
		{"of another profile", on, append(executorsAt(0, 5000), executorsAt(1, 6000, 7000, 8000)...), 4000, 0, 0.8},
		{"in the place of one that is gone", on, gone, 4000, 1, 0.8},
		{"with speculation", with("spark.speculation", "true"), executorsAt(0, 1000, 2000, 3000), 4000, 0, 0.8},
		{"static", map[string]string{"spark.master": "yarn", "spark.executor.instances": "1"}, executorsAt(0, 1, 2, 3), 4000,
			0, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			stage := func(id, tasks int32, at Millis) sparklog.Stage {
				return sparklog.Stage{ID: id, Tasks: tasks, Submit: at, End: at + 5000, RDD: Unknown, Result: sparklog.Succeeded,
					Attempts: []sparklog.Task{{Launch: at, Finish: at + 5000, Run: 5000}}}
			}
			app := &sparklog.App{ID: "application_1_0001", Start: 0, Ready: 500, End: 60_000, Conf: c.conf, Executors: c.executors,
				Stages: []sparklog.Stage{stage(0, 2, c.first), stage(1, 6, 20_000)},
				Jobs:   []sparklog.Job{{ID: 0, Submit: c.first, End: 40_000, Execution: Unknown, Stages: []int32{0, 1}}}}
			w, notes, err := (&Trace{Jobs: []Job{sparkJob(app)}}).Workload(WorkloadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Jobs[0].Spark.Settings; got.Initial != c.initial || got.MinRegistered != c.ratio {
				t.Errorf("%d executors at the start, ratio %g, want %d, %g; notes %v", got.Initial, got.MinRegistered, c.initial,
					c.ratio, notes)
			}
		})
	}
}

// An executor of a profile of its own shows dynamic allocation where the settings are lost.
func TestProfilesShowDynamicAllocation(t *testing.T) {
	for _, c := range []struct {
		name    string
		profile int32
		conf    map[string]string
		want    bool
	}{
		{"default profile", 0, nil, false},
		{"own profile", 1, nil, true},
		{"set", 0, map[string]string{"spark.dynamicAllocation.enabled": "true"}, true},
		{"local master", 1, map[string]string{"spark.master": "local[2]"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := &sparklog.App{ID: "application_1_0001", Conf: c.conf, Executors: executorsAt(c.profile, 1000)}
			if s, _, _, err := sparkSettings(app); s.Dynamic != c.want || err != nil {
				t.Errorf("dynamic %v, %v, want %v", s.Dynamic, err, c.want)
			}
		})
	}
}
