package datasets

import "testing"

// FuzzTable: no text panics; a table that parses has a head and rows of its
// width.
func FuzzTable(f *testing.F) {
	f.Add([]byte("# title: a\n# source: b\n# units: c\nx,y\n1,2\n"))
	f.Add([]byte("# nope: a\nx\n1\n"))
	f.Add([]byte("x,y\n1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var table Table
		if table.parse(text) != nil {
			return
		}
		for _, r := range table.Rows {
			if len(r) != len(table.Columns) {
				t.Errorf("got a row of %d cells, want %d as in the header", len(r), len(table.Columns))
			}
		}
	})
}
