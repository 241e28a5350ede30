package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/study"
)

// The rollback is written beside the fragment.
func TestSparkOutput(t *testing.T) {
	sum := &Summary{Changes: []Change{{Setting: "spark.dynamicAllocation.maxExecutors", File: study.FileSpark, From: "60", To: "40"}, {Setting: "spark.dynamicAllocation.executorIdleTimeout", File: study.FileSpark, From: "60", To: "30"}}}
	if d := cmp.Diff([]string{"put the lines of d/spark-defaults.conf into spark-defaults.conf; applications submitted from then on use them, unless they set their own"}, ApplyLines(sum, "d")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"put the lines of d/spark-defaults.rollback.conf back into spark-defaults.conf"}, RollbackLines(sum, "d")); d != "" {
		t.Error(d)
	}
}
