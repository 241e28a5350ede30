package testruns

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// answers writes one answer of the ResourceManager a line.
type answers struct{ b bytes.Buffer }

func (a *answers) add(at int64, body any) {
	line, err := json.Marshal(object{"t_ms": at, "body": body})
	if err != nil {
		panic("maderun: " + err.Error())
	}
	a.b.Write(append(line, '\n'))
}

// restNodes are the answers of /ws/v1/cluster/nodes every two seconds. A node's
// processor is as busy as 30 % of a core for every task between up and finished.
func (m *made) restNodes() []byte {
	a := &answers{}
	for at := int64(-1000); at < m.now; at += 2000 {
		var list []object
		for n := range nodes {
			held, busy := 0, 0
			for _, j := range m.jobs {
				for _, c := range j.containers {
					if c.node == n && c.allocated <= at && at < c.released {
						held++
					}
					if c.node == n && c.up >= 0 && c.up <= at && at < c.finished {
						busy++
					}
				}
			}
			list = append(list, object{"rack": "/default-rack", "state": "RUNNING", "id": fmt.Sprintf("%s:%d", nodeName(n),
				40001+n), "nodeHostName": nodeName(n),
				"lastHealthUpdate": Epoch + at, "version": "3.4.1", "numContainers": held, "usedMemoryMB": held * taskMiB,
				"availMemoryMB":    nodeMiB - held*taskMiB,
				"usedVirtualCores": held, "availableVirtualCores": 4 - held, "memUtilization": 100 * float64(held*taskMiB) /
					nodeMiB, "cpuUtilization": 7.5 * float64(busy),
				"totalResource": object{"memory": nodeMiB, "vCores": 4},
				"resourceUtilization": object{"nodePhysicalMemoryMB": held * taskMiB, "nodeVirtualMemoryMB": held * taskMiB,
					"nodeCPUUsage": 0.3 * float64(busy)}})
		}
		a.add(at, object{"nodes": object{"node": list}})
	}
	return a.b.Bytes()
}

// restScheduler is an answer of /ws/v1/cluster/scheduler, its figures by hand
// from the queue file: 3 nodes are 3072 MiB and 12 cores, prod has 60 % and may
// grow to 100 %, adhoc 40 % and 80 %; 10,000 applications are shared likewise,
// and a user may have twice the queue's own (of adhoc twice the half), at most all.
func restScheduler() []byte {
	leaf := func(name string, share, most float64, apps, perUser int, least, userLimit float64, min, max [2]int) object {
		return object{"type": "capacitySchedulerLeafQueueInfo", "queueName": name, "queuePath": "root." + name,
			"state":    "RUNNING",
			"capacity": share, "maxCapacity": most, "absoluteCapacity": share, "absoluteMaxCapacity": most,
			"absoluteUsedCapacity": 0.0, "weight": -1.0,
			"userLimit": least, "userLimitFactor": userLimit, "maxApplications": apps, "maxApplicationsPerUser": perUser,
			"orderingPolicyInfo": "fifo", "mode": "percentage",
			"capacities": sizes(min, max)}
	}
	a := &answers{}
	a.add(-1000, object{"scheduler": object{"schedulerInfo": object{"type": "capacityScheduler", "queueName": "root",
		"queuePath": "root",
		"capacity":  100.0, "maxCapacity": 100.0, "absoluteCapacity": 100.0, "absoluteMaxCapacity": 100.0, "weight": -1.0,
		"mode":       "percentage",
		"capacities": sizes([2]int{3072, 12}, [2]int{3072, 12}),
		"queues": object{"queue": []object{
			leaf("prod", 60, 100, 6000, 6000, 100, 2, [2]int{1843, 7}, [2]int{3072, 12}),
			leaf("adhoc", 40, 80, 4000, 4000, 50, 2, [2]int{1228, 4}, [2]int{2457, 9}),
		}}}}})
	return a.b.Bytes()
}

