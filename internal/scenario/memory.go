package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

const maxMemory = math.MaxInt64 >> 20 // MiB

// memoryForm describes what a node's memory may be.
var memoryForm = fmt.Sprintf("must be MiB as a whole number from 1 to %d, or a number with a unit (MiB, GiB or TiB) "+
	"such as 64 GiB", int64(maxMemory))

// memoryUnits are MiB a unit, by its name in lower case. GB and MB are left out:
// half of the world means powers of ten by them.
var memoryUnits = map[string]float64{"": 1, "mib": 1, "gib": 1 << 10, "tib": 1 << 20}

// mebibytes reads a node's memory: a whole number of MiB, or a number with a unit
// that gives whole MiB.
func mebibytes(text string) (mib int64, ok bool) {
	text = strings.TrimSpace(text)
	end := len(text)
	for end > 0 && (text[end-1] < '0' || text[end-1] > '9') {
		end--
	}
	unit, known := memoryUnits[strings.ToLower(strings.TrimSpace(text[end:]))]
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, v >= 1 && v <= maxMemory
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(text[:end], "_", ""), 64)
	x *= unit
	return int64(x), err == nil && known && x >= 1 && x <= maxMemory && x == math.Trunc(x)
}

// memory reads a node's memory from YAML into a variable.
func (b *clusterBuilder) memory(dst *int64) reading {
	return func(n ast.Node, place string) error {
		text := show(n)
		if s, ok := n.(*ast.StringNode); ok {
			text = s.Value
		}
		mib, ok := mebibytes(text)
		if *dst = mib; !ok {
			return b.fail(lineOf(n), place, "%s: %s", show(n), memoryForm)
		}
		return nil
	}
}
