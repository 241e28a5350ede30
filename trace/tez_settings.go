package trace

import (
	"cmp"
	"fmt"
	"strconv"

	"schedtune/simcore"
	"schedtune/trace/tezlog"
)

// tezSettings are the settings of a recorded application; those that cannot be read are
// Tez's defaults, and the problem names the first.
func tezSettings(app *tezlog.App) (s simcore.TezSettings, problem error) {
	s = simcore.DefaultTezSettings()
	span := func(to *simcore.Time, unit simcore.Time) func(string) error {
		return func(text string) error {
			v, err := strconv.ParseInt(text, 10, 64)
			if err == nil && v > maxMillis {
				err = strconv.ErrRange
			}
			if err == nil {
				if *to = simcore.Time(v) * unit; v < 0 {
					*to = simcore.Never
				}
			}
			return err
		}
	}
	count := func(to *int32) func(string) error {
		return func(text string) error {
			v, err := strconv.ParseInt(text, 10, 32)
			if err == nil {
				*to = int32(max(0, v))
			}
			return err
		}
	}
	share := func(to *float64) func(string) error {
		return func(text string) error {
			v, err := strconv.ParseFloat(text, 64)
			if err == nil && !(v >= 0 && v <= 1) {
				err = strconv.ErrRange
			}
			if err == nil {
				*to = v
			}
			return err
		}
	}
	on := func(to *bool) func(string) error {
		return func(text string) error {
			*to = text == "true"
			return nil
		}
	}
	for _, p := range []struct {
		name string
		take func(string) error
	}{
		{"tez.am.am-rm.heartbeat.interval-ms.max", span(&s.Heartbeat, simcore.Millisecond)},
		{"tez.am.container.reuse.enabled", on(&s.Reuse)},
		{"tez.am.container.reuse.rack-fallback.enabled", on(&s.RackFallback)},
		{"tez.am.container.reuse.non-local-fallback.enabled", on(&s.AnyFallback)},
		{"tez.am.container.reuse.new-containers.enabled", on(&s.ReuseNew)},
		{"tez.am.container.reuse.locality.delay-allocation-millis", span(&s.LocalityDelay, simcore.Millisecond)},
		{"tez.am.container.idle.release-timeout-min.millis", span(&s.IdleMin, simcore.Millisecond)},
		{"tez.am.container.idle.release-timeout-max.millis", span(&s.IdleMax, simcore.Millisecond)},
		{"tez.am.session.min.held-containers", count(&s.Held)},
		{"tez.am.preemption.percentage", count(&s.PreemptPercent)},
		{"tez.am.preemption.heartbeats-between-preemptions", count(&s.PreemptBeats)},
		{"tez.am.preemption.max.wait-time-ms", span(&s.PreemptWait, simcore.Millisecond)},
		{"tez.shuffle-vertex-manager.min-src-fraction", share(&s.MinSource)},
		{"tez.shuffle-vertex-manager.max-src-fraction", share(&s.MaxSource)},
		{"tez.session.am.dag.submit.timeout.secs", span(&s.SubmitTimeout, simcore.Second)},
		{"tez.am.sleep.time.before.exit.millis", span(&s.ExitDelay, simcore.Millisecond)},
		{"tez.am.task.max.failed.attempts", count(&s.MaxFailures)},
		{"tez.am.vertex.max-task-concurrency", count(&s.MaxConcurrent)},
	} {
		if v, said := app.Conf[p.name]; said {
			if err := p.take(v); err != nil && problem == nil {
				problem = fmt.Errorf("%s: %s cannot be read", p.name, clip(v))
			}
		}
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
