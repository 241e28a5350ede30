package models

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/internal/fileio"
)

// JobTable is a table of jobs with what was read of it.
type JobTable struct {
	Columns []string // of numbers, in the order of Facts.Values
	Jobs    []*Facts
	Intake  *Intake
	classes fileio.Strings
}

// ReadJobs reads tables of jobs in the forms of heartbeat logs. The columns id, submit (seconds, or a time
// of ISO 8601) and class may be there; all others that hold numbers are kept. Rows with an unknown
// number are bad ones.
func ReadJobs(sources []Source, tell Reading) (*JobTable, error) {
	s, err := openStream(sources, Names{jobs: true}, tell)
	if err != nil {
		return nil, err
	}
	head, _, err := s.head()
	if err != nil {
		return nil, err
	}
	t := &JobTable{Intake: s.in, classes: fileio.Strings{}}
	texts, used := textColumns(s.columns, head), make([]bool, len(s.columns))
	for i, c := range s.columns {
		if used[i] = !slices.Contains(texts, c); used[i] {
			t.Columns = append(t.Columns, c)
		}
	}
	if texts != nil {
		s.in.Notes = append(s.in.Notes, "left out, as they hold texts: "+strings.Join(texts, ", "))
	}
	s.use(columnUse{used: used})
	if err := s.each(head, func(r *Row) { t.add(r, used) }); err != nil {
		return nil, err
	}
	if len(t.Jobs) == 0 || len(t.Columns) == 0 {
		return nil, s.nothing()
	}
	return t, nil
}

func (t *JobTable) add(r *Row, used []bool) {
	r.spoiled(used)
	f := &Facts{Job: strings.Clone(r.Job), Class: t.classes.Get(r.Kind), Submit: r.Time,
		Values: make([]float64, 0, len(t.Columns))}
	for i, v := range r.Values {
		if !used[i] {
			continue
		}
		if v != v && r.Err == nil {
			r.Err = fmt.Errorf("column %q: unknown: must be a number", t.Columns[len(f.Values)])
		}
		f.Values = append(f.Values, v)
	}
	if r.Err != nil {
		t.Intake.fault(r, r.Err)
		return
	}
	if f.Submit != f.Submit {
		f.Submit = 0
	}
	t.Jobs = append(t.Jobs, f)
}

// features are the coordinates of a job: log10(1 + x) of each size or value, of one below 0 with its
// sign.
func (f *Facts) features() []float64 {
	if len(f.Values) == 0 {
		return f.Features()
	}
	v := make([]float64, len(f.Values))
	for i, x := range f.Values {
		v[i] = math.Copysign(math.Log10(1+math.Abs(x)), x)
	}
	return v
}
