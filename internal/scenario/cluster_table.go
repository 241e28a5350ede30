package scenario

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace, r.ReuseRecord = true, true
	head, err := r.Read()
	if err != nil {
		return b.tableError(err)
	}
	cols := columnsOf(slices.Clone(head))
	if missing := cols.missing(); missing != "" {
		line, _ := r.FieldPos(0)
		return b.fail(line, "", "a table without the column %s: must have %s", missing, tableHeader)
	}
	for i := 1; ; i++ {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return b.tableError(err)
		}
		line, _ := r.FieldPos(0)
		if err := b.addRow(line, i, &cols, row); err != nil {
			return err
		}
	}
}

// tableColumns are the positions of a table's columns, -1 where there is none.
type tableColumns struct {
	head                              []string
	memory, vcores, name, rack, label int
}

func columnsOf(head []string) tableColumns {
	at := func(names ...string) int {
		return slices.IndexFunc(head, func(h string) bool {
			return slices.Contains(names, strings.ToLower(strings.TrimSpace(h)))
		})
	}
	return tableColumns{head: head, memory: at("memory", "mib"), vcores: at("vcores"), name: at("node", "name"),
		rack: at("rack"), label: at("label")}
}

// missing names a column that a table must have and this one lacks; "" for none.
func (c *tableColumns) missing() string {
	switch {
	case c.memory < 0:
		return "memory"
	case c.vcores < 0:
		return "vcores"
	}
	return ""
}

// addRow adds the node of the i-th row, which stands on a line of the file.
func (b *clusterBuilder) addRow(line, i int, c *tableColumns, row []string) error {
	n := simcore.Node{Name: fmt.Sprintf("node%d", i), Speed: 1}
	mib, ok := mebibytes(row[c.memory])
	if !ok {
		return b.fail(line, c.head[c.memory], "%q: %s", row[c.memory], memoryForm)
	}
	n.Capacity[simcore.Memory] = mib
	var err error
	if n.Capacity[simcore.VCores], err = b.cell(line, c.head[c.vcores], row[c.vcores], maxInt32); err != nil {
		return err
	}
	place := ""
	if c.name >= 0 && row[c.name] != "" {
		n.Name, place = row[c.name], c.head[c.name]
	}
	on := defaultRack
	if c.rack >= 0 && row[c.rack] != "" {
		on = row[c.rack]
	}
	n.Rack = b.rack(on)
	if c.label >= 0 {
		n.Label = strings.TrimSpace(row[c.label])
	}
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

func (b *clusterBuilder) tableError(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return b.fail(p.Line, "", "CSV: %s", p.Err)
	}
	return b.fail(0, "", "CSV: %s", err)
}
