package reproduce

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"schedtune/datasets"
)

func TestTime(t *testing.T) {
	if os.Getenv("NODES") == "" {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("NODES"))
	r := newRunner(context.Background(), Options{Seed: 1, Workers: 1})
	ds, err := datasets.CoshhResources(os.Getenv("TRACE"), n)
	if n == 6 {
		ds, err = datasets.CoshhJobs(os.Getenv("TRACE"), 100)
	}
	if err != nil {
		t.Fatal(err)
	}
	tasks := 0
	for _, j := range ds.Workload.Jobs {
		tasks += int(j.Maps + j.Reduces)
	}
	for _, s := range coshhSchedulers {
		at := time.Now()
		o, err := r.run(&trial{set: ds, config: coshhConfig(), scheduler: s}, 1)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(n, s, tasks, "tasks", o.Beats, "beats", time.Since(at), value(o, "mean-completion"))
	}
}
