package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/trace"
)

// crowdedHistory has jobs whose maps run 1 to 6 at a time on a node, each of which the others make
// longer by a share.
func crowdedHistory(slope float64) *trace.Trace {
	t := &trace.Trace{Name: "crowded"}
	now := trace.Millis(0)
	for i := range 40 {
		j := trace.NewJob(fmt.Sprintf("job_1_%04d", i))
		j.Name, j.Result, j.Submit = "wave", trace.Succeeded, now
		for wave := range 12 {
			k := 1 + (5*wave+i)%6
			for n := range k {
				noise := 1 + 0.05*math.Sin(float64(37*i+11*wave+5*n))
				took := trace.Millis(float64(20000+500*i) * (1 + slope*float64(k-1)) * noise)
				task, a := trace.NewTask(trace.Map, len(j.Tasks)), trace.NewAttempt(0)
				task.Result, a.Result = trace.Succeeded, trace.Succeeded
				a.Host, a.Start, a.Finish = fmt.Sprint("n", (i+wave)%4), now, now+took
				task.Start, task.Finish, task.Attempts = a.Start, a.Finish, []trace.Attempt{a}
				j.Tasks = append(j.Tasks, task)
			}
			now += 200000
		}
		j.Finish = now
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// The slowdown of a history is in the calibration, as simulations read it; where there is none no
// calibration is written.
func TestContentionCalibration(t *testing.T) {
	for _, slope := range []float64{0, 0.3} {
		t.Run(fmt.Sprint(slope), func(t *testing.T) {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "history.json"), filepath.Join(dir, "out")
			f, err := os.Create(in)
			if err != nil {
				t.Fatal(err)
			}
			if err := crowdedHistory(slope).WriteNative(f); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			ok(t, "contention", "--trace", in, "--out", out)
			c, err := yarn.LoadCalibration(filepath.Join(out, "calibration.json"))
			if slope == 0 {
				if !os.IsNotExist(err) && err == nil {
					t.Errorf("got a calibration %+v, want none", c)
				}
				return
			}
			if err != nil || math.Abs(c.TaskSlowdown/slope-1) > 0.15 || c.TaskNeighbours < 2 || c.TaskNeighbours > 4 {
				t.Errorf("got %+v, %v, want a slowdown of %v beside 2 to 4 others", c, err, slope)
			}
		})
	}
}
