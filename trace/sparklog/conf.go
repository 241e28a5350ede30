package sparklog

import "strings"

// kept are the properties of an application that decide what its driver and
// executors are, when executors are asked for and given back, and how tasks
// are placed. Others are not held: they may name paths, hosts or secrets.
var kept = map[string]bool{
	"spark.master": true, "spark.submit.deployMode": true,
	"spark.yarn.queue": true, "spark.yarn.priority": true,
	"spark.driver.memory": true, "spark.driver.memoryOverhead": true, "spark.driver.memoryOverheadFactor": true, "spark.driver.cores": true,
	"spark.driver.minMemoryOverhead": true, "spark.executor.minMemoryOverhead": true,
	"spark.yarn.am.memory": true, "spark.yarn.am.memoryOverhead": true, "spark.yarn.am.cores": true, "spark.yarn.unmanagedAM.enabled": true,
	"spark.yarn.driver.memoryOverhead": true, "spark.yarn.executor.memoryOverhead": true,
	"spark.yarn.am.nodeLabelExpression": true, "spark.yarn.executor.nodeLabelExpression": true,
	"spark.executor.memory": true, "spark.executor.memoryOverhead": true, "spark.executor.memoryOverheadFactor": true,
	"spark.executor.cores": true, "spark.executor.instances": true, "spark.executor.pyspark.memory": true,
	"spark.memory.offHeap.enabled": true, "spark.memory.offHeap.size": true,
	"spark.kubernetes.namespace": true, "spark.kubernetes.memoryOverheadFactor": true, "spark.kubernetes.executor.request.cores": true,
	"spark.cores.max": true, "spark.task.cpus": true, "spark.task.maxFailures": true, "spark.stage.maxConsecutiveAttempts": true,
	"spark.shuffle.service.enabled": true, "spark.shuffle.service.fetch.rdd.enabled": true, "spark.shuffle.reduceLocality.enabled": true,
	"spark.excludeOnFailure.enabled": true, "spark.decommission.enabled": true,
	"spark.yarn.containerLauncherMaxThreads": true, "spark.yarn.maxAppAttempts": true,
}

// keptPrefixes are the families of which all properties matter.
var keptPrefixes = []string{"spark.dynamicAllocation.", "spark.scheduler.", "spark.locality.wait", "spark.speculation", "spark.yarn.scheduler."}

// keep reports whether a property matters.
func keep(name []byte) bool {
	if kept[string(name)] {
		return true
	}
	for _, p := range keptPrefixes {
		if len(name) >= len(p) && string(name[:len(p)]) == p {
			return true
		}
	}
	return false
}

// Manager names the cluster manager an application ran on.
type Manager string

// Cluster managers.
const (
	YARN       Manager = "yarn"
	Standalone Manager = "standalone"
	Kubernetes Manager = "kubernetes"
	Local      Manager = "local"
	Mesos      Manager = "mesos"
	NotSaid    Manager = ""
)

// Manager tells the cluster manager from spark.master, or where the log has no
// settings from the application's id.
func (a *App) Manager() Manager {
	m := a.Conf["spark.master"]
	switch {
	case strings.HasPrefix(m, "yarn"):
		return YARN
	case strings.HasPrefix(m, "k8s"):
		return Kubernetes
	case strings.HasPrefix(m, "spark:"):
		return Standalone
	case strings.HasPrefix(m, "local"):
		return Local
	case strings.HasPrefix(m, "mesos"):
		return Mesos
	case strings.HasPrefix(a.ID, "application_"):
		return YARN
	case strings.HasPrefix(a.ID, "spark-"):
		return Kubernetes
	case strings.HasPrefix(a.ID, "app-"):
		return Standalone
	case strings.HasPrefix(a.ID, "local-"):
		return Local
	}
	return NotSaid
}

// Dynamic reports whether dynamic allocation was on. Spark ignores it beside a
// local master.
func (a *App) Dynamic() bool {
	return a.Conf["spark.dynamicAllocation.enabled"] == "true" && a.Manager() != Local
}
