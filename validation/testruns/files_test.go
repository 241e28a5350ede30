package testruns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Epoch is the run's time zero, milliseconds since 1970.
const Epoch = 1_700_000_000_000

const queueFile = `<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.5</value></property>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,adhoc</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.maximum-capacity</name><value>100</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.user-limit-factor</name><value>2</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>40</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name><value>80</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.user-limit-factor</name><value>2</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.minimum-user-limit-percent</name><value>50</value></property>
</configuration>
`

const settingsFile = `<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.minimum-allocation-mb</name><value>256</value></property>
  <property><name>yarn.scheduler.maximum-allocation-mb</name><value>1024</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>1024</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>4</value></property>
</configuration>
`

// Files makes a run and returns the contents of its folder by name.
func Files(seed uint64) (map[string][]byte, error) {
	conf, err := evaluate(queueFile, settingsFile)
	if err != nil {
		return nil, err
	}
	m, err := simulate(conf, seed, false)
	if err != nil {
		return nil, err
	}
	files := m.files()
	files["settings.xml"] = []byte(settingsFile)
	files["rest-nodes.jsonl"] = m.restNodes()
	files["rest-scheduler.jsonl"] = restScheduler()
	files["rest-apps.jsonl"] = m.restApps()
	files["rm-audit.log"] = m.audit()
	for _, j := range m.jobs {
		name, text := j.history()
		files["history/"+name] = text
		files["history/"+j.id()+"_conf.xml"] = j.conf()
	}
	return files, nil
}

// files are those that every run's folder has.
func (m *made) files() map[string][]byte {
	files := map[string][]byte{
		"capacity-scheduler.xml": []byte(queueFile),
		"nodes.csv":              m.nodeTable(),
		"jobs.csv":               m.jobTable(),
		"containers.csv":         m.containerTable(),
		"tasks.csv":              m.taskTable(),
		"heartbeats.csv":         m.beatTable(),
		"scenario.json":          m.plan(),
		"result.json":            m.result(),
		"cluster-events.log":     m.events(),
	}
	for _, j := range m.jobs {
		files["am-logs/"+j.id()+"."+j.name+".syslog"] = j.log()
	}
	return files
}

func (j *job) id() string { return fmt.Sprintf("job_%d_%04d", int64(Epoch-60_000), j.app+1) }

func (j *job) number() string { return strings.TrimPrefix(j.id(), "job_") }

func (c *container) id() string {
	return fmt.Sprintf("container_%s_01_%06d", c.job.number(), c.ordinal+1)
}

func (c *container) taskID() string {
	if c.task < 0 {
		return ""
	}
	return fmt.Sprintf("task_%s_%s_%06d", c.job.number(), strings.ToLower(c.kind[:1]), c.task)
}

func (c *container) attempt() string {
	if c.task < 0 {
		return ""
	}
	return fmt.Sprintf("attempt%s_%d", strings.TrimPrefix(c.taskID(), "task"), c.try)
}

// ms is a time in a table, empty for none.
func ms(t int64) string {
	if t < 0 {
		return ""
	}
	return fmt.Sprint(t)
}

// table joins a header and rows of cells.
func table(head string, rows [][]string) []byte {
	var b bytes.Buffer
	b.WriteString(head + "\n")
	for _, r := range rows {
		b.WriteString(strings.Join(r, ",") + "\n")
	}
	return b.Bytes()
}

func (m *made) nodeTable() []byte {
	var rows [][]string
	for n := range m.next {
		rows = append(rows, []string{nodeName(n), fmt.Sprintf("%s:%d", nodeName(n), 40001+n), fmt.Sprint(nodeMiB), "4",
			"/default-rack"})
	}
	return table("node,node_id,mib,vcores,rack", rows)
}

func (m *made) jobTable() []byte {
	var rows [][]string
	for _, j := range m.jobs {
		last := j.lastMap
		for _, c := range j.containers {
			last = max(last, c.finished)
		}
		am := j.containers[0]
		rows = append(rows, []string{j.id(), j.name, j.queue, j.user, fmt.Sprint(j.maps), fmt.Sprint(j.reduces),
			fmt.Sprint(j.slowstart),
			ms(j.planned), ms(j.submit), ms(am.allocated), ms(am.allocated), nodeName(am.node), ms(am.up), ms(j.registered),
			ms(j.registered + 5),
			ms(j.lastMap), ms(last), ms(j.finish), ms(j.done), ms(j.freed), "SUCCEEDED"})
	}
	return table(
		"job,name,queue,user,maps,reduces,slowstart,planned_submit_ms,submit_ms,activated_ms,am_allocated_ms,am_node,am_start_ms,am_registered_ms,launch_ms,last_map_finish_ms,last_task_finish_ms,finish_ms,rm_finish_ms,am_released_ms,final_status", rows)
}

