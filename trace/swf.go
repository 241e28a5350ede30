package trace

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// This file reads the Standard Workload Format 2.2 of the Parallel Workloads
// Archive: one job per line in 18 columns, header lines begin with a
// semicolon, times in seconds, -1 for what is not known (Feitelson, Tsafrir,
// Krakov, JPDC 2014).
//
// A job of p processors becomes p tasks that run as long as the job did. It is
// a rigid job on the recorded machine; here its tasks may start apart.

// Columns of the format.
const (
	swfJob = iota
	swfSubmit
	swfWait
	swfRun
	swfProcs
	swfCPU
	swfMemory
	swfReqProcs
	swfReqTime
	swfReqMemory
	swfStatus
	swfUser
	swfGroup
	swfApp
	swfQueue
	swfPartition
	swfBefore
	swfThink
	swfColumns
)

func readSWF(in *input, t *Trace, n *notes) error {
	epoch := Millis(0)
	return in.eachLine(func(line []byte, _ int64) error {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return nil
		}
		if line[0] == ';' {
			if v, ok := bytes.CutPrefix(bytes.TrimSpace(line[1:]), []byte("UnixStartTime:")); ok {
				if s, err := strconv.ParseInt(strings.TrimSpace(string(v)), 10, 64); err == nil && s > 0 && s < 1<<40 {
					epoch = Millis(s) * 1000
				}
			}
			return nil
		}
		var v [swfColumns]float64
		if err := numbers(line, v[:]); err != nil {
			return err
		}
		if err := addSWF(&v, epoch, t, n); err != nil {
			return err
		}
		return in.pass(t, n)
	})
}

// numbers reads exactly len(dst) blank-separated numbers.
func numbers(line []byte, dst []float64) error {
	fields := bytes.Fields(line)
	if len(fields) != len(dst) {
		return fmt.Errorf("%d columns: must be %d", len(fields), len(dst))
	}
	for i, f := range fields {
		v, err := strconv.ParseFloat(string(f), 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1<<52 {
			return fmt.Errorf("column %d: %q where a number is expected", i+1, clip(string(f)))
		}
		dst[i] = v
	}
	return nil
}

func addSWF(v *[swfColumns]float64, epoch Millis, t *Trace, n *notes) error {
	j := NewJob("job_" + strconv.FormatFloat(v[swfJob], 'f', -1, 64))
	if v[swfSubmit] < 0 {
		return jobErr(j.ID, "submission time %g: must be 0 or more", v[swfSubmit])
	}
	procs := v[swfProcs]
	if procs <= 0 {
		procs = v[swfReqProcs]
	}
	run := v[swfRun]
	if run < 0 && v[swfStatus] == 5 || procs <= 0 {
		n.add(Dropped, "jobs that never ran")
		return nil
	}
	if run < 0 {
		run = max(0, v[swfCPU])
		n.add(Assumed, "run time of the job from its processor time")
	}
	if procs > math.MaxInt32 {
		return jobErr(j.ID, "%g processors: must be at most %d", procs, math.MaxInt32)
	}
	j.Submit = epoch + seconds(v[swfSubmit])
	if v[swfWait] >= 0 {
		j.Launch = j.Submit + seconds(v[swfWait])
		j.Finish = j.Launch + seconds(run)
	} else if v[swfWait] != Unknown {
		j.Launch = min(seconds(v[swfWait]), Unknown-1) // finish takes it as unknown and says so
	}
	j.Maps, j.Reduces, j.MapTime = int(procs), 0, seconds(run)
	j.User, j.Queue = numbered("user", v[swfUser]), numbered("queue", v[swfQueue])
	j.Class = numbered("app", v[swfApp])
	if v[swfBefore] > 0 {
		j.After, j.Think = []string{"job_" + strconv.FormatFloat(v[swfBefore], 'f', -1, 64)}, seconds(max(0, v[swfThink]))
	}
	j.Result = map[float64]Result{0: Failed, 1: Succeeded, 5: Killed}[v[swfStatus]]
	if kb := max(v[swfReqMemory], v[swfMemory]); kb > 0 {
		j.MapSize = Size{MiB: max(1, int64(math.Ceil(kb/1024))), VCores: 1}
	}
	t.Jobs = append(t.Jobs, j)
	return nil
}

func seconds(s float64) Millis { return Millis(math.Round(s * 1000)) }

func numbered(what string, v float64) string {
	if v < 0 {
		return ""
	}
	return what + strconv.FormatFloat(v, 'f', -1, 64)
}
