package fairconf

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/yarnconf"
)

func parsed(t *testing.T, body string) *Allocations {
	t.Helper()
	a, err := Parse("f", []byte("<allocations>"+body+"</allocations>"))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return a
}

// TestQueueSettings: every element of a queue, alone in its queue, with what it says
// (AllocationFileQueueParser of Hadoop 3.4.1); a warning where nothing reads it.
func TestQueueSettings(t *testing.T) {
	const policies = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies."
	for _, c := range []struct {
		element string
		get     func(*Allocations) any
		want    any
		warns   int
	}{
		{"", func(a *Allocations) any { return a.Of("root.a").Weight }, float32(1), 0},
		{"<weight>2.5</weight>", func(a *Allocations) any { return a.Of("root.a").Weight }, float32(2.5), 0},
		{"<weight>0</weight>", func(a *Allocations) any { return a.Of("root.a").Weight }, float32(0), 0},
		{"<weight> 1e1 </weight>", func(a *Allocations) any { return a.Of("root.a").Weight }, float32(10), 0},
		{"<minResources>vcores=3</minResources>", func(a *Allocations) any { return a.Of("root.a").Min }, Resource{VCores: 3},
			0},
		{"<minResources>50%</minResources>", func(a *Allocations) any { return a.Of("root.a").Min }, Resource{}, 1},
		{"", func(a *Allocations) any { return a.Of("root.a").Max }, Limit{Amount: Unbounded()}, 0},
		{"<maxResources>memory-mb=7</maxResources>", func(a *Allocations) any { return a.Of("root.a").Max },
			Limit{Amount: Resource{Memory: 7, VCores: -1}, MemoryShare: 1, VCoresShare: 1}, 0},
		{"<maxResources>25%</maxResources>", func(a *Allocations) any { return a.Of("root.a").Max },
			Limit{Percent: true, MemoryShare: 0.25, VCoresShare: 0.25}, 0},
		{"<maxChildResources>8 mb, 2 vcores</maxChildResources>", func(a *Allocations) any {
			return a.Of("root.a").MaxChild.Amount
		}, Resource{Memory: 8, VCores: 2}, 0},
		{"", func(a *Allocations) any { return a.Of("root.a").MaxChild == nil }, true, 0},
		{"<maxContainerAllocation>8 mb, 2 vcores</maxContainerAllocation>", func(a *Allocations) any {
			return a.Of("root.a").MaxContainer
		}, Resource{Memory: 8, VCores: 2}, 0},
		{"<maxContainerAllocation>50%</maxContainerAllocation>", func(a *Allocations) any {
			return a.Of("root.a").MaxContainer
		}, Unbounded(), 1},
		{"", func(a *Allocations) any { return a.Of("root.a").MaxContainer }, Unbounded(), 0},
		{"<minSharePreemptionTimeout>7</minSharePreemptionTimeout>", func(a *Allocations) any {
			return [2]int64{a.Of("root.a").MinTimeout, a.Of("root.a").FairTimeout}
		}, [2]int64{7000, -1}, 0},
		{"<fairSharePreemptionTimeout>9</fairSharePreemptionTimeout>", func(a *Allocations) any {
			return [2]int64{a.Of("root.a").MinTimeout, a.Of("root.a").FairTimeout}
		}, [2]int64{-1, 9000}, 0},
		{"", func(a *Allocations) any { return a.Of("root.a").MaxApps }, math.MaxInt32, 0},
		{"<maxRunningApps>0</maxRunningApps>", func(a *Allocations) any { return a.Of("root.a").MaxApps }, 0, 0},
		{"<maxAMShare>-1.0</maxAMShare>", func(a *Allocations) any { return a.Of("root.a").MaxAMShare }, float32(-1), 0},
		{"<maxAMShare>0.25</maxAMShare>", func(a *Allocations) any { return a.Of("root.a").MaxAMShare }, float32(0.25), 0},
		{"<maxAMShare>NaN</maxAMShare>", func(a *Allocations) any { f := a.Of("root.a").MaxAMShare; return f != f }, true, 0},
		{"", func(a *Allocations) any { return a.Of("root.a").FairThreshold }, float32(-1), 0},
		{"<fairSharePreemptionThreshold>-3</fairSharePreemptionThreshold>", func(a *Allocations) any {
			return a.Of("root.a").FairThreshold
		}, float32(0), 0},
		{"<fairSharePreemptionThreshold>0.3</fairSharePreemptionThreshold>", func(a *Allocations) any {
			return a.Of("root.a").FairThreshold
		}, float32(0.3), 0},
		{"<schedulingPolicy>DRF</schedulingPolicy>", func(a *Allocations) any { return a.Of("root.a").Policy }, DRF, 0},
		{"<schedulingMode>fifo</schedulingMode>", func(a *Allocations) any { return a.Of("root.a").Policy }, FIFO, 0},
		{"<schedulingPolicy>" + policies + "FifoPolicy</schedulingPolicy>", func(a *Allocations) any {
			return a.Of("root.a").Policy
		}, FIFO, 0},
		{"<schedulingPolicy>" + policies + "DominantResourceFairnessPolicy</schedulingPolicy>", func(a *Allocations) any {
			return a.Of("root.a").Policy
		}, DRF, 0},
		{"<schedulingPolicy>drf</schedulingPolicy><schedulingPolicy>" + policies + "FairSharePolicy</schedulingPolicy>",
			func(a *Allocations) any { return a.Of("root.a").Policy }, Fair, 0},
		{"", func(a *Allocations) any { return !a.Of("root.a").Fixed }, true, 0},
		{"<allowPreemptionFrom>TRUE</allowPreemptionFrom>", func(a *Allocations) any { return !a.Of("root.a").Fixed },
			true, 0},
		// One that forbids it stays: the original only ever adds to the set of such queues.
		{"<allowPreemptionFrom>no</allowPreemptionFrom><allowPreemptionFrom>true</allowPreemptionFrom>",
			func(a *Allocations) any { return !a.Of("root.a").Fixed }, false, 0},
		{"<aclSubmitReservations>x</aclSubmitReservations>", func(a *Allocations) any { return len(a.Access) }, 0, 0},
		{"<aclAdministerApps>x</aclAdministerApps>", func(a *Allocations) any { return len(a.Access) }, 1, 0},
		{"<minresources>1 mb, 1 vcores</minresources>", func(a *Allocations) any { return a.Of("root.a").Min }, Resource{}, 1},
	} {
		a := parsed(t, "<queue name='a'>"+c.element+"</queue>")
		if got := c.get(a); got != c.want || len(a.Warnings) != c.warns {
			t.Errorf("%s: %v with warnings %v, want %v with %d", c.element, got, a.Warnings, c.want, c.warns)
		}
		if other := parsed(t, "<queue name='a'>"+c.element+"</queue><queue name='b'/>"); !reflect.DeepEqual(
			other.Of("root.b"), New().Of("root.b")) {
			t.Errorf("%s of a queue reaches another", c.element)
		}
	}
}

