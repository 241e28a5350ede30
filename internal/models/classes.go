package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/cluster"
	"schedtune/internal/stats"
	"schedtune/internal/text"
)

// Names of the documents.
const (
	classesSchema      = text.SchemaFitClasses
	classesModelSchema = text.SchemaFitClassesModel
)

// featureNames are the logarithms that jobs are clustered by. A feature that
// is the same for all jobs is left out.
func featureNames() []string {
	return []string{"input", "shuffle", "output", "maps", "reduces", "map time", "reduce time"}
}

// features returns log10(1 + x) of a job's facts, in the order of
// featureNames: sizes of jobs span many powers of ten, and jobs that differ by
// a factor should fall apart.
func (f *Facts) features() []float64 {
	v := []float64{f.Input, f.Shuffle, f.Output, f.Maps, f.Reduces, f.MapSeconds, f.ReduceSeconds}
	for i, x := range v {
		v[i] = math.Log10(1 + math.Max(x, 0))
	}
	return v
}

// ClassOptions sets a fit of job classes.
type ClassOptions struct {
	K    int    // 0: chosen by silhouette from 2 to MaxK
	MaxK int    // 0 reads as 10
	Seed uint64 // of k-means++
}

// JobClass is one class: medians over its jobs.
type JobClass struct {
	Label  string    `json:"label"`
	Jobs   int       `json:"jobs"`
	Share  float64   `json:"share"`  // of all jobs
	Work   float64   `json:"work"`   // share of all task time, 0 where no times are known
	Median Facts     `json:"median"` // of each fact; Job and Class are empty
	Center []float64 `json:"center"` // log10(1 + x) of the features used
}

// KChoice is one number of classes tried.
type KChoice struct {
	K          int      `json:"k"`
	Inertia    float64  `json:"inertia"`
	Silhouette text.Num `json:"silhouette"`
}

// ClassesResult is what a fit of job classes found.
type ClassesResult struct {
	Schema     string        `json:"schema"`
	Source     string        `json:"source"`
	Jobs       int           `json:"jobs"`
	K          int           `json:"k"`
	Given      bool          `json:"k_given"`
	asked      int           // the number given, of which K may be what the jobs allow
	Elbow      int           `json:"elbow"`
	Silhouette text.Num      `json:"silhouette"`
	Features   []string      `json:"features"`
	Classes    []JobClass    `json:"classes"` // by number of jobs, most first
	Tried      []KChoice     `json:"tried"`
	Agreement  *Agreement    `json:"source_classes"`
	Model      *ClassesModel `json:"-"`
}

// Agreement compares the classes found with those that the source gives its
// jobs, absent where it gives none.
type Agreement struct {
	Classes int     `json:"classes"`             // of the source
	Index   float64 `json:"adjusted_rand_index"` // 1 = the same partition, 0 = chance
}

func agreement(jobs []Facts, labels []int) *Agreement {
	known := map[string]int{}
	given := make([]int, len(jobs))
	for i := range jobs {
		c := jobs[i].Class
		if c == "" {
			return nil
		}
		if _, ok := known[c]; !ok {
			known[c] = len(known)
		}
		given[i] = known[c]
	}
	return &Agreement{Classes: len(known), Index: cluster.AdjustedRand(given, labels)}
}

// ClassesModel is the saved classification. It keeps the jobs' facts, so that
// going on with it gives the classes of all jobs together.
type ClassesModel struct {
	Schema   string          `json:"schema"`
	Seed     uint64          `json:"seed"`
	Features []string        `json:"features"`
	Scaler   *cluster.Scaler `json:"scaler"`
	Centers  [][]float64     `json:"centers"` // scaled, in the order of Classes
	Classes  []JobClass      `json:"classes"`
	Jobs     []ClassedJob    `json:"jobs"`
}

// ClassedJob is a job with its class, an index into Classes.
type ClassedJob struct {
	Facts
	Label int `json:"of"`
}

