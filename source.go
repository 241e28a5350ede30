package schedtune

import "embed"

// Source is the text of the code that a simulation's numbers depend on: what
// remote.CodeID hashes, so that two programs can tell whether they compute the
// same.
//
//go:embed go.mod simcore/*.go simcore/metrics.csv simcore/*/*.go simcore/*/*/*.go simcore/*/*/*/*.go yarnconf/*.go internal/*/*.go
var Source embed.FS