// TestDefaults: what the file says beside the queues; of elements given twice the last
// counts, and all must have a text.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		body string
		get  func(*Allocations) any
		want any
	}{
		{"", func(a *Allocations) any {
			return fmt.Sprint(a.UserApps("x"), a.Of("root.x").MaxApps, a.Of("root.x").MaxAMShare, int(a.Of("root.x").Policy),
				a.Of("root").MinTimeout, a.Of("root").FairTimeout, a.Of("root").FairThreshold)
		}, fmt.Sprint(math.MaxInt32, math.MaxInt32, 0.5, int(Fair), int64(Never), int64(Never), 0.5)},
		{"<userMaxAppsDefault>3</userMaxAppsDefault><userMaxAppsDefault>4</userMaxAppsDefault>", func(a *Allocations) any {
			return [2]int{a.UserApps("x"), a.Of("root.x").MaxApps}
		}, [2]int{4, math.MaxInt32}},
		{"<queueMaxAppsDefault>3</queueMaxAppsDefault>", func(a *Allocations) any {
			return [2]int{a.UserApps("x"), a.Of("root.x").MaxApps}
		}, [2]int{math.MaxInt32, 3}},
		{"<queueMaxResourcesDefault>memory-mb=9,vcores=2</queueMaxResourcesDefault>", func(a *Allocations) any {
			return a.Of("root.x").Max.Amount
		}, Resource{Memory: 9, VCores: 2}},
		{"<queueMaxResourcesDefault>vcores=2</queueMaxResourcesDefault>", func(a *Allocations) any {
			return a.Of("root.x").Max.Amount
		}, Resource{Memory: math.MaxInt64, VCores: 2}},
		{"<queueMaxAMShareDefault>3</queueMaxAMShareDefault>", func(a *Allocations) any { return a.Of("root.x").MaxAMShare },
			float32(1)},
		{"<defaultQueueSchedulingMode>drf</defaultQueueSchedulingMode>", func(a *Allocations) any {
			return a.Of("root.x").Policy
		}, DRF},
		{"<defaultMinSharePreemptionTimeout>2</defaultMinSharePreemptionTimeout>", func(a *Allocations) any {
			return [3]int64{a.Of("root").MinTimeout, a.Of("root.x").MinTimeout, a.Of("root").FairTimeout}
		}, [3]int64{2000, -1, Never}},
		{"<defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout>", func(a *Allocations) any {
			return [3]int64{a.Of("root").FairTimeout, a.Of("root.x").FairTimeout, a.Of("root").MinTimeout}
		}, [3]int64{2000, -1, Never}},
		// the older name
		{"<fairSharePreemptionTimeout>3</fairSharePreemptionTimeout>", func(a *Allocations) any {
			return a.Of("root").FairTimeout
		}, int64(3000)},
		{"<defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout><fairSharePreemptionTimeout>3</fairSharePreemptionTimeout>", func(a *Allocations) any { return a.Of("root").FairTimeout }, int64(2000)},
		{"<defaultFairSharePreemptionThreshold>7</defaultFairSharePreemptionThreshold>", func(a *Allocations) any {
			return [2]float32{a.Of("root").FairThreshold, a.Of("root.x").FairThreshold}
		}, [2]float32{1, -1}},
		{"<queue name='root'><fairSharePreemptionThreshold>0.2</fairSharePreemptionThreshold></queue>",
			func(a *Allocations) any { return a.Of("root").FairThreshold }, float32(0.2)},
		{"<user name='u'><maxRunningApps>1</maxRunningApps><other/></user>", func(a *Allocations) any {
			return fmt.Sprint(a.UserApps("u"), len(a.Warnings))
		}, "1 1"},
	} {
		if got := c.get(parsed(t, c.body)); got != c.want {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
	for _, tag := range []string{"queueMaxResourcesDefault", "userMaxAppsDefault", "queueMaxAppsDefault",
		"queueMaxAMShareDefault", "defaultQueueSchedulingPolicy",
		"defaultMinSharePreemptionTimeout", "defaultFairSharePreemptionTimeout", "fairSharePreemptionTimeout",
		"defaultFairSharePreemptionThreshold"} {
		for _, text := range []string{"", "<!-- 1 -->", "x"} {
			_, err := Parse("f", []byte("<allocations>\n<"+tag+">"+text+"</"+tag+"></allocations>"))
			if err == nil || !strings.HasPrefix(err.Error(), "f:2: "+tag+": ") {
				t.Errorf("%s of %q: error %v", tag, text, err)
			}
		}
	}
}

// TestQueueTree: what becomes a leaf and what a parent.
func TestQueueTree(t *testing.T) {
	for body, want := range map[string]string{
		"<queue name='root'><queue name='a'/></queue>":            "root.a | root",
		"<queue name='ROOT'/>":                                    "ROOT | ",
		"<queue name='a' type='parent'/>":                         " | root.a",
		"<queue name='a' type='leaf'/>":                           "root.a | ",
		"<queue name=' a '/>":                                     "root.a | ",
		"<queue name='a'/><pool name='a'/>":                       "root.a | ",
		"<queue name='a'><e name='b'/></queue>":                   "root.a.b | root.a", // any ending of the word
		"<queue name='a'><q name='b'/></queue>":                   "root.a | ",
		"<queue name='a'><queue name='root'/></queue>":            "root.a.root | root.a",
		"<pool name='x'><pool name='y'/></pool>":                  "root.x.y | root.x",
		"<queue name='p'><queue name='b'/><ue name='c'/></queue>": "root.p.b root.p.c | root.p",
	} {
		a := parsed(t, body)
		if got := strings.Join(a.Leaves, " ") + " | " + strings.Join(a.Parents, " "); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
		for _, q := range append(a.Leaves, a.Parents...) {
			if !a.Configured(q) || a.Configured(q+".x") {
				t.Errorf("%s: %s is not configured, or a queue below it is", body, q)
			}
		}
	}
}

// TestPlacement: which rules a file gives, and which it can't give: after the first that
// always finds a queue nothing may follow, and the last must be such a one.
func TestPlacement(t *testing.T) {
	for body, want := range map[string]any{
		"<rule name='default'/>": []Rule{{Kind: Default, Create: true, Queue: "root.default"}},
		"<rule name='specified' create='TRUE'/><RULE name='default' queue='a.b'/>": []Rule{{Kind: Specified, Create: true},
			{Kind: Default, Create: true, Queue: "root.a.b"}},
		"<rule name='specified' create='no'/><rule name='reject'/>": []Rule{{Kind: Specified},
			{Kind: Reject, Create: true}},
		"<rule name='user' create='false'/><rule name='user'/>": []Rule{{Kind: User},
			{Kind: User, Create: true}},
		"<rule name='default' queue='.a'/>": []Rule{
			{Kind: Default, Create: true, Queue: "root.default"}},
		"<rule name='default' queue='a.'/>": []Rule{
			{Kind: Default, Create: true, Queue: "root.default"}},
		"<rule name='default' queue='root.q'/><x/>": []Rule{
			{Kind: Default, Create: true, Queue: "root.q"}},
		"<rule name='nestedUserQueue'><rule name='default' queue='p'/></rule>": []Rule{
			{Kind: User, Create: true, Parent: &Rule{Kind: Default, Create: true, Queue: "root.p"}}},
		"<rule name='user'><x/><rule name='specified'/></rule><rule name='reject'/>": []Rule{
			{Kind: User, Create: true, Parent: &Rule{Kind: Specified, Create: true}}, {Kind: Reject, Create: true}},
		"<x/>":                                  []Rule(nil),
		"":                                      "must have <rule name=…/> elements",
		"<rule name='specified'/>":              "the last rule must always find a queue",
		"<rule name='user' create='false'/>":    "the last rule must always find a queue",
		"<rule name='default' create='false'/>": "the last rule must always find a queue",
		"<rule name='reject'/><rule name='default'/>":                               "can never be reached",
		"<rule name='default'/><x/><rule name='user'/>":                             "can never be reached",
		"<rule name='nobody'/>":                                                     `rule "nobody"`,
		"<rule name='secondaryGroupExistingQueue'/>":                                "no groups here",
		"<rule name='nestedUserQueue'/>":                                            "must have a rule inside",
		"<rule name='nestedUserQueue'><rule name='default' create='false'/></rule>": "the last rule must always find a queue",
		"<rule name='nestedUserQueue'><rule name='reject'/></rule>":                 `rule "reject" inside another`,
		"<rule name='user'><rule name='nestedUserQueue'/></rule>":                   `rule "nestedUserQueue" inside another`,
		"<rule name='user'><rule name='user'/></rule>":                              `rule "user" inside "user"`,
		"<rule name='default'><rule name='specified'/></rule>":                      `rule "specified" inside "default"`,
	} {
		a, err := Parse("f", []byte("<allocations><queuePlacementPolicy>"+body+"</queuePlacementPolicy></allocations>"))
		if text, refused := want.(string); refused {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: error %v, want %q", body, err, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", body, err)
		} else if diff := cmp.Diff(want, a.Placement); diff != "" {
			t.Errorf("%s:\n%s", body, diff)
		} else if a.Placement != nil && !cmp.Equal(a.Rules(defaultSite()), a.Placement) {
			t.Errorf("%s: the file's rules are not those in force", body)
		}
	}
}

