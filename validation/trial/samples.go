//go:build linux

package trial

import "embed"

// samples are inputs of kinds that no testdata folder has: mutated beside its
// files. The end of a name tells the readers.
//
//go:embed samples
var samples embed.FS
