package inputs

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

const allowedColumns = "a header with memory or mib (MiB), vcores, and optionally node or name, rack, and label"

// readTable reads CSV with a node per row.
func (b *clusterBuilder) readTable(data []byte) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace, r.ReuseRecord = true, true
	head, err := r.Read()
	if err != nil {
		return b.tableError(err)
	}
	head = slices.Clone(head)
	column := func(names ...string) int {
		return slices.IndexFunc(head, func(h string) bool { return slices.Contains(names, strings.ToLower(strings.TrimSpace(h))) })
	}
	memory, vcores, name, rack := column("memory", "mib"), column("vcores"), column("node", "name"), column("rack")
	label := column("label")
	if memory < 0 || vcores < 0 {
		what := "vcores"
		if memory < 0 {
			what = "memory"
		}
		line, _ := r.FieldPos(0)
		return b.fail(line, "", allowedColumns, "a table without the column %s", what)
	}
	for i := 1; ; i++ {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return b.tableError(err)
		}
		n := simcore.Node{Name: fmt.Sprintf("node%d", i), Speed: 1}
		line, _ := r.FieldPos(0)
		mib, problem := mebibytes(row[memory])
		if problem != "" {
			return b.fail(line, head[memory], memoryAllowed, "%q %s", row[memory], problem)
		}
		n.Capacity[simcore.Memory] = mib
		if n.Capacity[simcore.VCores], err = b.cell(line, head[vcores], row[vcores], maxInt32); err != nil {
			return err
		}
		place := ""
		if name >= 0 && row[name] != "" {
			n.Name, place = row[name], head[name]
		}
		on := DefaultRack
		if rack >= 0 && row[rack] != "" {
			on = row[rack]
		}
		n.Rack = b.rack(on)
		if label >= 0 {
			n.Label = strings.TrimSpace(row[label])
		}
		if err := b.add(line, place, n); err != nil {
			return err
		}
	}
}

// cell reads a whole number from 1 to most.
func (b *clusterBuilder) cell(line int, column, text string, most int64) (int64, error) {
	allowed := fmt.Sprintf("a whole number from 1 to %d", most)
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, b.fail(line, column, allowed, "%q is no whole number", text)
	}
	if v < 1 || v > most {
		return 0, b.fail(line, column, allowed, "%s is out of range", text)
	}
	return v, nil
}

func (b *clusterBuilder) tableError(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return b.fail(p.Line, "", "", "CSV: %s", p.Err)
	}
	return b.fail(0, "", "", "CSV: %s", err)
}