// Validate checks a model read from a file.
func (m *ClassesModel) Validate() error {
	if m.Schema != classesModelSchema {
		return fmt.Errorf("schema %q: must be %q", m.Schema, classesModelSchema)
	}
	n := len(m.Features)
	if m.Scaler == nil || len(m.Scaler.Mean) != n || len(m.Scaler.Deviation) != n ||
		(m.Scaler.Weight != nil && len(m.Scaler.Weight) != n) {
		return fmt.Errorf("scaler of another size than the %d features", n)
	}
	if len(m.Centers) == 0 || len(m.Centers) != len(m.Classes) {
		return fmt.Errorf("%d centres and %d classes: must be as many, at least 1", len(m.Centers), len(m.Classes))
	}
	for _, f := range m.Features {
		if !slices.Contains(featureNames(), f) {
			return fmt.Errorf("feature %q: must be one of %s", f, strings.Join(featureNames(), ", "))
		}
	}
	for i, c := range m.Centers {
		if len(c) != n {
			return fmt.Errorf("centre %d has %d coordinates: must be %d", i, len(c), n)
		}
	}
	return nil
}

// Known counts the jobs that the model was made from already: those with the same name and
// the same facts. It is 0 for nil.
func (m *ClassesModel) Known(jobs []Facts) (n int) {
	if m == nil {
		return 0
	}
	has := make(map[Facts]bool, len(m.Jobs))
	for i := range m.Jobs {
		has[m.Jobs[i].Facts] = true
	}
	for i := range jobs {
		if jobs[i].Job != "" && has[jobs[i]] {
			n++
		}
	}
	return n
}

// FitClasses clusters jobs; model, if not nil, is a saved fit whose jobs come
// first.
func FitClasses(source string, jobs []Facts, opt ClassOptions, model *ClassesModel) (*ClassesResult, error) {
	if model != nil {
		var all []Facts
		for i := range model.Jobs {
			all = append(all, model.Jobs[i].Facts)
		}
		jobs = append(all, jobs...)
	}
	if len(jobs) == 0 {
		return nil, errors.New("no jobs to classify: must be at least 1")
	}
	if opt.MaxK <= 0 {
		opt.MaxK = 10
	}
	points, used := usedFeatures(jobs)
	if len(used) == 0 {
		used, points = []int{0}, onePoint(jobs)
	}
	scaler := cluster.FitScaler(points)
	scaled := scaler.Apply(points)
	r := &ClassesResult{Schema: classesSchema, Source: source, Jobs: len(jobs), K: opt.K, Given: opt.K > 0, asked: opt.K}
	c, err := r.group(scaled, opt)
	if err != nil {
		return nil, err
	}
	for _, u := range used {
		r.Features = append(r.Features, featureNames()[u])
	}
	r.Agreement = agreement(jobs, c.Labels)
	r.describe(jobs, scaler, c, opt.Seed)
	return r, nil
}

// group finds the classes of scaled points, as many as were asked for or as have the
// best silhouette.
func (r *ClassesResult) group(scaled [][]float64, opt ClassOptions) (*cluster.Result, error) {
	scores, bySilhouette, elbow, err := cluster.ChooseK(scaled, 1, opt.MaxK, cluster.Options{Seed: opt.Seed})
	if err != nil {
		return nil, err
	}
	r.Elbow = elbow
	for _, s := range scores {
		r.Tried = append(r.Tried, KChoice{s.K, s.Inertia, text.Num(s.Silhouette)})
	}
	if !r.Given {
		r.K = bySilhouette
	}
	c, err := cluster.KMeans(scaled, cluster.Options{K: r.K, Seed: opt.Seed})
	if err != nil {
		return nil, err
	}
	r.K, r.Silhouette = len(c.Centers), text.Num(cluster.Silhouette(scaled, c.Labels))
	if r.K > opt.MaxK {
		r.Tried = append(r.Tried, KChoice{r.K, c.Inertia, r.Silhouette})
	}
	return c, nil
}

