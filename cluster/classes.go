package cluster

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Job classes of COSHH (Rasooli, Down, section 3.1). Jobs are clustered by
// priority, mean execution rate on every resource and mean arrival rate; a
// class C_i has a priority, an arrival rate alpha_i and execution rates mu_ij,
// which are the input of the allocation (package lp).
//
// What differs: features are standardised first; the class's priority, which
// the paper takes to be that of all its jobs, is the most frequent one (of
// equally frequent ones the highest); mu_ij is the inverse of the mean time of
// the class's jobs, which is the rate a resource can keep up, not the mean of
// their rates. "J fits in C_i" is not defined in the paper: here the job is no
// farther from the class's centre than FitSlack times the farthest job the
// class was made from, and has its priority.

// Job is what the classification knows of a job.
type Job struct {
	User     int  // its number; K = 0 counts the different ones
	MinShare bool // its user has a minimum share above 0
	Priority int
	// ArrivalRate is the mean arrival rate of jobs like this one, jobs/s; 0
	// where unknown.
	ArrivalRate float64
	// Times[j] is the mean execution time of the job on resource j, seconds,
	// positive and finite.
	Times []float64
	// Class is its class where classes are given (ClassOptions.Given), from 0.
	Class int
}

// ClassOptions sets a classification; the zero value is the paper's.
type ClassOptions struct {
	K        int     // classes; 0 reads as the number of users, as in the paper
	Seed     uint64  // of k-means
	Restarts int     // of k-means; 0 reads as 10
	FitSlack float64 // 0 reads as 1.25
	// LogRates clusters by the logarithm of the rates: jobs that differ by a
	// factor, not by a difference, fall apart.
	LogRates bool
	// Given has jobs belong to the class that they name. Classes are numbered in the order of
	// their first jobs.
	Given bool
}

// Class is one job class.
type Class struct {
	Priority int       // of most of its jobs
	Jobs     int       // jobs counted
	MeanTime []float64 // seconds per resource
	Center   []float64 // scaled features
	Radius   float64   // distance of the farthest job it was made from
}

// Mu returns the execution rates 1 / MeanTime, jobs/s per resource.
func (c *Class) Mu() []float64 {
	mu := make([]float64, len(c.MeanTime))
	for j, t := range c.MeanTime {
		mu[j] = 1 / t
	}
	return mu
}

// Classes is a classification, made by Classify. The zero value has no classes.
type Classes struct {
	List    []Class // by number
	Labels  []int   // class of each job it was made from
	Scaler  *Scaler // of the features
	opt     ClassOptions
	number  map[int]int // of a given class
	jobs    int         // of given classes
	renewed int         // jobs when that was last told
}

// Classify clusters jobs into classes.
func Classify(jobs []Job, opt ClassOptions) (*Classes, error) {
	if len(jobs) == 0 {
		return nil, fmt.Errorf("cluster: no jobs to classify: must be at least 1")
	}
	points := make([][]float64, len(jobs))
	for i, j := range jobs {
		if err := j.check(len(jobs[0].Times)); err != nil {
			return nil, fmt.Errorf("cluster: job %d: %w", i, err)
		}
		points[i] = opt.features(j)
	}
	if opt.K <= 0 {
		opt.K = users(jobs)
	}
	if !(opt.FitSlack > 0) {
		opt.FitSlack = 1.25
	}
	c := &Classes{Scaler: FitScaler(points), opt: opt}
	scaled := c.Scaler.Apply(points)
	r, err := KMeans(scaled, Options{K: opt.K, Seed: opt.Seed, Restarts: opt.Restarts})
	if err != nil {
		return nil, err
	}
	c.Labels = r.Labels
	c.fill(jobs, scaled, r)
	return c, nil
}

func (j *Job) check(resources int) error {
	if len(j.Times) == 0 {
		return errors.New("no execution times: must be one per resource, at least 1")
	}
	if len(j.Times) != resources {
		return fmt.Errorf("%d execution times: must be %d, one per resource", len(j.Times), resources)
	}
	for r, t := range j.Times {
		if !(t > 0) || math.IsInf(t, 0) {
			return fmt.Errorf("execution time on resource %d is %v s: must be positive and finite", r, t)
		}
	}
	if !(j.ArrivalRate >= 0) || math.IsInf(j.ArrivalRate, 0) {
		return fmt.Errorf("arrival rate is %v: must be 0 or more", j.ArrivalRate)
	}
	return nil
}

