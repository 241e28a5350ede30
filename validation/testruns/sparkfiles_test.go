package testruns

import (
	"fmt"
	"strings"

	"schedtune/yarnconf"
)

const sparkSettings = `<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.minimum-allocation-mb</name><value>128</value></property>
  <property><name>yarn.scheduler.maximum-allocation-mb</name><value>3072</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>3072</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>8</value></property>
</configuration>
`

// SparkFiles makes a run of Spark applications and returns the contents of its
// folder by name.
func SparkFiles(seed uint64) (map[string][]byte, error) {
	conf, err := evaluate(queueFile, sparkSettings)
	if err != nil {
		return nil, err
	}
	m, err := simulateSpark(conf, seed)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"capacity-scheduler.xml": []byte(queueFile),
		"settings.xml":           []byte(sparkSettings),
		"nodes.csv":              m.nodeTable(),
		"jobs.csv":               m.appTable(),
		"sparkjobs.csv":          m.jobTable(),
		"stages.csv":             m.stageTable(),
		"tasks.csv":              m.taskTable(),
		"executors.csv":          m.executorTable(),
		"targets.csv":            m.targetTable(),
		"asks.csv":               m.askTable(),
		"am-heartbeats.csv":      m.callTable(),
		"containers.csv":         m.containerTable(),
		"heartbeats.csv":         m.beatTable(),
		"scenario.json":          m.plan(),
		"result.json":            m.result(),
	}, nil
}

// evaluate reads a queue file with the cluster's other settings behind it.
func evaluate(queues, settings string) (*yarnconf.Config, error) {
	doc, err := yarnconf.Parse("capacity-scheduler.xml", []byte(queues))
	if err != nil {
		return nil, err
	}
	site, err := yarnconf.Parse("settings.xml", []byte(settings))
	if err != nil {
		return nil, err
	}
	return yarnconf.Evaluate(doc.WithSite(site))
}

func (a *sparkApp) id() string {
	return fmt.Sprintf("application_%d_%04d", int64(Epoch-60_000), a.app+1)
}

func (a *sparkApp) container(c *sparkContainer) string {
	return fmt.Sprintf("container_%s_01_%06d", strings.TrimPrefix(a.id(), "application_"), c.ordinal+1)
}

// rows makes a table of lines of every application; cells are numbers or text.
func (m *madeSpark) rows(head string, of func(a *sparkApp, add func(cells ...any))) []byte {
	var rows [][]string
	for _, a := range m.apps {
		of(a, func(cells ...any) {
			row := []string{a.id(), a.name}
			for _, c := range cells {
				if t, ok := c.(int64); ok { // an instant
					row = append(row, ms(t))
				} else {
					row = append(row, fmt.Sprint(c))
				}
			}
			rows = append(rows, row)
		})
	}
	return table("app,name,"+head, rows)
}

func (m *madeSpark) nodeTable() []byte {
	var rows [][]string
	for n := range sparkNodes {
		rows = append(rows, []string{nodeName(n), fmt.Sprintf("%s:%d", nodeName(n), 40001+n), fmt.Sprint(sparkNodeMiB), "8",
			"/default-rack"})
	}
	return table("node,node_id,mib,vcores,rack", rows)
}

func (m *madeSpark) appTable() []byte {
	return m.rows(
		"kind,queue,user,planned_submit_ms,submit_ms,am_allocated_ms,am_node,am_mib,am_registered_ms,context_ms,first_task_ms,last_task_finish_ms,finish_ms,unregister_ms,rm_finish_ms,am_released_ms,final_status",
		func(a *sparkApp, add func(...any)) {
			last := int64(0)
			for _, t := range a.tasks {
				last = max(last, t.finish)
			}
			add("spark", a.queue, a.user, a.planned, a.submit, a.allocated, nodeName(a.containers[0].node), sparkMiB,
				a.registered, a.context,
				a.tasks[0].launch, last, a.finish, a.unregister, a.unregister+2, a.freed, "SUCCEEDED")
		})
}

func (m *madeSpark) jobTable() []byte {
	return m.rows("spark_job,group,submit_ms,end_ms,stages,result", func(a *sparkApp, add func(...any)) {
		for i, j := range a.jobs {
			add(i, j.group, j.submit, j.end, strings.Trim(fmt.Sprint(j.stages), "[]"), "JobSucceeded")
		}
	})
}

func (m *madeSpark) stageTable() []byte {
	return m.rows(
		"spark_job,stage,stage_attempt,plan,parents,tasks,submit_ms,complete_ms,outputs_lost,shuffle_written_bytes,status",
		func(a *sparkApp, add func(...any)) {
			for i, st := range a.stages {
				parent := ""
				if st.parent >= 0 {
					parent = fmt.Sprint(st.parent)
				}
				add(st.job, i, 0, st.plan, parent, len(st.ms), st.submit, st.complete, 0, 0, "COMPLETE")
			}
		})
}

func (m *madeSpark) taskTable() []byte {
	return m.rows(
		"kind,stage,stage_attempt,task,attempt,task_id,executor,container,node,locality,launch_ms,finish_ms,status,asked_ms,run_ms,shuffle_written_bytes,speculative,output_lost", func(a *sparkApp, add func(...any)) {
			for i, t := range a.tasks {
				add("SPARK", t.stage, 0, t.index, 0, i, t.exec.id, a.container(t.exec.c), nodeName(t.exec.c.node), "PROCESS_LOCAL",
					t.launch, t.finish, "SUCCEEDED",
					a.stages[t.stage].ms[t.index], t.finish-t.launch-12, 0, 0, 0)
			}
		})
}

