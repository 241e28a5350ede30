package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/study"
	"schedtune/yarnconf"
)

// What follows from a change is in the list of changes, once.
func TestFollowing(t *testing.T) {
	change := func(key, value string) yarnconf.Change { return yarnconf.Change{Key: key, Value: value} }
	got := following([]Change{{Setting: "min"}}, []study.Companion{{Name: study.FileTez,
		To: []yarnconf.Change{change("min", "1"), change("max", "2")}, Back: []yarnconf.Change{change("min", "5"),
			change("max", "10")}}})
	if d := cmp.Diff([]Change{{Setting: "max", Property: "max", File: study.FileTez, From: "10", To: "2",
		Needs: newApplications}}, got); d != "" {
		t.Error(d)
	}
}

// The rollback is written beside the fragment.
func TestSparkOutput(t *testing.T) {
	sum := &Summary{Changes: []Change{{Setting: "spark.dynamicAllocation.maxExecutors", File: study.FileSpark, From: "60",
		To: "40"}, {Setting: "spark.dynamicAllocation.executorIdleTimeout", File: study.FileSpark, From: "60", To: "30"},
		{Setting: "tez.am.session.min.held-containers", File: study.FileTez, From: "0", To: "2"}}}
	if d := cmp.Diff([]step{{Text: "put the lines of d/spark-defaults.conf into spark-defaults.conf; applications " +
		"submitted from then on use them, unless they set their own"},
		{Text: "put the lines of d/tez-site.xml into tez-site.xml; applications submitted from then on use them, " +
			"unless they set their own"}}, sum.steps("d", false)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]step{{Text: "put the lines of d/spark-defaults.rollback.conf back into spark-defaults.conf"},
		{Text: "put the lines of d/tez-site.rollback.xml back into tez-site.xml"}}, sum.steps("d", true)); d != "" {
		t.Error(d)
	}
}

// What goes with a queue file is written as its reader wants it: for Spark as lines, for Tez as properties.
func TestCompanions(t *testing.T) {
	files := Companions("the queue files", []study.Companion{{Name: study.FileMapred,
		To: []yarnconf.Change{{Key: study.SlowstartKey, Value: "0.8"}}}, {Name: study.FileSpark,
		To: []yarnconf.Change{{Key: "spark.dynamicAllocation.executorIdleTimeout", Value: "30s"},
			{Key: "spark.dynamicAllocation.maxExecutors", Value: "40"}},
		Back: []yarnconf.Change{{Key: "spark.dynamicAllocation.executorIdleTimeout", Value: "60s"},
			{Key: "spark.dynamicAllocation.maxExecutors", Value: "2147483647"}}},
		{Name: study.FileTez, To: []yarnconf.Change{{Key: "tez.am.session.min.held-containers", Value: "2"}},
			Back: []yarnconf.Change{{Key: "tez.am.session.min.held-containers", Value: "0"}}}})
	want := map[string][]string{
		"mapred-site.xml": {"go with the queue files.",
			"<name>mapreduce.job.reduce.slowstart.completedmaps</name>", "<value>0.8</value>"},
		"spark-defaults.conf":          {"go with the queue files.", "executorIdleTimeout 30s", "maxExecutors 40"},
		"spark-defaults.rollback.conf": {"executorIdleTimeout 60s", "maxExecutors 2147483647"},
		"tez-site.xml": {"go with the queue files.",
			"<name>tez.am.session.min.held-containers</name> <value>2</value>"},
		"tez-site.rollback.xml": {"<name>tez.am.session.min.held-containers</name> <value>0</value>"},
	}
	for _, f := range files {
		for _, w := range want[f.Name] {
			if !strings.Contains(strings.Join(strings.Fields(string(f.Data)), " "), w) {
				t.Errorf("%s: no %q in\n%s", f.Name, w, f.Data)
			}
		}
		delete(want, f.Name)
	}
	if len(want) > 0 || len(files) != 5 {
		t.Errorf("%d files; missing %v", len(files), want)
	}
	if files := Companions("x", nil); files != nil {
		t.Errorf("%d files for nothing", len(files))
	}
}
