package replay

import (
	"testing"

	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// TestConfigurations holds the evaluation of configurations alone against the
// recorded loads and refusals.
func TestConfigurations(t *testing.T) {
	n, bad := 0, 0
	err := ReadFile(testdata.Shared(t, "yarn-oracle", "conf.jsonl.gz"), func(s *Scenario) error {
		n++
		c, errs := evaluate(s)
		if (s.Rejected != nil) != (len(errs) > 0) {
			bad++
			t.Errorf("%s: recorded rejected %v, ours %v", s.Scenario, s.Rejected != nil, errs)
			if s.Rejected != nil {
				t.Log(*s.Rejected)
			}
			return nil
		}
		if len(errs) > 0 {
			return nil
		}
		var cluster yarnconf.Resource
		for _, nd := range s.Nodes {
			cluster = cluster.Add(yarnconf.Resource{Memory: nd.Memory, VCores: nd.VCores})
		}
		got := map[string]Shape{}
		eff := c.Effective(cluster)
		for i := range c.Queues {
			got[c.Queues[i].Path] = shapeOf(c, i, &eff[i], c.Queues[i].State, eff[i].AMLimit)
		}
		if d := diffMaps("queue", s.Shape, got); d != "" {
			bad++
			t.Errorf("%s: %s", s.Scenario, d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d configurations, %d differ", n, bad)
}

// evaluate reads a scenario's configuration by the rules of its version.
func evaluate(s *Scenario) (*yarnconf.Config, []*yarnconf.PropError) {
	v, err := s.version()
	if err != nil {
		return nil, []*yarnconf.PropError{{Key: "hadoop", Value: s.Hadoop, Reason: err.Error()}}
	}
	c, err := yarnconf.EvaluateAs(properties(s.Conf), v, yarnconf.Resource{})
	return c, yarnconf.Rejected(err)
}
