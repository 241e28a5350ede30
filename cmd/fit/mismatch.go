package main

import (
	"schedtune/internal/models"
	"schedtune/simcore/mr1"
)

func (f *classFlags) mismatch(e *env) (*found, error) {
	hs, source, err := f.histories(e, "coupling", mr1.Config{TrackOutput: true})
	if err != nil {
		return nil, err
	}
	return &found{result: models.FitMismatch(source, hs)}, nil
}
