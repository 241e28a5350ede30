package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"schedtune/trace/tezlog"
)

// OpenAll opens several traces as one: a single one as it is, more of them
// merged. Where their times are real (see Merge), an application that several of them
// tell of is there once, as in one folder that holds them all. paths must not be empty,
// and name no file twice.
func OpenAll(paths []string, o Options) (*Trace, error) {
	if len(paths) == 0 {
		return nil, errors.New("no trace is named: must be one or more")
	}
	if err := Distinct(paths); err != nil {
		return nil, err
	}
	if len(paths) == 1 {
		return Open(paths[0], o)
	}
	o.logs = &rmLogs{}
	o.tez = tezlog.NewReader()
	ofTez := ""
	var parts []part
	for _, p := range paths {
		logs := len(o.logs.files)
		t, n, err := gather(p, o)
		if err != nil {
			return nil, err
		}
		if t.Format == tezFormat || t.Format == "mixed" {
			ofTez = cmp.Or(ofTez, p)
		}
		if len(t.Jobs) == 0 && len(o.logs.files) == logs && t.Format != tezFormat {
			return nil, t.close(p, n, o) // says so
		}
		parts = append(parts, part{p, t, n})
	}
	if len(o.logs.files) > 0 {
		p := part{o.logs.files[0].path, &Trace{Name: baseName(o.logs.files[0].path)}, &notes{}}
		o.logs.read(p.t, p.n)
		if err := o.errBroken(p.path, o.logs.errs, 0, p.n); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if apps := (part{ofTez, &Trace{Name: baseName(ofTez), Format: tezFormat}, &notes{}}); ofTez != "" {
		if addTez(o.tez, apps.t, apps.n); len(apps.t.Jobs) > 0 {
			parts = append(parts, apps)
		}
	}
	return together(parts, o)
}

// part is a trace that is one of several and has not been closed.
type part struct {
	path string
	t    *Trace
	n    *notes
}

// together merges traces of which none has an application that another one tells
// more of, where their times can be compared. Those that have no jobs then, or had
// nothing but logs, give what they have beside to the first that has.
func together(parts []part, o Options) (*Trace, error) {
	split := func() (full []part, ts []*Trace) {
		for _, p := range parts {
			if len(p.t.Jobs) > 0 {
				full, ts = append(full, p), append(ts, p.t)
			}
		}
		return full, ts
	}
	full, ts := split()
	if len(full) == 0 {
		return nil, parts[0].t.close(parts[0].path, parts[0].n, o)
	}
	if realTimes(ts) {
		keepOne(full[0].n, ts...)
		full, ts = split()
	}
	for _, p := range parts {
		if len(p.t.Jobs) == 0 {
			full[0].n.merge(p.n.list)
			full[0].t.Nodes = append(full[0].t.Nodes, p.t.Nodes...)
		}
	}
	for _, p := range full {
		if err := p.t.close(p.path, p.n, o); err != nil {
			return nil, err
		}
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
				if p == earlier {
					return fmt.Errorf("%s: given twice", p)
				}
				return fmt.Errorf("%s: given twice, also as %s", p, earlier)
			}
		}
	}
	return nil
}
