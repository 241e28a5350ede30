//go:build !clp

package lp

import (
	"errors"
	"strings"
	"testing"
)

func TestCLPSaysHowToGetIt(t *testing.T) {
	_, err := Options{Solver: CLP{}}.MaxLambda([]float64{1}, [][]float64{{1}})
	if !errors.Is(err, ErrNoCLP) || !strings.Contains(err.Error(), "-tags clp") {
		t.Errorf("error %v, want ErrNoCLP with the build tag", err)
	}
}
