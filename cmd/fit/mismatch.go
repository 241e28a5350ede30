package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/models"
	"schedtune/simcore/mr1"
)

func newMismatchCmd(e *env) *cobra.Command {
	var f classFlags
	return newCmd(e, "mismatch", "", f.input("coupling-batches"), f.mismatch)
}

func (f *classFlags) mismatch(e *env) (*found, error) {
	hs, source, err := f.histories(e, "coupling", mr1.Config{TrackOutput: true})
	if err != nil {
		return nil, err
	}
	return &found{result: models.FitMismatch(source, hs)}, nil
}
