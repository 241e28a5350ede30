package datasets_test

import (
	"fmt"

	"schedtune/datasets"
)

func ExampleLoad() {
	set, err := datasets.Load("default")
	if err != nil {
		panic(err)
	}
	fmt.Println(len(set.Workload.Jobs), "jobs on", len(set.Cluster.Nodes), "nodes")
	_, err = datasets.Load("nosuch")
	fmt.Println(err != nil)
	// Output:
	// 212 jobs on 20 nodes
	// true
}
