package trace

import (
	"fmt"
	"maps"
	"strconv"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/sparklog"
)

// sparkSettings are the settings of a recorded application, what its default
// executor is, and the container that YARN gave it: the driver's in cluster
// mode, that of a small application master in client mode, nothing where the
// master runs outside the cluster. The problem, if any, names a property that
// cannot be read; Spark's defaults then take its place.
func sparkSettings(app *sparklog.App) (s simcore.SparkSettings, e simcore.SparkExecutor, driver simcore.Vec,
	problem error) {
	props := sparkProps(app)
	if _, said := props["spark.dynamicAllocation.shuffleTracking.enabled"]; !said && before(app.Version, 3, 4) {
		// the default until 3.3 (core migration guide, 3.3 to 3.4)
		props["spark.dynamicAllocation.shuffleTracking.enabled"] = "false"
	}
	props["spark.dynamicAllocation.enabled"] = strconv.FormatBool(app.Dynamic())
	s, e, driver, err := simcore.SparkProperties(props)
	if err != nil {
		problem = err
		s, e, driver, _ = simcore.SparkProperties(nil)
	}
	if app.Manager() == sparklog.YARN && !inCluster(app) {
		driver = clientMaster(props)
	}
	return s, e, driver, problem
}

// inCluster reports whether the driver ran in the application master: Spark runs in client
// mode unless told otherwise (SparkSubmit); the start of an application tells the driver's
// container from 3.0 on.
func inCluster(app *sparklog.App) bool {
	return app.Conf["spark.submit.deployMode"] == "cluster" || app.Conf["spark.master"] == "yarn-cluster" ||
		app.DriverContainer != ""
}

// sparkProps are the settings of an application under their present names.
func sparkProps(app *sparklog.App) map[string]string {
	props := map[string]string{}
	maps.Copy(props, app.Conf)
	renamed(props)
	switch app.Manager() {
	case sparklog.YARN:
		if before(app.Version, 3, 0) { // SPARK-28577
			delete(props, "spark.memory.offHeap.enabled")
		}
		if props["spark.yarn.isPython"] != "true" {
			delete(props, "spark.executor.pyspark.memory")
		}
	case sparklog.Kubernetes:
		kind := props["spark.kubernetes.resource.type"]
		if f := "spark.executor.memoryOverheadFactor"; props[f] == "" && (kind == "python" || kind == "r") {
			props[f] = "0.4" // BasicDriverFeatureStep
		}
	}
	return props
}

// renamed gives properties of older versions and of vendors the names that count now.
func renamed(props map[string]string) {
	for _, r := range [][2]string{
		{"spark.yarn.executor.memoryOverhead", "spark.executor.memoryOverhead"}, // 2.3
		{"spark.yarn.driver.memoryOverhead", "spark.driver.memoryOverhead"},
		{"spark.yarn.executor.memoryOverheadFactor", "spark.executor.memoryOverheadFactor"}, // EMR
		{"spark.yarn.driver.memoryOverheadFactor", "spark.driver.memoryOverheadFactor"},
		{"spark.kubernetes.memoryOverheadFactor", "spark.executor.memoryOverheadFactor"}, // 3.3
		{"spark.kubernetes.memoryOverheadFactor", "spark.driver.memoryOverheadFactor"},
	} {
		if v, ok := props[r[0]]; ok && props[r[1]] == "" {
			props[r[1]] = v
		}
	}
}

// clientMaster is the application master of client mode
// (resource-managers/yarn/config.scala, AM_MEMORY, AM_MEMORY_OVERHEAD, AM_CORES).
func clientMaster(props map[string]string) simcore.Vec {
	if props["spark.yarn.unmanagedAM.enabled"] == "true" {
		return simcore.Vec{}
	}
	as := map[string]string{"spark.driver.memory": "512m"}
	for _, x := range []string{"memory", "memoryOverhead", "cores"} {
		if v, ok := props["spark.yarn.am."+x]; ok {
			as["spark.driver."+x] = v
		}
	}
	_, _, am, err := simcore.SparkProperties(as)
	if err != nil {
		_, _, am, _ = simcore.SparkProperties(map[string]string{"spark.driver.memory": "512m"})
	}
	return am
}

// before reports whether a version is older than major.minor. An unknown
// version is not.
func before(version string, major, minor int) bool {
	x, y := 0, 0
	_, err := fmt.Sscanf(version, "%d.%d", &x, &y)
	return err == nil && (x < major || x == major && y < minor)
}

// sparkExecutors are the resource profiles, by their ids: sizes as the log
// tells them, cores as the executors had them, which is what counts where
// spark.executor.cores is not set (standalone: all of a worker's).
func sparkExecutors(app *sparklog.App, def simcore.SparkExecutor) (list []simcore.SparkExecutor, at map[int32]int32) {
	at = map[int32]int32{}
	seen := map[int32]int32{}
	for x := range history.Pointers(app.Executors) {
		seen[x.Profile] = max(seen[x.Profile], x.Cores)
	}
	add := func(id int32, e simcore.SparkExecutor, perExecutor int64) {
		if c := seen[id]; c > 0 {
			e.Cores, e.Container[simcore.VCores] = c, int64(c)
		}
		e.TaskCPUs = min(max(e.TaskCPUs, 1), max(e.Cores, 1))
		if perExecutor > 0 && int64(e.Slots()) > perExecutor { // GPUs bound the tasks
			e.TaskCPUs = (e.Cores + int32(perExecutor) - 1) / int32(perExecutor)
		}
		at[id] = int32(len(list))
		list = append(list, e)
	}
	byOther := int64(0)
	for i := range app.Profiles {
		if app.Profiles[i].ID == 0 {
			byOther = app.Profiles[i].TasksByOther
		}
	}
	add(0, def, byOther)
	props := sparkProps(app)
	memory := simcore.SparkExecutorMemory(props)
	for p := range history.Pointers(app.Profiles) {
		if p.ID == 0 {
			continue // spark.executor.* say the same
		}
		x := *p
		if props["spark.memory.offHeap.enabled"] != "true" { // Spark gives none then
			x.OffHeap = 0
		}
		if app.Manager() == sparklog.YARN && props["spark.yarn.isPython"] != "true" {
			x.PySpark = 0
		}
		add(p.ID, profileOf(&x, def, memory), p.TasksByOther)
	}
	return list, at
}

// profileOf is an executor of a resource profile other than the default one, of which it
// takes what it does not say; of the overhead that is the default's amount, not its factor
// (ResourceProfile.getResourcesForClusterManager).
func profileOf(p *sparklog.Profile, def simcore.SparkExecutor, m simcore.SparkMemory) simcore.SparkExecutor {
	if p.Cores > 0 {
		def.Cores = int32(min(p.Cores, 1<<20))
	}
	if p.TaskCPUs > 0 {
		def.TaskCPUs = int32(min(max(p.TaskCPUs, 1), 1<<20))
	}
	for _, x := range []struct {
		part *int64
		said int64
	}{{&m.Heap, p.Memory}, {&m.OffHeap, p.OffHeap}, {&m.Python, p.PySpark}} {
		if x.said > 0 {
			*x.part = x.said
		}
	}
	if p.Overhead >= 0 {
		m.Overhead = p.Overhead
	}
	def.Container = simcore.Vec{m.Total(), int64(def.Cores)}
	return def
}
