package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"schedtune/cluster"
	"schedtune/internal/scenario"
	"schedtune/internal/stats"
	"schedtune/internal/text"
)

// ClassOptions sets a fit of job classes.
type ClassOptions struct {
	K    int    // 0: that of the model, else chosen by silhouette from 2 to MaxK
	MaxK int    // 0 reads as 10
	Seed uint64 // of k-means++
	// Features are those of the jobs that count, by name; nil: all.
	Features []string
	// Columns are the names of Facts.Values of jobs from a table; nil: the features are sizes.
	Columns []string
	// Assign keeps the model's classes and puts the jobs into them.
	Assign bool
}

// JobClass is one class: medians over its jobs.
type JobClass struct {
	Label  string        `json:"label"`
	Jobs   int           `json:"jobs"`
	Share  float64       `json:"share"`             // of all jobs
	Work   float64       `json:"work"`              // share of all task time, 0 where no times are known
	Median cluster.Sizes `json:"median"`            // of each fact
	Values []float64     `json:"numbers,omitempty"` // medians of a table's columns
	Center []float64     `json:"center"`            // log10(1 + x) of the features used
}

// KChoice is one number of classes tried.
type KChoice struct {
	K          int      `json:"k"`
	Inertia    float64  `json:"inertia"`
	Silhouette text.Num `json:"silhouette"`
	BIC        text.Num `json:"bic"`
	Stability  text.Num `json:"stability"`
}

// ClassesResult is what a fit of job classes found.
type ClassesResult struct {
	Schema     string        `json:"schema"`
	Source     string        `json:"source"`
	Jobs       int           `json:"jobs"`
	K          int           `json:"k"`
	Given      bool          `json:"k_given"`
	Assigned   bool          `json:"assigned,omitempty"` // the classes are those of a saved model
	asked      int           // the number given, of which K may be what the jobs allow
	Silhouette text.Num      `json:"silhouette"`
	Columns    []string      `json:"columns,omitempty"` // of a table of jobs
	Features   []string      `json:"features"`
	Classes    []JobClass    `json:"classes"` // by number of jobs, most first
	Tried      []KChoice     `json:"tried"`
	Model      *ClassesModel `json:"-"`
}

// ClassesModel is the saved classification. It keeps the jobs' facts, so that
// going on with it gives the classes of all jobs together.
type ClassesModel struct {
	Schema        string     `json:"schema"`
	Seed          uint64     `json:"seed"`
	cluster.Saved            // centers are in the order of Classes
	Classes       []JobClass `json:"classes"`
	Jobs          []*Facts   `json:"jobs"`
}

// Validate checks a model read from a file.
func (m *ClassesModel) Validate() error {
	if m.Schema != text.SchemaFitClassesModel {
		return fmt.Errorf("schema %q: must be %q", m.Schema, text.SchemaFitClassesModel)
	}
	if len(m.Centers) != len(m.Classes) {
		return fmt.Errorf("%d centres and %d classes: must be as many, at least 1", len(m.Centers), len(m.Classes))
	}
	for i, j := range m.Jobs {
		if j == nil || len(j.Values) != len(m.Columns) {
			return fmt.Errorf("job %d: must be an object with numbers for the %d columns", i, len(m.Columns))
		}
	}
	return m.ValidateFor(featureNames(m.Columns))
}

// featureNames are the columns of a table of jobs, else the sizes.
func featureNames(columns []string) []string {
	if len(columns) > 0 {
		return columns
	}
	return cluster.SizeNames()
}

// Known counts the jobs that the model was made from already: those with the same name and
// the same facts. It is 0 for nil.
func (m *ClassesModel) Known(jobs []*Facts) (n int) {
	if m == nil {
		return 0
	}
	has := make(map[string]*Facts, len(m.Jobs))
	for _, j := range m.Jobs {
		has[j.Job] = j
	}
	for _, j := range jobs {
		if o := has[j.Job]; j.Job != "" && o != nil && j.Submit == o.Submit && j.Sizes == o.Sizes && slices.Equal(j.Values,
			o.Values) {
			n++
		}
	}
	return n
}

// FitClasses clusters jobs, which the result keeps, with their labels; model, if not nil, is a saved
// fit whose jobs come first, and are the result's then.
func FitClasses(source string, jobs []*Facts, opt ClassOptions, model *ClassesModel) (*ClassesResult, error) {
	if model != nil && !slices.Equal(model.Columns, opt.Columns) {
		return nil, fmt.Errorf("model of the columns %.200q: must be those of the jobs, %.200q", model.Columns, opt.Columns)
	}
	if opt.Assign {
		return model.assign(source, jobs)
	}
	if model != nil {
		jobs = slices.Concat(model.Jobs, jobs)
	}
	if len(jobs) == 0 {
		return nil, errors.New("no jobs to classify: must be at least 1")
	}
	if opt.MaxK <= 0 {
		opt.MaxK = 10
	}
	if model != nil && opt.K == 0 {
		opt.K = len(model.Centers)
	}
	names := featureNames(opt.Columns)
	for _, f := range opt.Features {
		if !slices.Contains(names, f) {
			return nil, &scenario.FlagError{Flag: "--features",
				Err: fmt.Errorf("feature %q: must be one of %s", f, strings.Join(names, ", "))}
		}
	}
	points, used := usedFeatures(jobs, names, opt.Features)
	scaler := cluster.FitScaler(points)
	for _, p := range points {
		copy(p, scaler.Scale(p))
	}
	r := &ClassesResult{Schema: text.SchemaFitClasses, Source: source, Jobs: len(jobs), K: opt.K, Given: opt.K > 0,
		asked: opt.K, Columns: opt.Columns}
	c, err := r.group(points, opt)
	if err != nil {
		return nil, err
	}
	for _, u := range used {
		r.Features = append(r.Features, names[u])
	}
	r.describe(jobs, scaler, c, opt.Seed)
	return r, nil
}

