package predict_test

import (
	"fmt"

	"schedtune/predict"
)

func ExampleNewEMA() {
	e, err := predict.NewEMA(0.25)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range []float64{8, 4} {
		e.Add(x)
	}
	fmt.Printf("%.3f, half-life %.2f steps\n", e.Value(), e.HalfLife())
	// Output: 5.714, half-life 2.41 steps
}

func ExampleRelease() {
	r, err := predict.NewRelease(0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, released := range []float64{20, 40} { // windows of 10 s, 8 containers available
		if err := r.Observe(released, 8, 10); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Printf("%.2f containers/s, with 6 available %.2f\n", r.Estimate().Frequency, r.Estimate().At(6))
	// Output: 3.33 containers/s, with 6 available 2.50
}

func ExampleFreeContainers() {
	n, err := predict.FreeContainers([][]int64{{5120, 3}, {2048, 8}}, []int64{2048, 1})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleLazyStart() {
	e := predict.ReleaseEstimate{Frequency: 1, Available: 10}
	jobs := []predict.MapStage{{Running: true, Reduces: 2, MapTime: 3, ShuffleTime: 20}}
	for _, pending := range []int{20, 14, 13} {
		jobs[0].Pending = pending
		fmt.Println(pending, predict.LazyStart{}.Pick(jobs, e))
	}
	// Output:
	// 20 -1
	// 14 0
	// 13 0
}

func ExampleShuffleTime() {
	fmt.Println(predict.ShuffleTime(1e9, 64, 4, 2e9), "s")
	// Output: 8 s
}

func ExampleBatchFinish() {
	e := predict.ReleaseEstimate{Frequency: 1, Available: 8}
	jobs := []predict.MapStage{
		{Running: true, ReducesStarted: true, Pending: 3, Reduces: 8, MapTime: 4},
		{Running: true, Pending: 30, Reduces: 8, MapTime: 4},
	}
	fair, batch := jobs[0].BatchTimes(e, 2)
	fmt.Println(predict.BatchFinish(jobs, e), fair, batch)
	// Output: 0 10 2.5
}

func ExampleProgress_Mismatch() {
	p := predict.Progress{Maps: 100, FinishedMaps: 50, PendingMaps: 50, Reduces: 3, PendingReduces: 3}
	fmt.Printf("%.4f\n", p.Mismatch(predict.DefaultThreshold))
	// Output: 0.4577
}

func ExampleCentrality() {
	hops := func(u, v int) float64 {
		if u == v {
			return 0
		}
		return 2
	}
	list := predict.Centrality([]float64{10, 0, 30}, hops, []int{0, 1, 2}, 7, nil)
	fmt.Println(list, "node 0 is in group", predict.CentralityGroup(list, 0))
	// Output: [2 0 1] node 0 is in group 2
}

// env is a cluster of four nodes and one job whose data centres on node 2.
type env struct{}

func (env) MostLagging() (int, float64) { return 0, 0.5 }
func (env) Group(_, node int) int       { return predict.CentralityGroup([]int{2, 3, 0}, node) }
func (env) RunsReduceOf(int, int) bool  { return false }
func (env) Launch(int, int) bool        { return true }

func ExampleWaitScheduler() {
	var w predict.WaitScheduler
	for beat, node := range []int{0, 1, 3, 2} {
		fmt.Println("heartbeat", beat, "of node", node, "launches for job", w.Heartbeat(node, 4, env{}))
	}
	// Output:
	// heartbeat 0 of node 0 launches for job -1
	// heartbeat 1 of node 1 launches for job -1
	// heartbeat 2 of node 3 launches for job -1
	// heartbeat 3 of node 2 launches for job 0
}

func ExamplePeek_Probability() {
	p := predict.Peek{RackLocal: true, Pending: 2}
	p.LocalShare, p.FreeNodes = predict.Sampled(2, 1, 8, 16)
	fmt.Printf("launch a remote map with probability %.3f\n", p.Probability())
	// Output: launch a remote map with probability 0.726
}

func ExampleAllLocalProbability() {
	fmt.Printf("%.1f %%\n", 100*predict.AllLocalProbability(28, 48.5, 15, 427))
	// Output: 92.9 %
}

func ExampleFitBeta() {
	o, err := predict.FitBeta([]float64{1, 1, 1, 2, 2, 2, 2, 3, 3, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("beta %.2f: error %.3f, running mean %.3f\n", o.Beta, o.EMA, o.Mean)
	// Output: beta 1.00: error 0.222, running mean 0.738
}

func ExampleFitRelease() {
	// Half of the available containers come free in every window of 1 s.
	r, err := predict.FitRelease([]float64{4, 4, 8, 8, 2, 2}, []float64{8, 8, 16, 16, 4, 4}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("equation 1: %.1f, last value: %.1f containers/s off\n", r.Error, r.LastValue)
	// Output: equation 1: 0.0, last value: 2.0 containers/s off
}

func ExampleDelta() {
	// A job of one reduce may start it after 28 % of its maps.
	fmt.Printf("%.2f\n", predict.Delta(1, predict.DefaultThreshold))
	// Output: 0.28
}

func ExampleTransferCost() {
	hops := func(u, v int) float64 { return float64((u - v) * (u - v)) }
	fmt.Println(predict.TransferCost([]float64{10, 0, 30}, hops, 1))
	// Output: 40
}

func ExampleOneStepError() {
	fmt.Println(predict.OneStepError([]float64{1, 3, 3}, 1)) // the last value: off by 2, then by 0
	// Output: 1
}
