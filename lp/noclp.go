//go:build !clp

package lp

import "errors"

// CLP is the COIN-OR linear programming library. This build has none: Solve
// says how to get it.
type CLP struct{}

var _ Solver = CLP{}

// ErrNoCLP is what CLP returns in builds without it.
var ErrNoCLP = errors.New("lp: CLP is not in this build; build with -tags clp (needs cgo, a C++ compiler, " +
	"pkg-config and CLP's development files, on Debian coinor-libclp-dev), or use Simplex")

// Solve returns ErrNoCLP.
func (CLP) Solve(*Problem) (*Solution, error) { return nil, ErrNoCLP }
