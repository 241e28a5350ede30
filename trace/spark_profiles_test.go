package trace

import (
	"bytes"
	"testing"

	"schedtune/simcore"
	"schedtune/trace/sparklog"
)

// Stages of a second resource profile keep it where allocation is dynamic: 4096
// MiB and the default profile's 384 beside, four cores, two for a task. Without dynamic allocation
// all executors are of the default profile, and a note says so.
func TestSparkProfiles(t *testing.T) {
	for _, dynamic := range []string{"true", "false"} {
		a := app()
		a.Conf["spark.dynamicAllocation.enabled"] = dynamic
		a.Profiles = append(a.Profiles, sparklog.Profile{ID: 3, Cores: 4, Memory: 4096, Overhead: unknown, TaskCPUs: 2})
		a.Stages[2].Profile = 3
		tr, err := Read(bytes.NewReader(eventLog(t, a)), "log", Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, notes, err := tr.Workload(WorkloadOptions{Cluster: &simcore.Cluster{Racks: []string{"r"},
			Nodes: []simcore.Node{{Name: "n1"}, {Name: "n2"}}}})
		if err != nil {
			t.Fatal(err)
		}
		got := w.Jobs[0].Spark
		if err := got.Validate(w); err != nil {
			t.Fatal(err)
		}
		if dynamic == "false" {
			if len(got.Executors) != 1 || got.Stages[2].Profile != 0 || len(notes) != 1 {
				t.Errorf("static: %+v, stage of profile %d, notes %v", got.Executors, got.Stages[2].Profile, notes)
			}
			continue
		}
		if want := (simcore.SparkExecutor{Container: simcore.Vec{4480, 4}, Cores: 4, TaskCPUs: 2}); len(got.Executors) !=
			2 || got.Executors[1] != want ||
			got.Stages[2].Profile != 1 || got.Stages[1].Profile != 0 || len(notes) != 0 {
			t.Errorf("dynamic: %+v, stages of profiles %d and %d, notes %v", got.Executors, got.Stages[1].Profile,
				got.Stages[2].Profile, notes)
		}
	}
}

// What a profile does not say is as in the default profile; of the overhead that is the
// amount, 4096 x 0.25 = 1024 MiB here, whatever the profile's own memory is. Off-heap memory
// counts where the application has enabled it.
func TestProfilesInheritTheDefault(t *testing.T) {
	a := app()
	for k, v := range map[string]string{"spark.executor.memory": "4g", "spark.executor.memoryOverheadFactor": "0.25",
		"spark.executor.pyspark.memory": "512m", "spark.yarn.isPython": "true",
		"spark.task.cpus": "2", "spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1g"} {
		a.Conf[k] = v
	}
	none := sparklog.Profile{Overhead: unknown}
	for _, c := range []struct {
		say  func(p *sparklog.Profile)
		want simcore.SparkExecutor
	}{
		{func(*sparklog.Profile) {}, simcore.SparkExecutor{Container: simcore.Vec{4096 + 1024 + 1024 + 512, 2}, Cores: 2,
			TaskCPUs: 2}},
		{func(p *sparklog.Profile) { p.Memory = 16384 },
			simcore.SparkExecutor{Container: simcore.Vec{16384 + 1024 + 1024 + 512, 2}, Cores: 2, TaskCPUs: 2}},
		{func(p *sparklog.Profile) { p.Overhead, p.PySpark = 100, 200 },
			simcore.SparkExecutor{Container: simcore.Vec{4096 + 100 + 1024 + 200, 2}, Cores: 2, TaskCPUs: 2}},
		{func(p *sparklog.Profile) { p.OffHeap, p.Cores, p.TaskCPUs = 300, 8, 1 },
			simcore.SparkExecutor{Container: simcore.Vec{4096 + 1024 + 300 + 512, 8}, Cores: 8, TaskCPUs: 1}},
	} {
		p := none
		p.ID = 1
		c.say(&p)
		b := *a
		b.Profiles = append(b.Profiles[:1:1], p)
		_, def, _, err := sparkSettings(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := sparkExecutors(&b, def); len(got) != 2 || got[1] != c.want {
			t.Errorf("profile %+v: %+v, want %+v", p, got, c.want)
		}
	}
	a.Conf["spark.memory.offHeap.enabled"] = "false"
	p := none
	p.ID, p.OffHeap = 1, 300
	a.Profiles = append(a.Profiles[:1:1], p)
	_, def, _, _ := sparkSettings(a)
	if got, _ := sparkExecutors(a, def); got[1].Container[simcore.Memory] != 4096+1024+512 {
		t.Errorf("off-heap memory that is not enabled: %+v", got[1])
	}
}

// Executors are of the size that Spark asked for: off-heap memory counts from 3.0 on, that
// of Python for Python applications, and vendors' factors under their names.
func TestExecutorSizes(t *testing.T) {
	const overhead = 384
	for name, c := range map[string]struct {
		version string
		conf    map[string]string
		want    int64
	}{
		"off-heap of 2.4": {"2.4.8", map[string]string{"spark.memory.offHeap.enabled": "true",
			"spark.memory.offHeap.size": "1g"}, 2048 + overhead},
		"off-heap of 3.0": {"3.0.0", map[string]string{"spark.memory.offHeap.enabled": "true",
			"spark.memory.offHeap.size": "1g"}, 2048 + overhead + 1024},
		"pyspark of a JVM": {"3.5.0", map[string]string{"spark.executor.pyspark.memory": "1g"}, 2048 + overhead},
		"pyspark of Python": {"3.5.0", map[string]string{"spark.executor.pyspark.memory": "1g",
			"spark.yarn.isPython": "true"}, 2048 + overhead + 1024},
		"EMR": {"2.4.8", map[string]string{"spark.yarn.executor.memoryOverheadFactor": "0.25"}, 2048 + 512},
		"Kubernetes": {"3.2.0", map[string]string{"spark.master": "k8s://x",
			"spark.kubernetes.memoryOverheadFactor": "0.25"}, 2048 + 512},
		"Kubernetes's Python": {"3.5.0", map[string]string{"spark.master": "k8s://x",
			"spark.kubernetes.resource.type": "python"}, 2048 + 819},
	} {
		a := &sparklog.App{ID: "application_1_1", Version: c.version, Conf: c.conf}
		c.conf["spark.executor.memory"] = "2g"
		if _, e, _, err := sparkSettings(a); err != nil || e.Container[simcore.Memory] != c.want {
			t.Errorf("%s: %v, an executor of %d MiB, want %d", name, err, e.Container[simcore.Memory], c.want)
		}
	}
}

// A master outside the cluster has no container, and a plugin's start in executors is
// simulated where the log shows it: the first tasks come 20 s after the registration.
func TestUnmanagedMasterAndLateExecutors(t *testing.T) {
	a := app()
	a.Conf["spark.submit.deployMode"], a.Conf["spark.yarn.unmanagedAM.enabled"], a.DriverContainer = "client", "true", ""
	for i := range a.Stages {
		for k := range a.Stages[i].Attempts {
			a.Stages[i].Attempts[k].Locality = sparklog.NoPreference
		}
	}
	convert := func() *simcore.Job {
		t.Helper()
		w, _, err := (&Trace{Jobs: []Job{sparkJob(a)}}).Workload(WorkloadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return &w.Jobs[0]
	}
	if j := convert(); !j.Unmanaged || j.AMAsk != (simcore.Vec{}) || j.Spark.Ready != 0 {
		t.Errorf("unmanaged %v, %v, ready after %v", j.Unmanaged, j.AMAsk, j.Spark.Ready)
	}
	for i := range a.Executors {
		a.Executors[i].Added -= 20_000
	}
	for i := range a.Stages {
		a.Stages[i].Submit -= 20_000
	}
	if j := convert(); j.Spark.Ready < 20*simcore.Second || j.Spark.Ready > 25*simcore.Second {
		t.Errorf("ready after %v", j.Spark.Ready.Std())
	}
}

// A driver that ends with a code other than 0 has failed, whatever its last job did.
func TestSparkExitCode(t *testing.T) {
	for code, want := range map[int32]Result{0: Succeeded, 1: Failed} {
		a := app()
		a.End, a.ExitCode = a.Start+600_000, code
		tr, err := Read(bytes.NewReader(eventLog(t, a)), "log", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.Jobs[0].Result; got != want || tr.Jobs[0].Spark.ExitCode != code {
			t.Errorf("code %d: %s", code, got)
		}
		roundTrip(t, tr)
	}
}
