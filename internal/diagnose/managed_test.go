package diagnose

import (
	"maps"
	"strings"
	"testing"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// The template takes 60 of the 100 % that root.m shares out, so that the second leaf has
// none and its application waits; why is told with the cause, and what is known of the
// policy that would give it some.
func TestLeafWithoutCapacity(t *testing.T) {
	const enable, policies = "yarn.resourcemanager.scheduler.monitor.enable",
		"yarn.resourcemanager.scheduler.monitor.policies"
	for _, x := range []struct {
		site yarnconf.Map
		want string
	}{
		{nil, "it gets any only if QueueManagementDynamicEditPolicy runs, which yarn-site.xml tells"},
		{yarnconf.Map{enable: "false"}, "and never gets any: no policy of the scheduler's monitor runs"},
		{yarnconf.Map{enable: "true"}, "does not list QueueManagementDynamicEditPolicy"},
		{yarnconf.Map{enable: "true",
			policies: "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueManagementDynamicEditPolicy"},
			"it gets some once applications of other leaves have ended"},
	} {
		m := yarnconf.Map{yarnconf.Prefix + "root.queues": "m", yarnconf.Prefix + "root.m.capacity": "100",
			yarnconf.Prefix + "root.m.auto-create-child-queue.enabled": "true", yarnconf.Prefix +
				"root.m.leaf-queue-template.capacity": "60", yarnconf.Prefix + "root.m.leaf-queue-template.user-limit-factor": "-1",
			yarnconf.Prefix + "queue-mappings": "u:%user:root.m.%user"}
		maps.Copy(m, x.site)
		conf, err := yarnconf.Evaluate(m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := capacity.New(conf)
		if err != nil {
			t.Fatal(err)
		}
		node, err := s.AddNode(yarn.NodeSpec{Name: "n1", Rack: "/r1", Resource: yarn.Resource{Memory: 16384, VCores: 16}})
		if err != nil {
			t.Fatal(err)
		}
		var app yarn.AppID
		for _, user := range []string{"ann", "bob"} {
			if app, err = s.Submit(yarn.AppSpec{Name: user, User: user, Queue: "root.m." + user,
				AM: yarn.Resource{Memory: 1024, VCores: 1}}); err != nil {
				t.Fatal(err)
			}
			s.Beat(node, nil, nil)
			if user == "ann" { // takes what is left: 15 containers, each at a heartbeat
				var resp yarn.AskResponse
				s.Ask(app, []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 1024, VCores: 1},
					Count: 20}}, nil, &resp)
				for range 20 {
					s.Beat(node, nil, nil)
				}
			}
		}
		a, err := AskPending(PendingQuestion{Scheduler: s, App: app, Props: func([]yarnconf.Change) (yarnconf.Props, error) {
			return m, nil
		}})
		if err != nil || len(a.Causes) == 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		text := a.Causes[0].Text()
		if !a.Causes[0].Binding || !strings.Contains(text, "queue root.m.bob has no capacity, since other leaves of "+
			"root.m have all that it shares out; ") || !strings.Contains(text, x.want) {
			t.Errorf("%v: %q, want %q", x.site, text, x.want)
		}
	}
}
