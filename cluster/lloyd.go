package cluster

import (
	"runtime"
	"slices"
	"sync"
)

// lloyd improves centers, which it owns, and numbers them canonically.
func lloyd(points, centers [][]float64, rounds int, tol float64) *Result {
	r := &Result{Centers: centers, Labels: make([]int, len(points)), Sizes: make([]int, len(centers))}
	for i := range r.Labels {
		r.Labels[i] = -1
	}
	old := clone(centers)
	for r.Iterations < rounds {
		r.Iterations++
		if !r.assign(points) {
			break
		}
		for c := range centers {
			copy(old[c], centers[c])
		}
		r.update(points)
		moved := 0.0
		for c := range centers {
			moved += sqDist(old[c], centers[c])
		}
		if last := r.Iterations == rounds; last || moved <= tol {
			r.label(points)
			if last || !slices.Contains(r.Sizes, 0) {
				break
			}
		}
	}
	r.finish(points)
	return r
}

// assign gives every point to its nearest centre and refills empty ones.
func (r *Result) assign(points [][]float64) (changed bool) {
	changed = r.label(points)
	for c, n := range r.Sizes {
		if n == 0 && r.refill(points, c) {
			changed = true
		}
	}
	return changed
}

// label gives every point to its nearest centre, on all cores where they are many.
func (r *Result) label(points [][]float64) (changed bool) {
	clear(r.Sizes)
	around := neighbours(r.Centers)
	parts := 1
	if len(points) > sampleSize {
		parts = runtime.GOMAXPROCS(0)
	}
	moved, wait := make([]bool, parts), sync.WaitGroup{}
	for part := range parts {
		wait.Go(func() {
			for i := part * len(points) / parts; i < (part+1)*len(points)/parts; i++ {
				if c := nearestFrom(r.Centers, around, r.Labels[i], points[i]); c != r.Labels[i] {
					r.Labels[i], moved[part] = c, true
				}
			}
		})
	}
	wait.Wait()
	for _, c := range r.Labels {
		r.Sizes[c]++
	}
	return slices.Contains(moved, true)
}

// refill moves the point farthest from its centre to the empty cluster c;
// false when no cluster has a point to spare away from its centre.
func (r *Result) refill(points [][]float64, c int) bool {
	far, top := -1, 0.0
	for i, p := range points {
		if d := sqDist(p, r.Centers[r.Labels[i]]); d > top && r.Sizes[r.Labels[i]] > 1 {
			far, top = i, d
		}
	}
	if far < 0 {
		return false
	}
	r.Sizes[r.Labels[far]]--
	r.Sizes[c], r.Labels[far] = 1, c
	copy(r.Centers[c], points[far])
	return true
}

// update moves every centre to the mean of its points.
func (r *Result) update(points [][]float64) {
	for c, n := range r.Sizes {
		if n > 0 {
			clear(r.Centers[c])
		}
	}
	for i, p := range points {
		c := r.Centers[r.Labels[i]]
		for d, v := range p {
			c[d] += v
		}
	}
	for c, n := range r.Sizes {
		for d := range r.Centers[c] {
			if n > 0 {
				r.Centers[c][d] /= float64(n)
			}
		}
	}
}

// finish drops empty clusters, orders the rest and computes the inertia.
func (r *Result) finish(points [][]float64) {
	var keep []int
	for c, n := range r.Sizes {
		if n > 0 {
			keep = append(keep, c)
		}
	}
	slices.SortStableFunc(keep, func(a, b int) int { return slices.Compare(r.Centers[a], r.Centers[b]) })
	number := make([]int, len(r.Centers))
	centers, sizes := make([][]float64, len(keep)), make([]int, len(keep))
	for n, c := range keep {
		number[c], centers[n], sizes[n] = n, r.Centers[c], r.Sizes[c]
	}
	r.Centers, r.Sizes, r.Inertia = centers, sizes, 0
	for i, p := range points {
		r.Labels[i] = number[r.Labels[i]]
		r.Inertia += sqDist(p, centers[r.Labels[i]])
	}
}

func clone(points [][]float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, p := range points {
		out[i] = slices.Clone(p)
	}
	return out
}

func meanVariance(points [][]float64) float64 {
	s := FitScaler(points)
	v := 0.0
	for _, d := range s.Deviation {
		v += d * d
	}
	return v / float64(len(s.Deviation))
}
