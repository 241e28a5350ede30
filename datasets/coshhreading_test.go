package datasets

import (
	"math"
	"testing"
)

// A reading that scales work does so exactly, whatever a job's tasks: table 4's
// task-seconds times the share, and more only where a job has at least one task.
func TestCoshhReadingsKeepWork(t *testing.T) {
	table, err := Published("coshh", "4")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range CoshhReadings() {
		for i, row := range table.Rows {
			v, err := table.floats(i, 2)
			if err != nil {
				t.Fatal(err)
			}
			j := r.job(v)
			got := [2]float64{float64(j.maps) * j.mapTime, float64(j.reduces) * j.reduceTime}
			for k, seconds := range v[5:7] {
				want := r.Work * seconds
				if r.Tasks == CoshhOne {
					want = v[0] * seconds / (v[5] + v[6])
				}
				exact := r.Tasks == CoshhShorter || r.Tasks == CoshhOne
				if exact && math.Abs(got[k]-want) > 1e-6*want || got[k] < want*(1-1e-9) {
					t.Errorf("reading %q, %s %s, kind %d: %v task-seconds, want %v", r.Key, row[0], row[1], k, got[k], want)
				}
			}
			if j.maps > coshhMaxTasks || j.reduces > coshhMaxTasks || j.maps < 1 || v[6] > 0 && j.reduces < 1 {
				t.Errorf("reading %q, %s: got %d maps and %d reduces, want 1 to %d of each kind with work", r.Key, row[1], j.maps,
					j.reduces, coshhMaxTasks)
			}
		}
	}
}

// The primary reading scales nothing: work and storages are the printed ones.
func TestCoshhPrimaryIsPrinted(t *testing.T) {
	if r := coshhPrimary(); !r.Printed() || r.Work != 1 || r.Tasks != CoshhShorter {
		t.Errorf("primary reading: got %+v, want the printed work and storages", *r)
	}
	s, err := Load("coshh-yahoo")
	if err != nil {
		t.Fatal(err)
	}
	if rate := s.Cluster.Nodes[1].DiskRate; rate != 5000 {
		t.Errorf("R2 reads: got %v bytes/s, want 40 Kbit/s = 5000", rate)
	}
}
