package models

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/classify/modelfile"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
)

// begin reads the head of the log, chooses label and features and makes the
// learners. It returns copies of the rows it has read.
func (f *overloadFit) begin() ([]Row, error) {
	head, good, err := f.src.head()
	if err != nil {
		return nil, err
	}
	f.space = &modelfile.Space{Columns: f.src.columns, Texts: textColumns(f.src.columns, head)}
	used, err := f.choose(head, slices.ContainsFunc(head, func(r Row) bool { return r.Err == nil && r.Outcome >= 0 }))
	if good == 0 || err != nil {
		for i := range head { // say which rows are bad for a reason of their own
			if head[i].spoiled(used); head[i].Err != nil {
				f.in.fault(&head[i], head[i].Err)
			}
		}
	}
	if good == 0 {
		return nil, f.src.nothing()
	}
	if err != nil {
		return nil, err
	}
	texts := make([]bool, len(used))
	for i, c := range f.src.columns {
		texts[i] = slices.Contains(f.space.Texts, c)
	}
	for i := range head {
		head[i].Faults = slices.DeleteFunc(head[i].Faults, func(b Fault) bool { return texts[b.Column] })
		head[i].spoiled(used)
	}
	f.src.use(columnUse{used: used, texts: texts})
	f.in.Notes = f.notes(head)
	if f.opt.Continue == nil {
		if err := f.ranges(head); err != nil {
			return nil, err
		}
	}
	// The whole log may have been read: sources that ended stay at their end.
	f.makePupils()
	return head, nil
}

// choose chooses the label, the features and with them the columns that are read.
func (f *overloadFit) choose(head []Row, hasOutcome bool) ([]bool, error) {
	if err := f.chooseLabel(hasOutcome); err != nil {
		return nil, err
	}
	f.states = f.label != nil
	for i := range head {
		f.states = f.states && (head[i].Err != nil || head[i].Decision && head[i].Job == "")
	}
	if err := f.chooseFeatures(); err != nil {
		return nil, err
	}
	return f.space.Used(f.features, f.label), nil
}

func (f *overloadFit) chooseLabel(hasOutcome bool) (err error) {
	if f.opt.Label == "" && !hasOutcome {
		f.opt.Label = defaultLabel(f.numeric())
		if f.opt.Label == "" {
			return fmt.Errorf("%s: no column tells what an overload is: outcome is missing, and so are load1 with cpus, and "+
				"memory, from which one would follow; use --label with an expression over %s", f.src.sources[0].Name,
				strings.Join(f.src.columns, ", "))
		}
	}
	if f.opt.Label != "" && f.opt.Label != "outcome" {
		if f.label, err = f.space.Parse(f.opt.Label); err == nil || f.opt.Freeze {
			return nil // a log without the rule's columns can be judged: its outcomes stay unknown
		}
		return f.given("--label", err)
	}
	f.opt.Label = "outcome"
	return nil
}

// numeric are the columns that hold numbers.
func (f *overloadFit) numeric() []string {
	return slices.DeleteFunc(slices.Clone(f.src.columns), func(c string) bool {
		return slices.Contains(f.space.Texts, c)
	})
}

func defaultLabel(columns []string) string {
	has := func(name string) bool { return slices.Contains(columns, name) }
	switch {
	case has("load1") && has("cpus"):
		return "load1/cpus > 1"
	case has("memory"):
		return "memory > 0.9"
	}
	return ""
}

// chooseFeatures compiles the features, or those of the model that is continued.
func (f *overloadFit) chooseFeatures() error {
	if c := f.opt.Continue; c != nil {
		f.features = slices.Clone(c.Features)
		for i := range f.features {
			f.features[i].Permuted = text.Num(math.NaN()) // of another log
		}
	} else {
		names := f.opt.Features
		if names == nil {
			for _, c := range f.numeric() {
				names = append(names, quoteColumn(c))
			}
		}
		if len(names) == 0 {
			return fmt.Errorf("%s: no numeric column to use as a feature", f.src.sources[0].Name)
		}
		for _, n := range names {
			f.features = append(f.features, modelfile.Feature{Name: n, Low: 1, High: 10, Permuted: text.Num(math.NaN())})
		}
	}
	for i := range f.features {
		ft := &f.features[i]
		if err := ft.Compile(f.space); err != nil {
			return f.given("--features", err)
		}
		f.schema = append(f.schema, ft.Schema())
	}
	return f.given("--features", f.schema.Validate())
}

// given returns an error of an option as one of its flag, unless the option is a saved model's.
func (f *overloadFit) given(flag string, err error) error {
	if err == nil || f.opt.Continue != nil {
		return err
	}
	return &scenario.FlagError{Flag: flag, Err: err}
}

// quoteColumn is a column as an expression.
func quoteColumn(c string) string {
	if strings.ContainsAny(c, ",()") {
		return `"` + c + `"`
	}
	return c
}

// ranges sets the features' ranges to those of the rows, widened where they are empty or
// constant; that of job_ features is 1 to 10.
func (f *overloadFit) ranges(rows []Row) error {
	low, high := make([]float64, len(f.features)), make([]float64, len(f.features))
	for i := range f.features {
		low[i], high[i] = math.Inf(1), math.Inf(-1)
	}
	for i := range rows {
		if rows[i].Err != nil {
			continue
		}
		values := f.space.Row(rows[i].Node, rows[i].Values)
		for k := range f.features {
			if v := f.features[k].Value(values); v-v == 0 {
				low[k], high[k] = math.Min(low[k], v), math.Max(high[k], v)
			}
		}
	}
	f.space.Forget("")
	for i := range f.features {
		ft := &f.features[i]
		switch {
		case ft.Job():
		case !(low[i] <= high[i]):
			ft.Low, ft.High = 0, 1
		case low[i] == high[i]:
			ft.Low, ft.High = low[i]-0.5, high[i]+0.5
		default:
			ft.Low, ft.High = low[i], high[i]
		}
		if math.IsInf(ft.High-ft.Low, 0) {
			return fmt.Errorf("feature %q lies between %v and %v; the difference must be a number", ft.Name, ft.Low, ft.High)
		}
	}
	return nil
}
