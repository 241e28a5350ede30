package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/calibrate"
	"schedtune/internal/models"
)

func newContentionCmd(e *env) *cobra.Command {
	var f classFlags
	return newCmd(e, "contention", "the slopes", f.adder("all", "neighbours"), f.contention)
}

func (f *classFlags) contention(e *env) (*found, error) {
	class, err := calibrate.ClassKey(f.by)
	if err != nil {
		return nil, err
	}
	hs, source, err := f.histories(e)
	if err != nil {
		return nil, err
	}
	return &found{models.FitContention(source, models.NodeTasks(hs, class)), nil}, nil
}
