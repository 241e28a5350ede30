package capacity

import (
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Of two applications that wait for the same node, the one whose priority was raised is
// served first, and the earlier one again when it is taken back; the cluster's bound
// holds.
func TestSetPriority(t *testing.T) {
	for bound, want := range map[string][]yarn.AppID{"0": {0, 0, 0}, "5": {0, 1, 0}} {
		doc, err := yarnconf.Parse("test", yarnconf.Fragment("", []yarnconf.Change{
			{Key: yarnconf.Prefix + "root.queues", Value: "a"}, {Key: yarnconf.Key("root.a", yarnconf.Capacity), Value: "100"},
			{Key: yarnconf.Key("root.a", yarnconf.UserFactor), Value: "10"}, {Key: yarnconf.Prefix + yarnconf.AMShare, Value: "1"},
			{Key: "yarn.cluster.max-application-priority", Value: bound}}))
		if err != nil {
			t.Fatal(err)
		}
		conf, err := yarnconf.Evaluate(doc)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(conf)
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.AddNode(yarn.NodeSpec{Name: "n", Rack: "/r", Resource: yarn.Resource{Memory: 10240, VCores: 10}})
		if err != nil {
			t.Fatal(err)
		}
		size := yarn.Resource{Memory: 1024, VCores: 1}
		var resp yarn.AskResponse
		for range 2 {
			if _, err := s.Submit(yarn.AppSpec{Name: "j", User: "u", Queue: "root.a", AM: size}); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			s.Beat(n, nil, nil)
		}
		for app := range yarn.AppID(2) {
			s.Ask(app, []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: size, Count: 5}}, nil, &resp)
		}
		for step, priority := range []int32{0, 3, 0} {
			s.SetPriority(1, priority)
			events := s.Beat(n, nil, nil)
			if len(events) == 0 || events[0].App != want[step] {
				t.Errorf("bound %s, priority %d: %+v, want application %d", bound, priority, events, want[step])
			}
		}
	}
}
