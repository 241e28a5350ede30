package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/simcore"
)

// isTable tells CSV by its header: words with commas between them, which no
// YAML of ours begins with.
func isTable(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	return bytes.ContainsRune(line, ',') && !bytes.ContainsAny(line, ":{}[]#<>")
}

const tableHeader = "a header with memory or mib (MiB), vcores, and optionally node or name, rack, and label"

// readTable reads CSV with a node per row.
func (b *clusterBuilder) readTable(data []byte) error {
	var head []string
	return fileio.EachRow(b.file, bytes.NewReader(data), func(cells []string) error {
		head = slices.Clone(cells)
		for _, names := range [][]string{{"memory", "mib"}, {"vcores"}} {
			if columnOf(head, names...) < 0 {
				return &ClusterError{Reason: fmt.Sprintf("a table without the column %s: must have %s", names[0], tableHeader)}
			}
		}
		return nil
	}, func(line int64, row []string) error {
		return b.addRow(int(line), head, row)
	})
}

// columnOf is the position of a column, -1 where there is none.
func columnOf(head []string, names ...string) int {
	return slices.IndexFunc(head, func(h string) bool {
		return slices.Contains(names, strings.ToLower(strings.TrimSpace(h)))
	})
}

// addRow adds the node of a row, which stands on a line of the file.
func (b *clusterBuilder) addRow(line int, head, row []string) (err error) {
	cell := func(names ...string) (column, text string) {
		if at := columnOf(head, names...); at >= 0 {
			return head[at], row[at]
		}
		return "", ""
	}
	n := simcore.Node{Name: fmt.Sprintf("node%d", len(b.cluster.Nodes)+1), Speed: 1}
	column, text := cell("memory", "mib")
	mib, ok := mebibytes(text)
	if !ok {
		return b.fail(line, column, "%q: %s", text, memoryForm)
	}
	n.Capacity[simcore.Memory] = mib
	column, text = cell("vcores")
	if n.Capacity[simcore.VCores], err = b.cell(line, column, text, maxInt32); err != nil {
		return err
	}
	place := ""
	if column, text = cell("node", "name"); text != "" {
		n.Name, place = text, column
	}
	_, rack := cell("rack")
	n.Rack = b.rack(cmp.Or(rack, defaultRack))
	_, label := cell("label")
	n.Label = strings.TrimSpace(label)
	return b.add(line, place, n)
}

// cell reads a whole number from 1 to most.
func (b *clusterBuilder) cell(line int, column, text string, most int64) (int64, error) {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, b.fail(line, column, "%q: must be a whole number from 1 to %d", text, most)
	}
	if v < 1 || v > most {
		return 0, b.fail(line, column, "%s: must be between 1 and %d", text, most)
	}
	return v, nil
}
