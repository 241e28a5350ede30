package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

const maxMemory = math.MaxInt64 >> 20 // MiB

// memoryAllowed is what a node's memory may be.
var memoryAllowed = fmt.Sprintf("MiB as a whole number from 1 to %d, or with a unit: 64 GiB (MiB, GiB or TiB)", int64(maxMemory))

// memoryUnits are MiB a unit, by its name in lower case. GB and MB are left out:
// half of the world means powers of ten by them.
var memoryUnits = map[string]float64{"": 1, "mib": 1, "gib": 1 << 10, "tib": 1 << 20}

// mebibytes reads a node's memory: a whole number of MiB, or a number with a unit
// that gives whole MiB. problem is "" if it is one.
func mebibytes(text string) (mib int64, problem string) {
	text = strings.TrimSpace(text)
	end := len(text)
	for end > 0 && (text[end-1] < '0' || text[end-1] > '9') {
		end--
	}
	unit, known := memoryUnits[strings.ToLower(strings.TrimSpace(text[end:]))]
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		if v < 1 || v > maxMemory {
			return 0, "is out of range"
		}
		return v, ""
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(text[:end], "_", ""), 64)
	switch x *= unit; {
	case err != nil || !known || math.IsNaN(x):
		return 0, "is no memory size"
	case x < 1 || x > maxMemory:
		return 0, "is out of range"
	case x != math.Trunc(x):
		return 0, "is no whole number of MiB"
	}
	return int64(x), ""
}

// memory reads a node's memory from YAML.
func (b *clusterBuilder) memory(n ast.Node, place string) (int64, error) {
	text := show(n)
	if s, ok := n.(*ast.StringNode); ok {
		text = s.Value
	}
	mib, problem := mebibytes(text)
	if problem != "" {
		return 0, b.fail(lineOf(n), place, memoryAllowed, "%s %s", show(n), problem)
	}
	return mib, nil
}
