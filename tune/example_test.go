package tune_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"strconv"

	"schedtune/tune"
)

// One parameter, a run that stands for a simulation, and a study of 200 runs.
func Example() {
	space, err := tune.NewSpace(tune.Param{Name: "slowstart", Max: 1, Step: 0.05, Present: "0.05"})
	if err != nil {
		log.Fatal(err)
	}
	run := func(_ context.Context, it tune.Item) tune.Outcome {
		text, _ := it.Settings.Get("slowstart")
		v, _ := strconv.ParseFloat(text, 64)
		noise := float64(it.Seed % 10)
		return tune.Outcome{Metrics: map[string]float64{"makespan": 100 + 50*math.Abs(v-0.6) + noise}}
	}
	problem := tune.Problem{Space: space, Objectives: []tune.Objective{{Metric: "makespan"}}, Evaluator: tune.Pool(2, run)}
	result, err := tune.Search(context.Background(), problem, tune.Options{Seed: 1, Budget: 200})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("proven:", result.Decision.Recommended, result.Changes)
	// Output: proven: true [{slowstart 0.05 0.6}]
}

// cost is a stand-in for a simulator: two queues share a cluster, and the best
// split is 70 to 30 with a factor of 2. Noise comes from the seed alone, so
// configurations under one seed are compared fairly.
func cost(_ context.Context, it tune.Item) tune.Outcome {
	get := func(name string) float64 {
		text, _ := it.Settings.Get(name)
		v, _ := strconv.ParseFloat(text, 64)
		return v
	}
	v := 100 + math.Abs(get("prod.capacity")-70) + 10*math.Abs(math.Log2(get("prod.factor")/2))
	return tune.Outcome{Metrics: map[string]float64{"makespan": v + float64(it.Seed%10)}}
}

func twoQueues() (*tune.Space, error) {
	return tune.NewSpace(
		tune.Param{Name: "prod.capacity", Kind: tune.Share, Group: "root", Min: 5, Present: "40"},
		tune.Param{Name: "dev.capacity", Kind: tune.Share, Group: "root", Min: 5, Present: "60"},
		tune.Param{Name: "prod.factor", Kind: tune.Logarithmic, Min: 0.5, Max: 8, Step: 0.5, Present: "1"},
	)
}

func ExampleSearch() {
	space, err := twoQueues()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := tune.Search(context.Background(), tune.Problem{
		Space:      space,
		Objectives: []tune.Objective{{Metric: "makespan"}},
		Evaluator:  tune.Pool(2, cost),
	}, tune.Options{Seed: 1, Budget: 400})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("proven:", result.Decision.Recommended)
	for _, c := range result.Changes {
		fmt.Printf("%s: %s -> %s\n", c.Name, c.From, c.To)
	}
	// Output:
	// proven: true
	// prod.capacity: 40 -> 70
	// dev.capacity: 60 -> 30
	// prod.factor: 1 -> 2
}

// A Study asks for runs instead of doing them.
func ExampleStudy() {
	space, err := twoQueues()
	if err != nil {
		fmt.Println(err)
		return
	}
	study, err := tune.NewStudy(tune.Problem{
		Space: space, Objectives: []tune.Objective{{Metric: "makespan"}},
	}, tune.Options{Seed: 1, Budget: 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer study.Close()
	items, err := study.Ask()
	fmt.Println(len(items), "run of", items[0].Settings[0], err)
	for items != nil && err == nil {
		for _, it := range items {
			err = study.Tell(cost(context.Background(), it))
		}
		items, err = study.Ask()
	}
	fmt.Println(study.Result().Status)
	// Output:
	// 1 run of {prod.capacity 40} <nil>
	// budget-spent
}

func ExampleSpace_Decode() {
	space, err := twoQueues()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range []float64{0.1, 0.5, 0.9} {
		fmt.Println(space.Decode(tune.Point{u, 0.5}))
	}
	// Output:
	// [{prod.capacity 7} {dev.capacity 93} {prod.factor 1.5}]
	// [{prod.capacity 40} {dev.capacity 60} {prod.factor 1.5}]
	// [{prod.capacity 90} {dev.capacity 10} {prod.factor 1.5}]
}

func ExampleParseConstraint() {
	c, err := tune.ParseConstraint("queue.prod.p95-wait <= 2m")
	fmt.Println(c.Metric, c.Op, c.Limit, err)
	// Output: queue.prod.p95-wait <= 120 <nil>
}
