package models

import (
	"bytes"
	"os"
	"path/filepath"
	"schedtune/internal/text"
	"schedtune/validation/testdata"
	"testing"
)

// The made run: three nodes polled every two seconds for a minute, of which the
// memory in use passes nine tenths when all four places are taken.
func TestMadeNodes(t *testing.T) {
	f, err := os.Open(filepath.Join(testdata.Run(t, "mapreduce"), "rest-nodes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := FitOverload([]Source{{"rest-nodes.jsonl", f}}, OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Label != "memory > 0.9" || r.Decisions < 90 || r.Intake.BadRows != 0 {
		t.Errorf("label %q, %d decisions, %d unreadable rows", r.Label, r.Decisions, r.Intake.BadRows)
	}
}

// Polled answers of a real ResourceManager, with the memory in use as the rule.
func TestRecordedNodes(t *testing.T) {
	f, err := os.Open(testdata.Shared(t, "traces", "minimr", "run-01-A-ss005", "rest-nodes.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := FitOverload([]Source{{"rest-nodes.jsonl.gz", f}}, OverloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Label != "memory > 0.9" || r.Decisions < 300 || r.Intake.BadRows != 0 {
		t.Errorf("label %q, %d decisions, %d unreadable rows", r.Label, r.Decisions, r.Intake.BadRows)
	}
	// A node's memory changes seldom within two seconds: knowing it is worth
	// much more than the base rate.
	if l := r.Learners[0]; l.Accuracy < l.BaseRate+0.1 {
		t.Errorf("accuracy %v, base rate %v", l.Accuracy, l.BaseRate)
	}
}

func FuzzReadOverloadModel(f *testing.F) {
	r, err := FitOverload(source(sample(f, 700)), OverloadOptions{Features: []string{"load1", "job_cpu"}})
	if err != nil {
		f.Fatal(err)
	}
	var good bytes.Buffer
	r.Model.Write(&good)
	f.Add(good.Bytes())
	log := sample(f, 300)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readOverloadModel(bytes.NewReader(b))
		if err != nil {
			return
		}
		FitOverload(source(log), OverloadOptions{Continue: m}) //nolint:errcheck // only surviving counts
	})
}

// BenchmarkOverload learns with all four learners: at least a million rows per
// minute and core are wanted. Memory must not grow with the log.
func BenchmarkOverload(b *testing.B) {
	log := sample(b, 100000)
	b.ReportAllocs()
	b.SetBytes(int64(len(log)))
	cpu := text.Seconds()
	for range b.N {
		if _, err := FitOverload(source(log), OverloadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	if used := text.Seconds() - cpu; used > 0 {
		b.ReportMetric(100000*float64(b.N)*60/used/1e6, "Mrows/cpu-min")
	}
}

// The reading is told bytes that only grow and end at the size of the log.
func TestReadingIsTold(t *testing.T) {
	log, last := sample(t, 3000), int64(0)
	_, err := FitOverload(source(log), OverloadOptions{Reading: func(b int64) {
		if b < last {
			t.Fatalf("%d bytes after %d", b, last)
		}
		last = b
	}})
	if err != nil || last != int64(len(log)) {
		t.Errorf("told %d of %d bytes: %v", last, len(log), err)
	}
}

// Rows that lie before their node's last one are counted, not sorted: time of
// one node only goes on, different nodes may interleave.
func TestRowsBackInTime(t *testing.T) {
	log := "time,node,x,outcome\n5,a,1,good\n3,b,1,bad\n4,a,1,good\n6,a,2,bad\n3,b,1,bad\n"
	r, err := FitOverload(source([]byte(log)), OverloadOptions{})
	if err != nil || r.Intake.Backwards != 1 {
		t.Errorf("%d rows back in time, %v; want 1", r.Intake.Backwards, err)
	}
}