// usedFeatures returns the features that are not the same for all jobs.
func usedFeatures(jobs []Facts) (points [][]float64, used []int) {
	first := jobs[0].features()
	for d := range first {
		for i := range jobs {
			if jobs[i].features()[d] != first[d] {
				used = append(used, d)
				break
			}
		}
	}
	for i := range jobs {
		all := jobs[i].features()
		p := make([]float64, len(used))
		for k, d := range used {
			p[k] = all[d]
		}
		points = append(points, p)
	}
	return points, used
}

// onePoint stands in for jobs that cannot be told apart.
func onePoint(jobs []Facts) [][]float64 {
	points := make([][]float64, len(jobs))
	for i := range points {
		points[i] = []float64{0}
	}
	return points
}

// describe makes the classes, the one with most jobs first.
func (r *ClassesResult) describe(jobs []Facts, scaler *cluster.Scaler, c *cluster.Result, seed uint64) {
	order := make([]int, len(c.Centers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.Sizes[b] - c.Sizes[a] })
	number := make([]int, len(order))
	m := &ClassesModel{Schema: classesModelSchema, Seed: seed, Features: r.Features, Scaler: scaler}
	total := 0.0
	for i := range jobs {
		total += jobs[i].MapSeconds + jobs[i].ReduceSeconds
	}
	for n, k := range order {
		number[k] = n
		var members []Facts
		for i := range jobs {
			if c.Labels[i] == k {
				members = append(members, jobs[i])
			}
		}
		r.Classes = append(r.Classes, classOf(members, scaler.Unscale(c.Centers[k]), len(jobs), total))
		m.Centers = append(m.Centers, c.Centers[k])
	}
	for i := range jobs {
		m.Jobs = append(m.Jobs, ClassedJob{jobs[i], number[c.Labels[i]]})
	}
	m.Classes = r.Classes
	r.Model = m
}

func classOf(members []Facts, center []float64, jobs int, total float64) JobClass {
	c := JobClass{Jobs: len(members), Share: float64(len(members)) / float64(jobs), Center: center}
	of := func(get func(*Facts) float64) float64 {
		v := make([]float64, len(members))
		for i := range members {
			v[i] = get(&members[i])
		}
		return stats.Median(v)
	}
	for i := range members {
		c.Work += members[i].MapSeconds + members[i].ReduceSeconds
	}
	if total > 0 {
		c.Work /= total
	}
	c.Median = Facts{
		Input: of(func(f *Facts) float64 { return f.Input }), Shuffle: of(func(f *Facts) float64 { return f.Shuffle }),
		Output: of(func(f *Facts) float64 { return f.Output }), Maps: of(func(f *Facts) float64 { return f.Maps }),
		Reduces: of(func(f *Facts) float64 { return f.Reduces }), MapSeconds: of(func(f *Facts) float64 {
			return f.MapSeconds
		}),
		ReduceSeconds: of(func(f *Facts) float64 { return f.ReduceSeconds }),
	}
	c.Label = label(&c.Median)
	return c
}

// Name returns the class of a job as "number: label", that of the nearest
// centre.
func (m *ClassesModel) Name(f *Facts) string {
	all, p := f.features(), make([]float64, 0, len(m.Features))
	for d, name := range featureNames() {
		if slices.Contains(m.Features, name) {
			p = append(p, all[d])
		}
	}
	best, top := 0, math.Inf(1)
	scaled := m.Scaler.Scale(p)
	for k, c := range m.Centers {
		d := 0.0
		for i, v := range scaled {
			d += (v - c[i]) * (v - c[i])
		}
		if d < top {
			best, top = k, d
		}
	}
	return fmt.Sprintf("%d: %s", best+1, m.Classes[best].Label)
}