// group finds the classes of scaled points, as many as were asked for or as have the
// best silhouette.
func (r *ClassesResult) group(scaled [][]float64, opt ClassOptions) (*cluster.Result, error) {
	if !r.Given {
		scores, bySilhouette, err := cluster.ChooseK(scaled, 1, opt.MaxK, cluster.Options{Seed: opt.Seed})
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			r.Tried = append(r.Tried, KChoice{s.K, s.Inertia, text.Num(s.Silhouette), text.Num(s.BIC), text.Num(s.Stability)})
		}
		r.K = bySilhouette
	}
	c, err := cluster.KMeans(scaled, cluster.Options{K: r.K, Seed: opt.Seed})
	if err != nil {
		return nil, err
	}
	r.K, r.Silhouette = len(c.Centers), text.Num(cluster.Silhouette(scaled, c.Labels))
	return c, nil
}

// usedFeatures returns the chosen features (nil: all) that are not the same for all jobs.
func usedFeatures(jobs []*Facts, names, chosen []string) (points [][]float64, used []int) {
	points = make([][]float64, len(jobs))
	for i, j := range jobs {
		points[i] = j.features()
	}
	for d, name := range names {
		varies := slices.ContainsFunc(points, func(p []float64) bool { return p[d] != points[0][d] })
		if varies && (chosen == nil || slices.Contains(chosen, name)) {
			used = append(used, d)
		}
	}
	if used == nil { // jobs that cannot be told apart
		used = []int{0}
	}
	for i, p := range points {
		for k, d := range used {
			p[k] = p[d]
		}
		points[i] = p[:len(used)]
	}
	return points, used
}

// assign puts jobs into the classes of the model.
func (m *ClassesModel) assign(source string, jobs []*Facts) (*ClassesResult, error) {
	if m == nil || len(jobs) == 0 {
		return nil, errors.New("--assign needs jobs and a --model")
	}
	c := &cluster.Result{Centers: m.Centers, Labels: make([]int, len(jobs)), Sizes: make([]int, len(m.Centers))}
	scaled := make([][]float64, len(jobs))
	for i, j := range jobs {
		scaled[i] = m.Point(featureNames(m.Columns), j.features())
		c.Labels[i], _ = c.Nearest(scaled[i])
		c.Sizes[c.Labels[i]]++
	}
	r := &ClassesResult{Schema: text.SchemaFitClasses, Source: source, Jobs: len(jobs), K: len(m.Centers), Given: true,
		asked: len(m.Centers), Assigned: true, Columns: m.Columns, Features: m.Features,
		Silhouette: text.Num(cluster.Silhouette(scaled, c.Labels))}
	r.describe(jobs, m.Scaler, c, m.Seed)
	for k := range r.Classes {
		r.Classes[k].Label = m.Classes[k].Label
		if r.Classes[k].Jobs == 0 { // the medians of none are unknown: the model's
			r.Classes[k].Median, r.Classes[k].Values = m.Classes[k].Median, m.Classes[k].Values
		}
	}
	return r, nil
}

// describe makes the classes, the one with most jobs first.
func (r *ClassesResult) describe(jobs []*Facts, scaler *cluster.Scaler, c *cluster.Result, seed uint64) {
	order := make([]int, len(c.Centers))
	for i := range order {
		order[i] = i
	}
	if !r.Assigned {
		slices.SortStableFunc(order, func(a, b int) int { return c.Sizes[b] - c.Sizes[a] })
	}
	m := &ClassesModel{Schema: text.SchemaFitClassesModel, Seed: seed,
		Saved: cluster.Saved{Columns: r.Columns, Features: r.Features, Scaler: scaler}}
	total, members := 0.0, make([][]*Facts, len(order))
	for i, j := range jobs {
		total += j.MapSeconds + j.ReduceSeconds
		members[c.Labels[i]] = append(members[c.Labels[i]], j)
	}
	for n, k := range order {
		for _, j := range members[k] {
			j.Label = n
		}
		r.Classes = append(r.Classes, classOf(members[k], r.Columns, scaler.Unscale(c.Centers[k]), len(jobs), total))
		if len(r.Columns) > 0 {
			r.Classes[n].Label = columnLabel(r.Features, c.Centers[k])
		}
		m.Centers = append(m.Centers, c.Centers[k])
	}
	m.Jobs, m.Classes = jobs, r.Classes
	r.Model = m
}

func classOf(members []*Facts, columns []string, center []float64, jobs int, total float64) JobClass {
	c := JobClass{Jobs: len(members), Share: float64(len(members)) / float64(jobs), Center: center}
	for _, j := range members {
		c.Work += j.MapSeconds + j.ReduceSeconds
	}
	if total > 0 {
		c.Work /= total
	}
	v := make([]float64, len(members))
	for d, median := range c.Median.Fields() {
		for i, j := range members {
			v[i] = *j.Fields()[d]
		}
		*median = stats.Median(v)
	}
	for d := range columns {
		for i, j := range members {
			v[i] = j.Values[d]
		}
		c.Values = append(c.Values, stats.Median(v))
	}
	c.Label = label(&c.Median)
	return c
}

// Name returns the class of a job as "number: label", that of the nearest
// centre.
func (m *ClassesModel) Name(f *Facts) string {
	best := m.Class(f.Sizes)
	return fmt.Sprintf("%d: %s", best+1, m.Classes[best].Label)
}