// TestSiteProperties: each property sets its own field and no other.
func TestSiteProperties(t *testing.T) {
	for _, c := range []struct {
		key, value string
		set        func(*Site)
	}{
		// the maximum itself
		{"yarn.scheduler.minimum-allocation-mb", "8192", func(s *Site) { s.MinAllocation.Memory = 8192 }},
		{"yarn.scheduler.minimum-allocation-mb", "0", func(s *Site) { s.MinAllocation.Memory = 0 }},
		{"yarn.scheduler.minimum-allocation-vcores", "4", func(s *Site) { s.MinAllocation.VCores = 4 }},
		{"yarn.scheduler.minimum-allocation-vcores", "0", func(s *Site) { s.MinAllocation.VCores = 0 }},
		{"yarn.scheduler.maximum-allocation-mb", " 2147483647 ", func(s *Site) { s.MaxAllocation.Memory = math.MaxInt32 }},
		{"yarn.scheduler.maximum-allocation-vcores", "1", func(s *Site) { s.MaxAllocation.VCores = 1 }},
		{"yarn.scheduler.increment-allocation-mb", "1", func(s *Site) { s.Increment.Memory = 1 }},
		{"yarn.scheduler.increment-allocation-vcores", "2", func(s *Site) { s.Increment.VCores = 2 }},
		{"yarn.scheduler.reservation-threshold.increment-multiple", "0.5", func(s *Site) { s.ReservationMultiple = 0.5 }},
		{Prefix + "reservable-nodes", "1", func(s *Site) { s.ReservableNodes = 1 }},
		{Prefix + "locality.threshold.node", "0.25", func(s *Site) { s.NodeThreshold = 0.25 }},
		{Prefix + "locality.threshold.rack", "0.5", func(s *Site) { s.RackThreshold = 0.5 }},
		{Prefix + "assignmultiple", "TRUE", func(s *Site) { s.AssignMultiple = true }},
		{Prefix + "assignmultiple", "yes", func(*Site) {}}, // neither true nor false: as if not set
		{Prefix + "dynamic.max.assign", "false", func(s *Site) { s.DynamicMaxAssign = false }},
		{Prefix + "max.assign", "3", func(s *Site) { s.MaxAssign = 3 }},
		{Prefix + "sizebasedweight", "true", func(s *Site) { s.SizeBasedWeight = true }},
		{Prefix + "user-as-default-queue", "false", func(s *Site) { s.UserAsDefault = false }},
		{Prefix + "allow-undeclared-pools", "false", func(s *Site) { s.AllowUndeclared = false }},
		{Prefix + "update-interval-ms", "1", func(s *Site) { s.UpdateInterval = 1 }},
		{Prefix + "update-interval-ms", "0", func(*Site) {}}, // 500 in its place, as in the original
		{Prefix + "preemption", "true", func(s *Site) { s.Preemption = true }},
		{Prefix + "preemption.cluster-utilization-threshold", "-1", func(s *Site) { s.PreemptionUtilisation = -1 }},
		{Prefix + "waitTimeBeforeKill", "7", func(s *Site) { s.WaitBeforeKill = 7 }},
		{Prefix + "waitTimeBeforeNextStarvationCheck", "8", func(s *Site) { s.WaitBeforeNext = 8 }},
		{Prefix + "am.preemption", "false", func(s *Site) { s.AMPreemption = false }},
		{Prefix + "am.preemption.root.q", "false", func(s *Site) { s.amPreemption = map[string]bool{"root.q": false} }},
	} {
		want := defaultSite()
		c.set(want)
		got, errs := ReadSite(yarnconf.Map{c.key: c.value})
		if len(errs) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s=%s: %+v %v, want %+v", c.key, c.value, got, errs, want)
		}
	}
	if s := defaultSite(); s.MinAllocation != (Resource{Memory: 1024, VCores: 1}) || s.ReservationMultiple != 2 ||
		s.ReservableNodes != 0.05 || s.RackThreshold != -1 || s.AssignMultiple ||
		!s.DynamicMaxAssign || s.MaxAssign != -1 || s.SizeBasedWeight || !s.UserAsDefault || !s.AllowUndeclared ||
		s.Preemption || s.PreemptionUtilisation != 0.8 ||
		s.WaitBeforeKill != 15000 || s.WaitBeforeNext != 10000 || !s.AMPreemption {
		t.Errorf("defaults %+v; see the table of properties in Hadoop's FairScheduler page", s)
	}
	for key, value := range map[string]string{
		"yarn.scheduler.maximum-allocation-mb":               "2147483648",
		"yarn.scheduler.minimum-allocation-mb":               "8193",
		"yarn.scheduler.minimum-allocation-vcores":           "5",
		"yarn.scheduler.increment-allocation-vcores":         "0",
		Prefix + "locality.threshold.node":                   "NaN",
		"yarn.resource-types.memory-mb.increment-allocation": "9223372036854775808",
		"yarn.resource-types.vcores.increment-allocation":    "1Xi",
	} {
		_, errs := ReadSite(yarnconf.Map{key: value})
		if len(errs) == 0 || errs[0].Key != key || errs[0].Value != value || errs[0].Reason == "" {
			t.Errorf("%s=%s: %v, want it refused", key, value, errs)
		}
	}
}