// features is the paper's feature vector: priority, arrival rate, execution
// rates.
func (o ClassOptions) features(j Job) []float64 {
	f := make([]float64, 0, 2+len(j.Times))
	f = append(f, float64(j.Priority), j.ArrivalRate)
	for _, t := range j.Times {
		if o.LogRates {
			f = append(f, -math.Log(t))
		} else {
			f = append(f, 1/t)
		}
	}
	return f
}

func users(jobs []Job) int {
	ids := make([]int, len(jobs))
	for i, j := range jobs {
		ids[i] = j.User
	}
	slices.Sort(ids)
	return len(slices.Compact(ids))
}

func (c *Classes) fill(jobs []Job, scaled [][]float64, r *Result) {
	c.List = make([]Class, len(r.Centers))
	priorities := make([][]int, len(r.Centers))
	for k := range c.List {
		c.List[k] = Class{Center: r.Centers[k], MeanTime: make([]float64, len(jobs[0].Times))}
	}
	for i, j := range jobs {
		k := r.Labels[i]
		c.List[k].count(j)
		c.List[k].Radius = math.Max(c.List[k].Radius, math.Sqrt(sqDist(scaled[i], r.Centers[k])))
		priorities[k] = append(priorities[k], j.Priority)
	}
	for k := range c.List {
		c.List[k].Priority = mode(priorities[k])
	}
}

// count takes one job into the running means.
func (c *Class) count(j Job) {
	c.Jobs++
	for r, t := range j.Times {
		c.MeanTime[r] += (t - c.MeanTime[r]) / float64(c.Jobs)
	}
}

// mode returns the most frequent value, of equally frequent ones the largest.
func mode(v []int) int {
	slices.Sort(v)
	best, count, run := v[0], 0, 0
	for i, x := range v {
		if i > 0 && x == v[i-1] {
			run++
		} else {
			run = 1
		}
		if run >= count {
			best, count = x, run
		}
	}
	return best
}

// Nearest returns the class whose centre is nearest to the job.
func (c *Classes) Nearest(j Job) int {
	if c.number != nil {
		return c.number[j.Class]
	}
	k, _ := c.nearest(j)
	return k
}

func (c *Classes) nearest(j Job) (int, float64) {
	if c.Scaler == nil || j.check(len(c.Scaler.Mean)-2) != nil {
		return 0, math.Inf(1) // no such job fits anywhere
	}
	p := c.Scaler.Scale(c.opt.features(j))
	best, top := 0, math.Inf(1)
	for k := range c.List {
		if d := sqDist(p, c.List[k].Center); d < top {
			best, top = k, d
		}
	}
	return best, math.Sqrt(top)
}

// take counts a job into the class that it names, and reports whether the allocation is to be
// solved again: for a new class, and when there are twice as many jobs.
func (c *Classes) take(j Job) (class int, changed bool) {
	k, ok := c.number[j.Class]
	if !ok {
		k = len(c.List)
		c.number[j.Class] = k
		c.List = append(c.List, Class{Priority: j.Priority, MeanTime: make([]float64, len(j.Times))})
	}
	c.List[k].count(j)
	if c.jobs++; ok && c.jobs < 2*c.renewed {
		return k, false
	}
	c.renewed = c.jobs
	return k, true
}

// Fits returns the class the job fits in and true, or the nearest class and
// false.
func (c *Classes) Fits(j Job) (class int, ok bool) {
	k, d := c.nearest(j)
	if k >= len(c.List) {
		return 0, false
	}
	reach := math.Max(c.List[k].Radius*c.opt.FitSlack, 1e-9)
	return k, d <= reach && c.List[k].Priority == j.Priority
}

// Add counts a job into a class: its size and mean times, as if it had been
// there from the start. Centre, radius and priority stay, so that what fits
// does not drift.
func (c *Classes) Add(class int, j Job) error {
	if class < 0 || class >= len(c.List) {
		return fmt.Errorf("cluster: class %d: must be 0 to %d", class, len(c.List)-1)
	}
	if err := j.check(len(c.List[class].MeanTime)); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	c.List[class].count(j)
	return nil
}

// Rates returns the allocation's input: alpha_i, the jobs of class i per second
// of the elapsed seconds in which they came, and mu_ij. elapsed <= 0 reads as
// 1; lambda scales with it, the allocation does not.
func (c *Classes) Rates(elapsed float64) (alpha []float64, mu [][]float64) {
	if !(elapsed > 0) {
		elapsed = 1
	}
	for k := range c.List {
		alpha = append(alpha, float64(c.List[k].Jobs)/elapsed)
		mu = append(mu, c.List[k].Mu())
	}
	return alpha, mu
}
