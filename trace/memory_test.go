package trace

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Reading streams: ten times the jobs take about ten times the time, and the
// memory that is not the jobs themselves does not grow. The second is measured
// by allocated bytes per job, the first with a wide margin and, as a busy machine can be
// slow in one of two measurements and not in the other, more than once.
func TestReadingIsLinear(t *testing.T) {
	texts := map[int][]byte{}
	for _, n := range []int{400, 4000} {
		var b bytes.Buffer
		if err := made(n).WriteNative(&b); err != nil {
			t.Fatal(err)
		}
		texts[n] = b.Bytes()
	}
	cost := func(n int) (perJob float64, took time.Duration) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := time.Now()
		if _, err := Read(bytes.NewReader(texts[n]), "x", Options{}); err != nil {
			t.Fatal(err)
		}
		took = time.Since(begun)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(n), took
	}
	var ratios []float64
	for range 10 {
		m1, t1 := cost(400)
		m10, t10 := cost(4000)
		if m10 > m1*1.3 {
			t.Fatalf("%.0f bytes allocated per job with 400 jobs, %.0f with 4000", m1, m10)
		}
		ratios = append(ratios, t10.Seconds()/t1.Seconds())
		if ratios[len(ratios)-1] < 40 { // 10 on an idle machine, see BenchmarkRead; 100 were it quadratic
			return
		}
	}
	t.Errorf("4000 jobs took so many times longer than 400: %.0f", ratios)
}

// junk is an endless source cut to n jobs, each a small job with 50 KiB of
// properties that nobody needs.
type junk struct {
	n    int
	rest []byte
}

func (j *junk) Read(p []byte) (int, error) {
	if len(j.rest) == 0 {
		if j.n == 0 {
			return 0, io.EOF
		}
		j.n--
		j.rest = []byte(`{"jobID":"job_1_` + fmt.Sprint(j.n) + `","submitTime":1,"jobProperties":{"x":"` +
			strings.Repeat("y", 50<<10) +
			`"},"mapTasks":[{"taskID":"t_0","attempts":[{"attemptID":"a_0","result":"SUCCESS","startTime":1,"finishTime":2}]}]}` + "\n")
	}
	k := copy(p, j.rest)
	j.rest = j.rest[k:]
	return k, nil
}

// A trace of 30 MB whose jobs need little is read without the heap growing by
// half of that: one record at a time is held.
func TestReadingHoldsOneRecord(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	tr, err := Read(&junk{n: 600}, "junk", Options{})
	if err != nil || len(tr.Jobs) != 600 {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 15<<20 {
		t.Errorf("heap grew by %d MiB over a source of 30 MB", grown>>20)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		var buf bytes.Buffer
		if err := made(n).WriteNative(&buf); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("format=native/jobs=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(buf.Len()))
			for b.Loop() {
				if _, err := Read(bytes.NewReader(buf.Bytes()), "x", Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
