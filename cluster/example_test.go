package cluster_test

import (
	"fmt"

	"schedtune/cluster"
)

func ExampleKMeans() {
	r, err := cluster.KMeans([][]float64{{10}, {0}, {11}, {1}}, cluster.Options{K: 2, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Centers, r.Labels, r.Inertia)
	// Output: [[0.5] [10.5]] [1 0 1 0] 1
}

func ExampleChooseK() {
	points := [][]float64{{0, 0}, {0, 1}, {1, 0}, {9, 9}, {9, 8}, {8, 9}, {0, 9}, {1, 9}, {0, 8}}
	scores, k, err := cluster.ChooseK(points, 1, 5, cluster.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("silhouette says %d (%.2f)\n", k, scores[k-1].Silhouette)
	// Output: silhouette says 3 (0.86)
}

func ExampleFitScaler() {
	s := cluster.FitScaler([][]float64{{1, 1000}, {3, 5000}})
	fmt.Println(s.Scale([]float64{3, 1000}))
	// Output: [1 -1]
}

func ExampleSilhouette() {
	fmt.Printf("%.3f\n", cluster.Silhouette([][]float64{{10}, {0}, {11}, {1}}, []int{1, 0, 1, 0}))
	// Output: 0.900
}

func ExampleClassify() {
	jobs := []cluster.Job{
		{User: 1, Priority: 1, Times: []float64{10, 20}},
		{User: 1, Priority: 1, Times: []float64{12, 20}},
		{User: 2, Priority: 1, Times: []float64{100, 30}},
	}
	c, err := cluster.Classify(jobs, cluster.ClassOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	alpha, mu := c.Rates(60)
	for i := range c.List {
		fmt.Printf("class %d: %.4f jobs/s arrive, rates %.4f jobs/s\n", i, alpha[i], mu[i])
	}
	// Output:
	// class 0: 0.0167 jobs/s arrive, rates [0.0100 0.0333] jobs/s
	// class 1: 0.0333 jobs/s arrive, rates [0.0909 0.0500] jobs/s
}

func ExampleQueues() {
	q := cluster.NewQueues(cluster.ClassOptions{}, 0)
	for _, seconds := range []float64{10, 10, 200} {
		a, err := q.Arrive(cluster.Job{User: int(seconds), MinShare: seconds < 100, Times: []float64{seconds}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("primary %d, secondary %d, anew %v\n", a.Primary, a.Secondary, a.SecondaryChanged)
	}
	// Output:
	// primary 0, secondary 0, anew true
	// primary 0, secondary 0, anew false
	// primary -1, secondary 0, anew true
}

func ExamplePredictor() {
	p, err := cluster.NewPredictor(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, seconds := range []float64{10, 20} { // class 0, 64 MB, cluster half full
		if err := p.Observe(0, 64e6, 0.5, seconds); err != nil {
			fmt.Println(err)
		}
	}
	s, n := p.Predict(0, 60e6, 0.55)
	fmt.Println(s, "s from", n, "observations")
	// Output: 15 s from 2 observations
}