func sizes(min, max [2]int) object {
	size := func(v [2]int) object { return object{"memory": v[0], "vCores": v[1]} }
	return object{"queueCapacitiesByPartition": []object{{"partitionName": "", "effectiveMinResource": size(min),
		"effectiveMaxResource": size(max)}}}
}

// memorySeconds is what the ResourceManager charges a job, MiB s.
func (j *job) memorySeconds() int64 {
	var sum int64
	for _, c := range j.containers {
		sum += taskMiB * (c.released - c.allocated)
	}
	return sum / 1000
}

// restApps is the last answer of /ws/v1/cluster/apps.
func (m *made) restApps() []byte {
	var list []object
	for _, j := range m.jobs {
		list = append(list, object{"id": "application_" + j.number(), "user": j.user, "name": j.name, "queue": "root." +
			j.queue, "state": "FINISHED", "finalStatus": "SUCCEEDED",
			"applicationType": "MAPREDUCE", "startedTime": Epoch + j.submit, "launchTime": Epoch + j.containers[0].allocated,
			"finishedTime": Epoch + j.done, "elapsedTime": j.done - j.submit,
			"memorySeconds": j.memorySeconds(), "vcoreSeconds": j.memorySeconds() / taskMiB, "priority": 0})
	}
	a := &answers{}
	a.add(m.now, object{"apps": object{"app": list}})
	return a.b.Bytes()
}

// audit is the ResourceManager's audit log with its application summaries.
func (m *made) audit() []byte {
	type entry struct {
		at   int64
		text string
	}
	var list []entry
	for _, j := range m.jobs {
		say := func(at int64, format string, args ...any) {
			list = append(list, entry{at, fmt.Sprintf(format, args...)})
		}
		app := "APPID=application_" + j.number()
		say(j.submit, "RMAuditLogger: USER=%s\tIP=127.0.0.1\tOPERATION=Submit Application "+
			"Request\tTARGET=ClientRMService\tRESULT=SUCCESS\t%s\tQUEUENAME=%s", j.user, app, j.queue)
		for _, c := range j.containers {
			for _, e := range []entry{{c.allocated, "Allocated"}, {c.released, "Released"}} {
				say(e.at, "RMAuditLogger: USER=%s\tOPERATION=AM %s "+
					"Container\tTARGET=SchedulerApp\tRESULT=SUCCESS\t%s\tCONTAINERID=%s\tRESOURCE=<memory:%d, "+
					"vCores:1>\tQUEUENAME=%s", j.user, e.text, app, c.id(), taskMiB, j.queue)
			}
		}
		say(j.registered, "RMAuditLogger: USER=%s\tIP=127.0.0.1\tOPERATION=Register App "+
			"Master\tTARGET=ApplicationMasterService\tRESULT=SUCCESS\t%s\tAPPATTEMPTID=appattempt_%s_000001", j.user, app,
			j.number())
		say(j.freed+1, "RMAuditLogger: USER=%s\tOPERATION=Application Finished - "+
			"Succeeded\tTARGET=RMAppManager\tRESULT=SUCCESS\t%s", j.user, app)
		say(j.freed+2, "RMAppManager$ApplicationSummary: "+
			"appId=application_%s,name=%s,user=%s,queue=root.%s,state=FINISHED,appMasterHost=%s,submitTime=%d,startTime=%d,launchTime=%d,finishTime=%d,finalStatus=SUCCEEDED,memorySeconds=%d,vcoreSeconds=%d,applicationType=MAPREDUCE,totalAllocatedContainers=%d",
			j.number(), j.name, j.user, j.queue, nodeName(j.containers[0].node), Epoch+j.submit, Epoch+j.submit,
			Epoch+j.containers[0].allocated, Epoch+j.done, j.memorySeconds(), j.memorySeconds()/taskMiB, len(j.containers))
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	var b bytes.Buffer
	for _, e := range list {
		fmt.Fprintf(&b, "%s INFO %s\n", stamp(e.at), e.text)
	}
	return b.Bytes()
}
