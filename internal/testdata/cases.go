package testdata

import (
	"os"
	"strconv"
)

// Cases returns how many of n drawn cases a test tries: a quarter of them, at least one, and with
// SCHEDTUNE_LONG=k k times n. In .ci/run each test that calls it runs with SCHEDTUNE_LONG=1 once in four commits.
func Cases(n int) int {
	if k, err := strconv.Atoi(os.Getenv("SCHEDTUNE_LONG")); err == nil && k > 0 {
		return k * n
	}
	return max(1, n/4)
}
