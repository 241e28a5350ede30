package simulate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/sched"
	"schedtune/yarnconf"
)

// What people give a Hadoop 1 scheduler of their own: a queue file, users' minimum shares and
// weights, and what the tasks of job classes use.

// column is a column of numbers of a table, from low to high.
type column struct {
	name      string
	low, high float64
}

// The tables of --shares, by user, and of --hints, by class of jobs.
var (
	shareColumns = []column{{"min-share", 0, 1e6}, {"weight", 1e-3, 1e6}}
	hintColumns  = []column{{"cpu", 0, 10}, {"memory", 0, 10}, {"disk", 0, 10}, {"network", 0, 10}, {"load", 0, 1000}}
)

// maxTable bounds a table of shares or hints, bytes.
const maxTable = 16 << 20

// readNumbers reads a CSV table with the columns key and those given, in any order, into the
// rows of the names; "*" is for names without a row. It returns the keys that are no name.
func readNumbers(path, key string, columns []column, names []string) (rows [][]float64, unknown []string, err error) {
	data, err := fileio.ReadFile(path, maxTable)
	if err != nil {
		return nil, nil, err
	}
	return parseNumbers(path, data, key, columns, names)
}

func parseNumbers(path string, data []byte, key string, columns []column, names []string) (rows [][]float64,
	unknown []string, err error) {
	rows = make([][]float64, len(names))
	var head []string
	var others []float64
	err = fileio.EachRow(path, bytes.NewReader(bytes.TrimPrefix(data, fileio.Mark)), func(cells []string) error {
		head = slices.Clone(cells)
		if !slices.Contains(head, key) {
			return &fileio.FileError{Key: key, Reason: "column missing: the header must have it"}
		}
		return nil
	}, func(_ int64, cells []string) error {
		name, row := "", make([]float64, len(columns))
		for c, text := range cells {
			at := slices.IndexFunc(columns, func(x column) bool { return x.name == head[c] })
			switch {
			case head[c] == key:
				name = text
				continue
			case at < 0:
				return &fileio.FileError{Key: head[c], Reason: "unknown column"}
			}
			v, err := strconv.ParseFloat(text, 64)
			if x := columns[at]; err != nil || !(v >= x.low && v <= x.high) {
				return &fileio.FileError{Key: head[c], Reason: fmt.Sprintf("%q: must be a number from %v to %v", text, x.low,
					x.high)}
			}
			row[at] = v
		}
		switch at := slices.Index(names, name); {
		case name == "*":
			others = row
		case at < 0:
			unknown = append(unknown, name)
		case rows[at] != nil:
			return &fileio.FileError{Key: name, Reason: "listed twice"}
		default:
			rows[at] = row
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		if rows[i] == nil {
			rows[i] = others
		}
	}
	return rows, unknown, nil
}

// given applies the files that are given beside the data set or trace, and refuses parameters
// that they leave without effect.
func (r *Runner) given(s *Slots) error {
	read := func(flag, path, key string, columns []column, names []string) ([][]float64, error) {
		rows, unknown, err := readNumbers(path, key, columns, names)
		if len(unknown) > 0 {
			r.Notes = append(r.Notes, flag+": no jobs of "+strings.Join(unknown, ", "))
		}
		return rows, err
	}
	if r.opt.Shares != "" {
		rows, err := read("--shares", r.opt.Shares, "user", shareColumns, r.Work.Users)
		if err != nil {
			return err
		}
		s.Options.Grants = make([]simcore.UserShare, len(rows))
		for i, row := range rows {
			if row != nil {
				s.Options.Grants[i] = simcore.UserShare{MinShare: int32(row[0]), Weight: row[1]}
			}
		}
		s.Config.Shares = s.Options.Grants
	}
	if r.opt.Hints != "" {
		rows, err := read("--hints", r.opt.Hints, "class", hintColumns, r.Work.Classes)
		if err != nil {
			return err
		}
		s.Options.Hints = make([]simcore.JobHint, len(rows))
		for i, row := range rows {
			if row != nil {
				s.Options.Hints[i] = simcore.JobHint{Usage: [4]float64(row), Load: row[4]}
			}
		}
	}
	if m := r.c.MR1; m != nil {
		s.Options.MR1 = m
		for i := range r.Work.Jobs {
			name := r.Work.Queues[r.Work.Jobs[i].Queue]
			if !slices.ContainsFunc(m.Queues, func(q yarnconf.MR1Queue) bool { return q.Name == name }) {
				return &scenario.HintError{Err: fmt.Errorf("job %s: queue %q: not in the queue file", r.Work.Jobs[i].ID, name),
					Advice: "--queue-map 'q:" + name + ":" + m.Queues[0].Name + "' sends its jobs to another queue"}
			}
		}
	}
	r.ignored = nil
	if s.Options.MR1 != nil && r.spec.Entry.Name == "capacity-mr1" {
		r.ignored = sched.MR1FileParams()
	}
	for _, p := range r.spec.Entry.Params {
		if slices.Contains(r.ignored, p.Name) && r.spec.Values[p.Name] != p.Default {
			return fmt.Errorf("scheduler %s: parameter %s has no effect: the queue file of %s sets it", r.spec, p.Name,
				r.Work.Name)
		}
	}
	return nil
}

// Ignored names the scheduler's parameters that have no effect on these runs, because a queue
// file sets them.
func (r *Runner) Ignored() []string { return r.ignored }
