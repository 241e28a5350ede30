package spark

import "math"

// Where new executors are asked for (LocalityPreferredContainerPlacementStrategy
// of Spark 3.5.5).

// addPlaced asks for missing executors where tasks prefer some hosts.
func (a *Allocator) addPlaced(missing int32) {
	available := missing + a.dropStale(math.MaxInt32)
	placed := a.place(available + a.anyN)
	if extra := placed - available; extra > 0 {
		a.dropAny(extra)
	}
	// The hosts of the i-th placed request are those whose wish, scaled so that
	// the largest is the number of requests, is above i.
	largest := int32(0)
	for _, w := range a.wish {
		largest = max(largest, w)
	}
	for i := range placed {
		from := len(a.hosts)
		for k, w := range a.wish {
			if int32(math.Ceil(float64(w)*float64(placed)/float64(largest))) > i {
				a.hosts = append(a.hosts, a.hints[k].Node)
			}
		}
		a.seq++
		a.local = append(a.local, request{seq: a.seq, at: int32(from), to: int32(len(a.hosts))})
		a.touchPlaces(&a.local[len(a.local)-1], 1)
	}
	a.addAny(available - placed)
}

// place works out how many executors each preferred host should still get
// (wish, in the order of hints), and how many of n requests are placed.
func (a *Allocator) place(n int32) (placed int32) {
	tasks := int32(0)
	for _, h := range a.hints {
		tasks += h.Tasks
	}
	a.pendingShares()
	a.wish = a.wish[:0]
	executors := math.Ceil(float64(a.hintTasks) / float64(a.slots))
	sum := int32(0)
	for k, h := range a.hints {
		expected := float64(h.Tasks) * executors / float64(tasks)
		there := a.pend[k]
		if int(h.Node) < len(a.on) {
			there += float64(a.on[h.Node])
		}
		w := max(int32(math.Ceil(expected-there)), 0)
		a.wish = append(a.wish, w)
		sum += w
	}
	return min(n, sum)
}

// pendingShares counts the placed requests that wait, by preferred host: each
// request is shared out over the hosts it names.
func (a *Allocator) pendingShares() {
	a.pend = a.pend[:0]
	total, named := 0, float64(len(a.local))
	for i := range a.local {
		total += int(a.local[i].to - a.local[i].at)
	}
	for _, h := range a.hints {
		count := 0
		for i := range a.local {
			for _, node := range a.hosts[a.local[i].at:a.local[i].to] {
				if node == h.Node {
					count++
				}
			}
		}
		a.pend = append(a.pend, float64(count)*named/float64(max(total, 1)))
	}
}
