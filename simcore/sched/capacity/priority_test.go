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
		t.Run(bound, func(t *testing.T) {
			s := alone(t, yarnconf.Hadoop34, map[string]string{"root.a.user-limit-factor": "10",
				"yarn.cluster.max-application-priority": bound},
				yarn.NodeSpec{Name: "n", Rack: "/r", Resource: yarn.Resource{Memory: 10240, VCores: 10}})
			var resp yarn.AskResponse
			for range 2 {
				submit(t, s, "u", "root.a")
			}
			for range 4 {
				s.Beat(0, nil, nil)
			}
			for app := range yarn.AppID(2) {
				s.Ask(app, []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: oneGiB, Count: 5}}, nil, &resp)
			}
			for step, priority := range []int32{0, 3, 0} {
				s.SetPriority(1, priority)
				events := s.Beat(0, nil, nil)
				if len(events) == 0 || events[0].App != want[step] {
					t.Errorf("bound %s, priority %d: %+v, want application %d", bound, priority, events, want[step])
				}
			}
		})
	}
}

// What an application gets that asks for no priority: its queue's default, up to the
// cluster's bound; one that asks for 0 gets 0, and the first one of a queue that is
// made for it too.
func TestDefaultPriority(t *testing.T) {
	doc, err := yarnconf.Parse("test", yarnconf.Fragment("", []yarnconf.Change{
		{Key: yarnconf.Prefix + "root.queues", Value: "a,b"}, {Key: yarnconf.Key("root.a", yarnconf.Capacity), Value: "1w"},
		{Key: yarnconf.Key("root.b", yarnconf.Capacity), Value: "1w"},
		{Key: yarnconf.Key("root.a", yarnconf.DefaultPriority), Value: "4"},
		{Key: yarnconf.Key("root.b", yarnconf.DefaultPriority), Value: "9"},
		{Key: yarnconf.Prefix + "root.auto-queue-creation-v2.enabled", Value: "true"},
		{Key: yarnconf.Prefix + "root.auto-queue-creation-v2.leaf-template.default-application-priority", Value: "3"},
		{Key: yarnconf.Prefix + yarnconf.AMShare, Value: "1"}, {Key: "yarn.cluster.max-application-priority", Value: "5"}}))
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
	for _, x := range []struct {
		spec yarn.AppSpec
		want int32
	}{
		{yarn.AppSpec{Queue: "root.a"}, 4},
		{yarn.AppSpec{Queue: "a"}, 4},
		{yarn.AppSpec{Queue: "root.a", PrioritySet: true}, 0},
		{yarn.AppSpec{Queue: "root.a", Priority: 2}, 2},
		{yarn.AppSpec{Queue: "root.b"}, 5},
		{yarn.AppSpec{Queue: "root.c"}, 0},
		{yarn.AppSpec{Queue: "root.c"}, 3},
	} {
		x.spec.Name, x.spec.User, x.spec.AM = "j", "u", yarn.Resource{Memory: 1024, VCores: 1}
		id, err := s.Submit(x.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Priority(id); got != x.want {
			t.Errorf("%+v: priority %d, want %d", x.spec, got, x.want)
		}
	}
}
