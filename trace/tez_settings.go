package trace

import (
	"cmp"
	"fmt"
	"strconv"

	"schedtune/simcore"
	"schedtune/trace/tezlog"
)

// TezSettings returns the settings of a recorded application; those that cannot be read are
// Tez's defaults, and the problem names the first.
func TezSettings(app *tezlog.App) (s simcore.TezSettings, problem error) {
	s = simcore.DefaultTezSettings()
	s.SubmitTimeout /= 1000 // milliseconds stand for its seconds
	for _, p := range []struct {
		name string
		to   any
	}{
		{"tez.am.am-rm.heartbeat.interval-ms.max", &s.Heartbeat},
		{"tez.am.container.reuse.enabled", &s.Reuse},
		{"tez.am.container.reuse.rack-fallback.enabled", &s.RackFallback},
		{"tez.am.container.reuse.non-local-fallback.enabled", &s.AnyFallback},
		{"tez.am.container.reuse.new-containers.enabled", &s.ReuseNew},
		{"tez.am.container.reuse.locality.delay-allocation-millis", &s.LocalityDelay},
		{"tez.am.container.idle.release-timeout-min.millis", &s.IdleMin},
		{"tez.am.container.idle.release-timeout-max.millis", &s.IdleMax},
		{"tez.am.session.min.held-containers", &s.Held},
		{"tez.am.preemption.percentage", &s.PreemptPercent},
		{"tez.am.preemption.heartbeats-between-preemptions", &s.PreemptBeats},
		{"tez.am.preemption.max.wait-time-ms", &s.PreemptWait},
		{"tez.shuffle-vertex-manager.min-src-fraction", &s.MinSource},
		{"tez.shuffle-vertex-manager.max-src-fraction", &s.MaxSource},
		{"tez.session.am.dag.submit.timeout.secs", &s.SubmitTimeout},
		{"tez.am.sleep.time.before.exit.millis", &s.ExitDelay},
		{"tez.am.task.max.failed.attempts", &s.MaxFailures},
		{"tez.am.vertex.max-task-concurrency", &s.MaxConcurrent},
	} {
		if v, said := app.Conf[p.name]; said && !setTo(p.to, v) && problem == nil {
			problem = fmt.Errorf("%s: %s cannot be read", p.name, clip(v))
		}
	}
	if s.SubmitTimeout < simcore.Never {
		s.SubmitTimeout *= 1000
	}
	s.IdleMax = max(s.IdleMin, s.IdleMax)
	s.MaxSource = max(s.MinSource, s.MaxSource)
	if s.Heartbeat <= 0 || s.Heartbeat == simcore.Never {
		s.Heartbeat = simcore.DefaultTezSettings().Heartbeat
	}
	const old = "YarnTaskSchedulerService"
	s.Old = app.Scheduler == old || app.Scheduler == "" &&
		app.Conf["tez.am.yarn.scheduler.class"] == "org.apache.tez.dag.app.rm."+old
	return s, problem
}

// setTo sets a time in milliseconds (below 0: never), a count (below 0: 0), a share or a
// switch, and reports whether the text is one.
func setTo(to any, text string) bool {
	switch to := to.(type) {
	case *simcore.Time:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v > maxMillis/1000 {
			return false
		}
		if *to = toTime(Millis(v)); v < 0 {
			*to = simcore.Never
		}
	case *int32:
		v, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return false
		}
		*to = int32(max(0, v))
	case *float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return false
		}
		*to = v
	case *bool:
		*to = text == "true"
	}
	return true
}

// tezSizes are the sizes of the containers of an application and of its master, as far as
// its settings tell them: Hive's queries take hive.tez.container.size, which stands for
// MapReduce's where it is below 0.
func tezSizes(app *tezlog.App) (task, master Size) {
	set := func(names ...string) int64 {
		for _, n := range names {
			if v, err := strconv.ParseInt(app.Conf[n], 10, 64); err == nil && v > 0 && v < maxSize {
				return v
			}
		}
		return 0
	}
	hive := map[bool][]string{}
	if _, said := app.Conf["hive.tez.container.size"]; said || app.Caller == "HIVE_QUERY_ID" {
		hive[true] = []string{"hive.tez.container.size", "mapreduce.map.memory.mb"}
		hive[false] = []string{"hive.tez.cpu.vcores", "mapreduce.map.cpu.vcores"}
	}
	task = Size{set(append(hive[true], "tez.task.resource.memory.mb")...),
		set(append(hive[false], "tez.task.resource.cpu.vcores")...)}
	if task.MiB > 0 {
		task.VCores = max(task.VCores, 1)
	}
	if app.Conf != nil {
		master = Size{cmp.Or(set("tez.am.resource.memory.mb"), 1024), cmp.Or(set("tez.am.resource.cpu.vcores"), 1)}
	}
	return task, master
}
