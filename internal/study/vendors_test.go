package study

import (
	"context"
	"path/filepath"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Files in the manner of the vendors' load, have no setting that is not modelled, and
// run: as they are and at a drawn point of their space.
func TestVendors(t *testing.T) {
	for _, v := range []struct{ config, site, cluster, hadoop, queues string }{
		{config: "stock", hadoop: "3.4", queues: "q:*:root.default"},
		{config: "stock", hadoop: "3.5", queues: "q:*:root.default"},
		{config: "emr", hadoop: "3.4", queues: "q:*:root.default"},
		{config: "emr-labels", site: "emr-labels-site", cluster: "emr-labels", hadoop: "3.3", queues: "q:*:root.default"},
		{config: "emr-labels", site: "emr-labels-site", cluster: "emr-labels", hadoop: "3.5", queues: "q:*:root.default"},
		{config: "dataproc", hadoop: "3.4", queues: "q:*:root.default"},
		{config: "cdp", site: "cdp-site", hadoop: "3.4"},
		{config: "cdp", site: "cdp-site", hadoop: "3.5"},
	} {
		t.Run(v.config+" "+v.hadoop, func(t *testing.T) {
			dir := filepath.Join("testdata", "vendors")
			in := scenario.Files{Config: filepath.Join(dir, v.config+".xml"), Hadoop: v.hadoop, QueueMap: v.queues,
				Embedded: true, Dataset: "default-1"}
			if v.site != "" {
				in.Site = filepath.Join(dir, v.site+".xml")
			}
			if v.cluster != "" {
				in.Cluster = filepath.Join(dir, v.cluster+".yaml")
			}
			c, err := in.Load()
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Unmodelled) > 0 {
				t.Errorf("not modelled: %q", c.Unmodelled)
			}
			for _, p := range yarnconf.Check(c.Doc).Problems {
				if p.Severity == yarnconf.Error {
					t.Errorf("check: %v", p)
				}
			}
			s, _, err := NewSpace(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewRunner(c, s, scenario.Windows(c.Work, 1), []string{"makespan"})
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range []tune.Settings{s.PresentSettings(), s.Decode(points(s, 1)[0])} {
				if out := r.Outcome(context.Background(), tune.Item{Settings: set, Seed: 1}); out.Err != "" ||
					out.Metrics["makespan"] <= 0 {
					t.Errorf("run of %v: %+v", set, out)
				}
			}
		})
	}
}
