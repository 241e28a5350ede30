package simcore_test

import (
	"strings"
	"testing"

	"schedtune/simcore"
)

// TestSparkProperties: sizes and spans as Spark reads them. Overhead is a tenth
// of the memory, at least 384 MiB: 512 m gives 896, 8 g gives 8192 + 819.
// Backlog timeouts without a unit are seconds, locality waits milliseconds.
func TestSparkProperties(t *testing.T) {
	s, e, driver, err := simcore.SparkProperties(map[string]string{
		"spark.dynamicAllocation.enabled":                 "true",
		"spark.dynamicAllocation.minExecutors":            "3",
		"spark.dynamicAllocation.schedulerBacklogTimeout": "4",
		"spark.dynamicAllocation.executorIdleTimeout":     "2min",
		"spark.locality.wait":                             "1500",
		"spark.driver.memory":                             "512m",
		"spark.executor.memory":                           "8g",
		"spark.executor.cores":                            "5",
		"spark.task.cpus":                                 "2",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Backlog != 4*simcore.Second || s.Sustained != 4*simcore.Second || s.Idle != 2*simcore.Minute ||
		s.WaitRack != 1500*simcore.Millisecond {
		t.Errorf("got times %v %v %v %v, want 4s 4s 2m 1.5s", s.Backlog.Std(), s.Sustained.Std(), s.Idle.Std(),
			s.WaitRack.Std())
	}
	if s.Start() != 3 || s.CachedIdle != simcore.Never {
		t.Errorf("got %d executors at the start and cached timeout %v, want 3 and Never", s.Start(), s.CachedIdle)
	}
	if e.Container != (simcore.Vec{8192 + 819, 5}) || e.Slots() != 2 || driver != (simcore.Vec{896, 1}) {
		t.Errorf("got executor %v with %d slots, driver %v, want [9011 5] with 2, [896 1]", e.Container, e.Slots(), driver)
	}
	if s, _, _, err := simcore.SparkProperties(nil); err != nil || s.Start() != 2 {
		t.Errorf("without properties %d executors (%v), want the static default 2", s.Start(), err)
	}
}

func TestSparkPropertiesRefuse(t *testing.T) {
	for name, value := range map[string]string{
		"spark.dynamicAllocation.enabled":             "yes",
		"spark.executor.memory":                       "8 parsecs",
		"spark.executor.instances":                    "-1",
		"spark.dynamicAllocation.executorIdleTimeout": "3 weeks",
		"spark.scheduler.minRegisteredResourcesRatio": "1.5",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, _, err := simcore.SparkProperties(map[string]string{name: value})
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("value %q: got error %v, want one that names the property", value, err)
			}
		})
	}
}

func FuzzSparkProperties(f *testing.F) {
	f.Add("spark.executor.memory", "4g")
	f.Add("spark.locality.wait", "9223372036854775807ms")
	f.Fuzz(func(_ *testing.T, name, value string) {
		_, _, _, _ = simcore.SparkProperties(map[string]string{name: value, "spark.dynamicAllocation.enabled": "true"})
	})
}
