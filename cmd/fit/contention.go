package main

import (
	"schedtune/internal/calibrate"
	"schedtune/internal/models"
	"schedtune/simcore/yarn"
)

func (f *classFlags) contention(e *env) (*found, error) {
	class, err := calibrate.ClassKey(f.by)
	if err != nil {
		return nil, err
	}
	hs, source, err := f.histories(e, fairJobs, launches)
	if err != nil {
		return nil, err
	}
	r := models.FitContention(source, models.NodeTasks(hs, class))
	out := &found{result: r}
	if !r.Found {
		return out, nil
	}
	d, err := calibrate.FitLatencies(source, hs, yarn.Default())
	if err != nil {
		return nil, err
	}
	d.Calibration.TaskSlowdown, d.Calibration.TaskNeighbours = r.Mean()
	cal, err := d.Calibration.Bytes()
	out.files = []file{{"calibration.json", cal, "latencies and the slowdown by neighbours, for tune --calibration"}}
	return out, err
}