func (m *made) containerTable() []byte {
	var rows [][]string
	for _, j := range m.jobs {
		for _, c := range j.containers {
			rows = append(rows, []string{c.id(), j.id(), j.name, c.kind, c.attempt(), nodeName(c.node), fmt.Sprint(taskMiB), "1",
				ms(c.allocated), ms(c.acquired), ms(c.request), ms(c.localised), ms(c.exec), ms(c.exited), ms(c.released)})
		}
	}
	return table(
		"container,job,name,kind,attempt,node,mib,vcores,rm_allocated_ms,rm_acquired_ms,nm_start_request_ms,nm_localized_ms,nm_exec_ms,nm_exited_ms,rm_released_ms", rows)
}

func (m *made) taskTable() []byte {
	var rows [][]string
	for _, j := range m.jobs {
		for _, c := range j.containers {
			if c.task >= 0 {
				end, status := c.finished, "SUCCEEDED"
				if c.killed > 0 {
					end, status = c.killed, "KILLED"
				}
				rows = append(rows, []string{j.id(), j.name, c.kind, c.taskID(), c.attempt(), nodeName(c.node), c.id(),
					ms(c.request + 10), ms(c.up), ms(c.shuffled), ms(c.sorted), ms(end), status})
			}
		}
	}
	return table(
		"job,name,type,task,attempt,node,container,start_ms,jvm_up_ms,shuffle_finish_ms,sort_finish_ms,finish_ms,status",
		rows)
}

func (m *made) beatTable() []byte {
	var rows [][]string
	for _, b := range m.beats {
		rows = append(rows, []string{ms(b.at), nodeName(b.node)})
	}
	return table("t_ms,node", rows)
}

func encode(v any) []byte {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic("maderun: " + err.Error()) // maps of numbers and strings
	}
	return append(b, '\n')
}

type object = map[string]any

func (m *made) plan() []byte {
	var list, jobs []object
	for n := range nodes {
		list = append(list, object{"name": nodeName(n), "mib": nodeMiB, "vcores": 4})
	}
	for _, j := range m.jobs {
		jobs = append(jobs, object{"name": j.name, "kind": "sleep", "queue": j.queue, "user": j.user, "submit_ms": j.planned,
			"maps": j.maps, "reduces": j.reduces,
			"map_ms": j.mapMS, "reduce_ms": j.reduceMS, "slowstart": j.slowstart, "map_mib": taskMiB, "reduce_mib": taskMiB,
			"am_mib": taskMiB})
	}
	plan := object{"run": "mapreduce", "note": "made by validation/testruns", "nodes": list, "jobs": jobs}
	if m.el != nil {
		plan["run"], plan["events"] = "elastic", m.nodePlan()
	}
	return encode(plan)
}

func (m *made) result() []byte {
	first, last := m.jobs[0].submit, int64(0)
	for _, j := range m.jobs {
		last = max(last, j.finish)
	}
	return encode(object{"run": "mapreduce", "t0_epoch_ms": int64(Epoch), "jobs": len(m.jobs), "makespan_ms": last -
		first, "first_submit_ms": first, "last_finish_ms": last})
}

// stamp is a time of a log.
func stamp(at int64) string {
	return time.UnixMilli(Epoch + at).UTC().Format("2006-01-02 15:04:05,000")
}

// events are the lines of the ResourceManager on applications in leaf queues.
func (m *made) events() []byte {
	var b bytes.Buffer
	for _, j := range m.jobs {
		fmt.Fprintf(&b, "%s INFO LeafQueue: Application added - appId: application_%s user: %s\n", stamp(j.submit+4),
			j.number(), j.user)
	}
	for _, j := range m.jobs {
		fmt.Fprintf(&b, "%s INFO LeafQueue: Application removed - appId: application_%s user: %s\n", stamp(j.freed),
			j.number(), j.user)
	}
	return b.Bytes()
}

// log is the application master's own log.
func (j *job) log() []byte {
	var b bytes.Buffer
	for _, h := range j.beats {
		for _, a := range h.added {
			fmt.Fprintf(&b, "%s INFO [Thread-53] RMContainerAllocator: Added %s to list of failed maps\n", stamp(h.at), a)
		}
		at := stamp(h.at + 2)
		fmt.Fprintf(&b, "%s INFO [RMCommunicator Allocator] RMContainerAllocator: Before Scheduling: PendingReds:0 "+
			"ScheduledMaps:%d ScheduledReds:%d\n", at, h.maps, h.reduces)
		if h.asks+h.releases > 0 {
			fmt.Fprintf(&b, "%s INFO [RMCommunicator Allocator] RMContainerRequestor: applicationId=application_%s: ask=%d "+
				"release=%d newContainers=0\n", at, j.number(), h.asks, h.releases)
		}
		for range h.failedRuns {
			fmt.Fprintf(&b, "%s INFO [RMCommunicator Allocator] RMContainerAllocator: Assigned from earlierFailedMaps\n", at)
		}
		for _, ord := range h.refused {
			fmt.Fprintf(&b, "%s INFO [RMCommunicator Allocator] RMContainerAllocator: Releasing unassigned container "+
				"Container: [ContainerId: %s]\n", at, j.byOrdinal(ord).id())
		}
	}
	return b.Bytes()
}