func (m *madeSpark) executorTable() []byte {
	return m.rows(
		"executor,container,node,mib,cores,rm_allocated_ms,rm_acquired_ms,am_launch_ms,nm_start_request_ms,registered_ms,added_ms,block_manager_ms,first_task_ms,last_task_ms,kill_asked_ms,release_asked_ms,told_stop_ms,nm_exited_ms,rm_released_ms,removed_ms,removed_reason,exit_status",
		func(a *sparkApp, add func(...any)) {
			for _, e := range a.execs {
				c, added, reason, status := e.c, e.registered, "", ""
				if added >= 0 {
					added++
				}
				if e.removed >= 0 {
					reason, status = "killed by driver", "-100"
				}
				add(e.id, a.container(c), nodeName(c.node), sparkMiB, 1, c.allocated, c.acquired, e.launch, e.started,
					e.registered, added, e.blocks,
					e.firstTask, e.lastTask, e.killAsked, c.releaseAsked, e.toldStop, c.exited, a.released(c), e.removed, reason,
					status)
			}
		})
}

// released is when the ResourceManager has a container's space back, with its
// application at the latest.
func (a *sparkApp) released(c *sparkContainer) int64 {
	if c.freed < 0 {
		return a.freed
	}
	return c.freed
}

func (m *madeSpark) targetTable() []byte {
	return m.rows("t_ms,source,target,reason", func(a *sparkApp, add func(...any)) {
		for _, t := range a.manager.changes {
			add(t.at, t.source, t.target, t.reason)
		}
	})
}

func (m *madeSpark) askTable() []byte {
	return m.rows("t_ms,response_id,kind,priority,where,relax_locality,mib,vcores,count,container",
		func(a *sparkApp, add func(...any)) {
			for _, r := range a.master.rows {
				if r.kind == "ASK" {
					add(r.at, r.response, r.kind, 0, "*", true, sparkMiB, 1, r.count, "")
				} else {
					add(r.at, r.response, r.kind, "", "", "", "", "", "", a.container(r.container))
				}
			}
		})
}

func (m *madeSpark) callTable() []byte {
	return m.rows("t_ms,target,pending,running,starting,response_id,asks,releases,granted,completed",
		func(a *sparkApp, add func(...any)) {
			for i, c := range a.master.calls {
				add(c.at, c.want, c.pending, c.running, c.starting, i, c.asks, c.releases, c.granted, c.told)
			}
		})
}

func (m *madeSpark) containerTable() []byte {
	return m.rows(
		"kind,id,node,mib,vcores,rm_reserved_ms,rm_allocated_ms,rm_acquired_ms,rm_running_ms,release_asked_ms,preempt_told_ms,nm_exited_ms,rm_released_ms,am_told_end_ms,rm_end,exit_status,container", func(a *sparkApp, add func(...any)) {
			for _, c := range a.containers {
				kind, of, end, status, running := "UNUSED", "", "completed", "", any("")
				switch {
				case c.ordinal == 0:
					kind = "AM"
				case c.exec != nil:
					kind, of, running = "EXECUTOR", fmt.Sprint(c.exec.id), c.exec.started
				}
				if c.releaseAsked >= 0 {
					end, status = "released", "-100"
				}
				add(kind, of, nodeName(c.node), sparkMiB, 1, "", c.allocated, c.acquired, running, c.releaseAsked, "", c.exited,
					a.released(c), c.toldEnd, end, status, a.container(c))
			}
		})
}

func (m *madeSpark) beatTable() []byte {
	var rows [][]string
	for _, b := range m.beats {
		rows = append(rows, []string{fmt.Sprint(b.at), nodeName(b.node)})
	}
	return table("t_ms,node", rows)
}

func (m *madeSpark) plan() []byte {
	var list, apps []object
	for n := range sparkNodes {
		list = append(list, object{"name": nodeName(n), "mib": sparkNodeMiB, "vcores": 8})
	}
	for _, a := range m.apps {
		conf := object{"spark.executor.instances": fmt.Sprint(a.instances)}
		if a.dynamic {
			conf = object{"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true",
				"spark.dynamicAllocation.maxExecutors":        fmt.Sprint(a.most),
				"spark.dynamicAllocation.executorIdleTimeout": fmt.Sprintf("%ds", a.idle/1000)}
		}
		var steps []object
		for _, s := range a.steps {
			if s.wait > 0 {
				steps = append(steps, object{"wait_ms": s.wait})
			}
			var stages []object
			for _, list := range s.stages {
				stages = append(stages, object{"task_ms": list, "kb": 0})
			}
			steps = append(steps, object{"jobs": []object{{"stages": stages}}})
		}
		apps = append(apps, object{"name": a.name, "kind": "spark", "queue": a.queue, "user": a.user, "submit_ms": a.planned,
			"conf": conf, "steps": steps})
	}
	return encode(object{"run": "spark", "note": "made by validation/testruns", "nodes": list, "jobs": apps,
		"spark_conf": object{"spark.driver.memory": "512m", "spark.executor.memory": "512m", "spark.executor.cores": "1"}})
}

func (m *madeSpark) result() []byte {
	first, last := m.apps[0].submit, int64(0)
	for _, a := range m.apps {
		first, last = min(first, a.submit), max(last, a.unregister+2)
	}
	return encode(object{"run": "spark", "t0_epoch_ms": int64(Epoch), "jobs": len(m.apps), "makespan_ms": last - first,
		"first_submit_ms": first, "last_finish_ms": last})
}
