package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/study"
	"schedtune/yarnconf"
)

// The rollback is written beside the fragment.
func TestSparkOutput(t *testing.T) {
	sum := &Summary{Changes: []Change{{Setting: "spark.dynamicAllocation.maxExecutors", File: study.FileSpark, From: "60",
		To: "40"}, {Setting: "spark.dynamicAllocation.executorIdleTimeout", File: study.FileSpark, From: "60", To: "30"}}}
	if d := cmp.Diff([]step{{Text: "put the lines of d/spark-defaults.conf into spark-defaults.conf; applications " +
		"submitted from then on use them, unless they set their own"}}, sum.steps("d", false)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]step{{Text: "put the lines of d/spark-defaults.rollback.conf back into spark-defaults.conf"}},
		sum.steps("d", true)); d != "" {
		t.Error(d)
	}
}

// What goes with a queue file is written as its reader wants it: Spark reads seconds with
// their unit, and no bound on executors as the largest whole number, its own default.
func TestCompanions(t *testing.T) {
	files := Companions("the queue files", "0.8",
		[]yarnconf.Change{{Key: "spark.dynamicAllocation.executorIdleTimeout", Value: "30"},
			{Key: "spark.dynamicAllocation.maxExecutors", Value: "40"}},
		[]yarnconf.Change{{Key: "spark.dynamicAllocation.executorIdleTimeout", Value: "60"},
			{Key: "spark.dynamicAllocation.maxExecutors", Value: "infinity"}})
	want := map[string][]string{
		"mapred-site.xml": {"go with the queue files.",
			"<name>mapreduce.job.reduce.slowstart.completedmaps</name>", "<value>0.8</value>"},
		"spark-defaults.conf":          {"go with the queue files.", "executorIdleTimeout 30s", "maxExecutors 40"},
		"spark-defaults.rollback.conf": {"executorIdleTimeout 60s", "maxExecutors 2147483647"},
	}
	for _, f := range files {
		for _, w := range want[f.Name] {
			if !strings.Contains(strings.Join(strings.Fields(string(f.Data)), " "), w) {
				t.Errorf("%s: no %q in\n%s", f.Name, w, f.Data)
			}
		}
		delete(want, f.Name)
	}
	if len(want) > 0 || len(files) != 3 {
		t.Errorf("%d files; missing %v", len(files), want)
	}
	if files := Companions("x", "", nil, nil); files != nil {
		t.Errorf("%d files for nothing", len(files))
	}
}
