package evidence

import (
	"fmt"
	"strings"

	"schedtune/internal/study"
	"schedtune/yarnconf"
)

// sparkFragment writes lines for spark-defaults.conf.
func sparkFragment(comment string, changes []yarnconf.Change) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", comment)
	for _, c := range changes {
		fmt.Fprintf(&b, "%-52s %s\n", c.Key, study.SparkFileValue(c))
	}
	return []byte(b.String())
}
