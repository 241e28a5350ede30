package main

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// A thousand studies in one process: goroutines and memory stay where they were
// after the first ten, looked at after every fifty.
func TestThousandStudies(t *testing.T) {
	if os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("a thousand studies: set SCHEDTUNE_LONG=1")
	}
	var goroutines int
	var heap uint64
	for k := range 1000 {
		must(t, 0, "--params", "slowstart", "--budget", "20", "--workloads", "-1", "--quiet")
		if k != 9 && k%50 != 49 {
			continue
		}
		time.Sleep(time.Second)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		n := runtime.NumGoroutine()
		t.Logf("after %d studies: %d goroutines, %d MiB", k+1, n, m.HeapAlloc>>20)
		if k == 9 {
			goroutines, heap = n, m.HeapAlloc
		} else if n > goroutines+2 || m.HeapAlloc > heap+heap/2+(16<<20) {
			t.Fatalf("%d goroutines and %d MiB after 10 studies, %d and %d after %d", goroutines, heap>>20, n, m.HeapAlloc>>20,
				k+1)
		}
	}
}
