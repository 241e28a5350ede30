package datasets

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
)

// The lists of data sets and choices, as tables.
//
//go:embed sets.csv choices.csv default.csv nights.csv config/thesis.xml.tmpl
var lists embed.FS

// list returns the rows of an embedded list without its head. It panics if the file is
// malformed, which is a defect of the program.
func list(name string) [][]string {
	b, err := lists.ReadFile(name)
	if err != nil {
		panic(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil || len(rows) < 2 {
		panic(fmt.Sprintf("datasets: %s: %d rows: %v", name, len(rows), err))
	}
	return rows[1:]
}
