package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// exp1 is the system Exp1 of the COSHH paper (tables 1 and 2): six users with
// minimum shares 50, 20, 40, 30, 0, 0 and priorities 3, 2, 3, 2, 1, 2, and their
// jobs at time t. There is one resource. The paper gives no times; here users
// of one class of the paper's figures have the same times.
func exp1() []Job {
	var jobs []Job
	add := func(user, n int, minShare bool, priority int, seconds float64) {
		for i := range n {
			jobs = append(jobs, Job{User: user, MinShare: minShare, Priority: priority, ArrivalRate: 0.1,
				Times: []float64{seconds * (1 + 0.01*float64(i))}})
		}
	}
	add(1, 4, true, 3, 10)
	add(2, 5, true, 2, 100)
	add(3, 3, true, 3, 10)
	add(4, 4, true, 2, 20)
	add(5, 2, false, 1, 50)
	add(6, 3, false, 2, 100)
	return jobs
}

// Users 1 and 3 have the same priority and times, as have 2 and 6: four classes
// come out of six users, however large k is. Primary: 16 jobs of users 1 to 4,
// three classes of 7, 5 and 4 jobs; secondary: all 21 jobs, four classes of 7,
// 8, 4 and 2.
func TestCOSHHExample(t *testing.T) {
	jobs := exp1()
	var primary []Job
	for _, j := range jobs {
		if j.MinShare {
			primary = append(primary, j)
		}
	}
	for _, c := range []struct {
		name  string
		jobs  []Job
		k     int
		sizes map[int][]int // priority: sizes
	}{
		{"primary", primary, 3, map[int][]int{3: {7}, 2: {5, 4}}},
		{"secondary", jobs, 4, map[int][]int{3: {7}, 2: {8, 4}, 1: {2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl, err := Classify(c.jobs, ClassOptions{K: c.k})
			if err != nil {
				t.Fatal(err)
			}
			got := map[int]int{}
			want := map[int]int{}
			for _, k := range cl.List {
				got[1000*k.Priority+k.Jobs]++
			}
			for p, sizes := range c.sizes {
				for _, s := range sizes {
					want[1000*p+s]++
				}
			}
			for k, n := range want {
				if got[k] != n {
					t.Errorf("%s: classes (priority 1000 + jobs) %v, want %v", c.name, got, want)
					break
				}
			}
		})
	}
}

// A class of jobs with times 10 and 30 s on resource 0 and 4 s on resource 1
// has mean times 20 and 4, so rates 1/20 and 1/4; 2 jobs in 50 s are 0.04
// jobs/s. A third job of 50 s makes the mean 30: incremental equals batch.
func TestRates(t *testing.T) {
	j := func(s float64) Job { return Job{Times: []float64{s, 4}} }
	c, err := Classify([]Job{j(10), j(30)}, ClassOptions{K: 1})
	if err != nil {
		t.Fatal(err)
	}
	alpha, mu := c.Rates(50)
	near(t, "alpha", alpha[0], 0.04, 1e-15)
	near(t, "mu 0", mu[0][0], 1.0/20, 1e-15)
	near(t, "mu 1", mu[0][1], 1.0/4, 1e-15)
	if err := c.Add(0, j(50)); err != nil {
		t.Fatal(err)
	}
	batch, _ := Classify([]Job{j(10), j(30), j(50)}, ClassOptions{K: 1})
	near(t, "incremental", c.List[0].MeanTime[0], batch.List[0].MeanTime[0], 1e-12)
	near(t, "incremental mean", c.List[0].MeanTime[0], 30, 1e-12)
	if c.Add(1, j(1)) == nil || c.Add(0, Job{Times: []float64{1}}) == nil {
		t.Error("a class out of range and a job with too few times must be errors")
	}
}

// A job like the others fits; one with another priority or far away does not.
func TestFits(t *testing.T) {
	jobs := exp1()
	c, err := Classify(jobs, ClassOptions{K: 4})
	if err != nil {
		t.Fatal(err)
	}
	if k, ok := c.Fits(jobs[0]); !ok || k != c.Labels[0] {
		t.Errorf("a job it was made from: class %d, %v; want %d", k, ok, c.Labels[0])
	}
	odd := jobs[0]
	odd.Priority = 9
	if _, ok := c.Fits(odd); ok {
		t.Error("a job with another priority must not fit")
	}
	far := jobs[0]
	far.Times = []float64{0.5}
	if _, ok := c.Fits(far); ok {
		t.Error("a job twenty times as fast must not fit")
	}
	if _, ok := c.Fits(Job{}); ok || c.Nearest(Job{}) != 0 {
		t.Error("a job without times fits nowhere")
	}
	if c.Nearest(jobs[20]) != c.Labels[20] {
		t.Error("nearest class of a job it was made from")
	}
}

// The first job of a kind makes the classification anew, further ones join;
// jobs without a minimum share stay out of the primary one.
func TestQueues(t *testing.T) {
	q := NewQueues(ClassOptions{K: 2}, 0)
	fast := Job{User: 1, MinShare: true, Priority: 1, Times: []float64{10}}
	slow := Job{User: 2, Priority: 1, Times: []float64{100}}
	a, err := q.Arrive(fast)
	if err != nil || !a.PrimaryChanged || !a.SecondaryChanged || a.Primary != 0 {
		t.Fatalf("first job: %+v, %v", a, err)
	}
	if a, _ = q.Arrive(fast); a.PrimaryChanged || a.SecondaryChanged {
		t.Errorf("an equal job must join: %+v", a)
	}
	if a, _ = q.Arrive(slow); a.Primary != -1 || !a.SecondaryChanged || len(q.Secondary.List) != 2 ||
		len(q.Primary.List) != 1 {
		t.Errorf("a slow job without minimum share: %+v", a)
	}
	if q.Secondary.List[q.Secondary.Nearest(fast)].Jobs != 2 {
		t.Error("both fast jobs must be counted")
	}
	if _, err := q.Arrive(Job{Times: []float64{math.NaN()}}); err == nil {
		t.Error("a job with a NaN time must be an error")
	}
	fast.Times = []float64{10, 10}
	before := q.Primary.List[0].Jobs
	if _, err := q.Arrive(fast); err == nil || err.Error() != "cluster: 2 execution times: must be 1, one per resource" ||
		q.Primary.List[0].Jobs != before {
		t.Errorf("a job with another number of times: %v, %d jobs of %d", err, q.Primary.List[0].Jobs, before)
	}
	if _, err := q.Arrive(slow); err != nil {
		t.Errorf("after the error: %v", err)
	}
}

func TestClassifyErrors(t *testing.T) {
	for name, jobs := range map[string][]Job{
		"none":          nil,
		"no times":      {{}},
		"zero time":     {{Times: []float64{0}}},
		"ragged":        {{Times: []float64{1}}, {Times: []float64{1, 2}}},
		"negative rate": {{Times: []float64{1}, ArrivalRate: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Classify(jobs, ClassOptions{}); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
	c, err := Classify(exp1(), ClassOptions{LogRates: true})
	if err != nil || len(c.List) > 6 {
		t.Errorf("k of the number of users: %d classes, %v; want at most 6", len(c.List), err)
	}
}

// What a job may not be is said where it is added, and changes nothing.
func TestAddErrors(t *testing.T) {
	c, err := Classify([]Job{{Times: []float64{10, 4}}, {Times: []float64{30, 4}}}, ClassOptions{K: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{0, -1, math.Inf(1), math.NaN()} {
		want := fmt.Sprintf("cluster: execution time on resource 1 is %v s: must be positive and finite", bad)
		if err := c.Add(0, Job{Times: []float64{1, bad}}); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if got := c.List[0]; got.Jobs != 2 || !slices.Equal(got.MeanTime, []float64{20, 4}) {
		t.Errorf("after refusals %+v, want 2 jobs of 20 s and 4 s", got)
	}
	if k, ok := c.Fits(Job{Times: []float64{1}}); k != 0 || ok {
		t.Errorf("a job on one resource of two fits class %d: %v", k, ok)
	}
	// No time in which they came reads as a second.
	for _, elapsed := range []float64{0, -5, math.NaN()} {
		alpha, _ := c.Rates(elapsed)
		near(t, fmt.Sprintf("alpha after %v s", elapsed), alpha[0], 2, 0)
	}
}

// Lookups of the predictor, from the most to the least particular: class 0 has
// 10 s and 20 s for 1000 bytes at utilisation 0.15 and 30 s at 0.95; class 1
// has 8 s for 4096 bytes.
func TestPredictor(t *testing.T) {
	p, err := NewPredictor(3)
	if err != nil {
		t.Fatal(err)
	}
	if s, n := p.Predict(0, 1, 0); s != 0 || n != 0 {
		t.Error("an empty table predicts 0 from 0 observations")
	}
	for _, o := range []struct {
		class         int
		bytes, u, sec float64
	}{{0, 1000, 0.15, 10}, {0, 1000, 0.15, 20}, {0, 1000, 0.95, 30}, {1, 4096, 0.5, 8}} {
		if err := p.Observe(o.class, o.bytes, o.u, o.sec); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name     string
		class    int
		bytes, u float64
		want     float64
		n        int
	}{
		{"cell", 0, 900, 0.19, 15, 2}, // 512 to 1023 bytes, 10 to 20 %
		{"class and size", 0, 600, 0.5, 20, 3},
		{"class, by size", 1, 1 << 20, 0.5, 8.0 / 4096 * (1 << 20), 1},
		{"all, by size", 2, 1000, 0.5, (0.06 + 8.0/4096) / 4 * 1000, 4},
		{"all, no size", 2, 0, 0.5, 17, 4}, // (10 + 20 + 30 + 8)/4
		{"class out of range", 7, 0, 0, 17, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n := p.Predict(c.class, c.bytes, c.u)
			if n != c.n {
				t.Errorf("%s: %d observations, want %d", c.name, n, c.n)
			}
			near(t, c.name, s, c.want, 1e-9)
		})
	}
	if p.Observe(3, 1, 0, 1) == nil || p.Observe(0, -1, 0, 1) == nil || p.Observe(0, 1, 0, math.NaN()) == nil {
		t.Error("a class out of range, a negative size and a NaN time must be errors")
	}
	if _, err := NewPredictor(0); err == nil {
		t.Error("no classes: no error")
	}
}

// The most frequent value, of equally frequent ones the largest, wherever they stand.
func TestMode(t *testing.T) {
	for _, c := range []struct {
		values []int
		want   int
	}{
		{[]int{5}, 5}, {[]int{3, 1, 1, 2}, 1}, {[]int{1, 2, 2, 1}, 2}, {[]int{9, 1, 2, 3}, 9}, {[]int{2, 2, 2, 7, 7}, 2},
		{[]int{0, 0, -1}, 0},
	} {
		if got := mode(slices.Clone(c.values)); got != c.want {
			t.Errorf("mode of %v is %d, want %d", c.values, got, c.want)
		}
	}
	c, err := Classify([]Job{{Times: []float64{1}}, {Times: []float64{9}, User: 1}}, ClassOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{-1, 2} {
		if err := c.Add(k, Job{Times: []float64{1}}); err == nil || !strings.Contains(err.Error(), "0 to 1") {
			t.Errorf("class %d of 2: %v", k, err)
		}
	}
}
