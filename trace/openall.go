package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// OpenAll opens several traces as one: a single one as it is, more of them
// merged. paths must not be empty, and name no file twice.
func OpenAll(paths []string, o Options) (*Trace, error) {
	if len(paths) == 0 {
		return nil, errors.New("no trace is named; allowed: one or more")
	}
	if err := Distinct(paths); err != nil {
		return nil, err
	}
	var ts []*Trace
	for _, p := range paths {
		t, err := Open(p, o)
		if err != nil {
			return nil, err
		}
		ts = append(ts, t)
	}
	if len(ts) == 1 {
		return ts[0], nil
	}
	return Merge(ts...)
}

// Distinct refuses paths of which two are one file or folder, whose contents would count
// twice. Paths that do not exist are passed over.
func Distinct(paths []string) error {
	infos := make([]fs.FileInfo, len(paths))
	for i, p := range paths {
		if p != "-" {
			infos[i], _ = os.Stat(p)
		}
		for k, earlier := range paths[:i] {
			if p == earlier || infos[i] != nil && infos[k] != nil && os.SameFile(infos[i], infos[k]) {
				same := ""
				if p != earlier {
					same = ", also as " + earlier
				}
				return fmt.Errorf("%s: is given twice%s; allowed: once", p, same)
			}
		}
	}
	return nil
}
