package fairconf

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
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
		} else if a.Placement != nil && !cmp.Equal(a.Rules(DefaultSite()), a.Placement) {
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
		want := DefaultSite()
		c.set(want)
		got, errs := ReadSite(yarnconf.Map{c.key: c.value})
		if len(errs) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s=%s: %+v %v, want %+v", c.key, c.value, got, errs, want)
		}
	}
	if s := DefaultSite(); s.MinAllocation != (Resource{Memory: 1024, VCores: 1}) || s.ReservationMultiple != 2 ||
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

// TestJavaNumbers: what Integer.parseInt, Long.parseLong and Float.parseFloat of Java
// take and refuse.
func TestJavaNumbers(t *testing.T) {
	for s, want := range map[string]string{
		"2147483647": "2147483647 true", "-2147483648": "-2147483648 true", "+5": "5 true", "007": "7 true",
		"2147483648": "false", "": "false", "+": "false", "1_000": "false", "0x10": "false", " 1": "false", "--1": "false",
	} {
		got := "false"
		if n, err := integer(s); err == nil {
			got = fmt.Sprint(n, true)
		}
		if got != want {
			t.Errorf("integer %q: %s, want %s", s, got, want)
		}
	}
	if _, err := seconds("9223372036854775807"); err != nil {
		t.Errorf("seconds of 2^63-1: got %v, want no error", err)
	}
	if _, err := seconds("9223372036854775808"); err == nil {
		t.Error("seconds takes 2^63")
	}
	for f, want := range map[float64]int64{2.9: 2, -2.9: -2, 1e10: math.MaxInt32, -1e10: math.MinInt32, math.NaN(): 0} {
		if got := truncate32(f); got != want {
			t.Errorf("truncate32(%g) = %d, want %d", f, got, want)
		}
	}
}

// TestText: the value of an element is its first child where that is text, as the
// original asks for the first node alone; CDATA is text, and comments are not there.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"2": "2", "<![CDATA[2]]>": "2", "1<!-- c -->0": "10", "2<x/>7": "2", "<x/>2": "missing value", " 2 ": "2",
	} {
		a, err := Parse("f", []byte("<allocations><userMaxAppsDefault>"+text+"</userMaxAppsDefault></allocations>"))
		got := ""
		if err != nil {
			got = err.(*Error).Reason
		} else {
			got = fmt.Sprint(a.UserMaxAppsDefault)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestDocuments: size, depth, encodings and what may stand around the outermost element.
func TestDocuments(t *testing.T) {
	deep := func(n int) string {
		return "<allocations>" + strings.Repeat("<queue name='q'>", n-1) + strings.Repeat("</queue>", n-1) + "</allocations>"
	}
	for _, c := range []struct{ name, text, want string }{
		{"100 levels", deep(100), ""},
		{"101 levels", deep(101), "f:1: queue: elements nested more than 100 deep"},
		{"16 MiB", "<allocations/>" + strings.Repeat(" ", maxFile-14), ""},
		{"more than 16 MiB", strings.Repeat(" ", maxFile+1), "f: larger than 16 MiB"},
		{"Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><allocations><!-- \xfc --></allocations>", ""},
		{"ASCII", "<?xml version='1.0' encoding='US-ASCII'?><allocations/>", ""},
		{"Latin-1 name", "<?xml version='1.0' encoding='ISO-8859-1'?><allocations><queue " +
			"name='\xfc'><weight>x</weight></queue></allocations>", "f:1: queue root.?: weight: "},
		{"another encoding", "<?xml version='1.0' encoding='UTF-16'?><allocations/>", "f:1: XML: "},
		{"a byte order mark", "\xef\xbb\xbf<allocations/>", ""},
		{"a mark and a declaration", "\xef\xbb\xbf<?xml version='1.0'?>\n<allocations>\n<b x=''/>", "f:3: XML: "},
		{"UTF-16", "\xff\xfe<\x00a\x00", "f:1: the file is UTF-16: must be UTF-8, US-ASCII, ISO-8859-1; iconv"},
		{"text before", "x<allocations/>", "f:1: text outside the outermost element"},
		{"text behind", "<allocations/>\n\nx", "f:1: text outside the outermost element"},
		{"comment behind", "<allocations/>\n<!-- x -->\n", ""},
		{"second element", "<allocations/>\n<b/>", "f:2: b: a second outermost element"},
		{"open", "<allocations>\n<queue name='a'>\n", "f:3: XML: "},
		{"no file", "", "f:1: XML: the file has no element"},
	} {
		_, err := Parse("f", []byte(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	a := parsed(t, "<queue name='a' x:name='b' xmlns:x='y'/>")
	if len(a.Leaves) != 1 || a.Leaves[0] != "root.a" {
		t.Errorf("queues %v: an attribute of another name space counts", a.Leaves)
	}
	if _, err := Load("no such file"); err == nil || !strings.HasPrefix(err.Error(), "no such file: ") {
		t.Errorf("a missing file: %v", err)
	}
}

// TestNames: trimmed blanks, periods of users, paths.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{"\u00a0a\u2003": "a", " ": "", "a b": "a b", "\u200ba": "\u200ba"} {
		if got := TrimName(in); got != want {
			t.Errorf("TrimName(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]bool{"a": true, "a.b": true, ".a": false, "a.": false, " a": false, "a ": false} {
		if got := ValidName(in); got != want {
			t.Errorf("ValidName(%q) = %v", in, got)
		}
	}
	for in, want := range map[string]string{"root": "root", "root.a": "root.a", "rootx": "root.rootx", "a": "root.a"} {
		if got := FullPath(in); got != want {
			t.Errorf("FullPath(%q) = %q, want %q", in, got, want)
		}
	}
	if got := UserQueue(" a.b.c "); got != "a_dot_b_dot_c" {
		t.Errorf("UserQueue: %q", got)
	}
	e := Equal([]string{"a", "root.b", "a"})
	if strings.Join(e.Leaves, " ") != "root.a root.b" || e.Of("root.a").Weight != 1 || len(e.Placement) != 2 ||
		e.Placement[1].Queue != "root.default" {
		t.Errorf("equal weights: %+v", e)
	}
}

// TestPolicies: fifo holds no child queue, fair none of drf, drf any.
func TestPolicies(t *testing.T) {
	for p, want := range map[Policy]string{Fair: "fair FIFO", FIFO: "", DRF: "fair FIFO DRF"} {
		var got []string
		for _, c := range []Policy{Fair, FIFO, DRF} {
			if p.AllowsChild(c) {
				got = append(got, c.String())
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s holds %q, want %q", p, s, want)
		}
	}
}

// TestTogether: what one element says does not hang on the others of the file, whatever
// their order; one that is wrong has the whole file refused.
func TestTogether(t *testing.T) {
	parts := []string{
		"<queue name='a'><weight>2</weight><minResources>1 mb, 2 vcores</minResources><maxResources>3 mb, 4 " +
			"vcores</maxResources><maxChildResources>5 mb, 6 vcores</maxChildResources>" +
			"<maxContainerAllocation>7 mb, 8 " +
			"vcores</maxContainerAllocation><maxRunningApps>9</maxRunningApps><maxAMShare>0.1</maxAMShare><schedulingPolicy>drf</schedulingPolicy>" +
			"<minSharePreemptionTimeout>11</minSharePreemptionTimeout><fairSharePreemptionTimeout>12</fairSharePreemptionTimeout><fairSharePreemptionThreshold>0.2</fairSharePreemptionThreshold>" +
			"<allowPreemptionFrom>false</allowPreemptionFrom></queue>",
		"<user name='u'><maxRunningApps>13</maxRunningApps></user>",
		"<user name='v'><maxRunningApps>14</maxRunningApps></user>",
		"<queuePlacementPolicy><rule name='default' queue='a'/></queuePlacementPolicy>",
		"<userMaxAppsDefault>15</userMaxAppsDefault>", "<queueMaxAppsDefault>16</queueMaxAppsDefault>",
		"<queueMaxAMShareDefault>0.3</queueMaxAMShareDefault>",
		"<queueMaxResourcesDefault>17 mb, 18 vcores</queueMaxResourcesDefault>",
		"<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>",
		"<defaultMinSharePreemptionTimeout>19</defaultMinSharePreemptionTimeout>",
		"<defaultFairSharePreemptionTimeout>20</defaultFairSharePreemptionTimeout>",
		"<defaultFairSharePreemptionThreshold>0.4</defaultFairSharePreemptionThreshold>",
	}
	want := "2 1 2 3 4 5 6 7 8 9 0.1 DRF 11000 12000 0.2 false 13 14 15 16 0.3 17 18 DRF 19000 20000 0.4 root.a"
	for turn := range parts {
		file := filepath.Join(t.TempDir(), "fair-scheduler.xml")
		text := "<allocations>" + strings.Join(parts[turn:], "") + strings.Join(parts[:turn], "") + "</allocations>"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		var child Limit
		if m := a.Of("root.a").MaxChild; m != nil {
			child = *m
		}
		most, child0, def := a.Of("root.a").Max.Amount, child.Amount, a.Of("root.x").Max.Amount
		got := fmt.Sprintln(a.Of("root.a").Weight, a.Of("root.a").Min.Memory, a.Of("root.a").Min.VCores, most.Memory, most.VCores,
			child0.Memory, child0.VCores,
			a.Of("root.a").MaxContainer.Memory, a.Of("root.a").MaxContainer.VCores, a.Of("root.a").MaxApps, a.Of("root.a").MaxAMShare,
			a.Of("root.a").Policy, a.Of("root.a").MinTimeout, a.Of("root.a").FairTimeout,
			a.Of("root.a").FairThreshold, !a.Of("root.a").Fixed, a.UserApps("u"), a.UserApps("v"), a.UserApps("w"),
			a.Of("root.x").MaxApps, a.Of("root.x").MaxAMShare, def.Memory, def.VCores,
			a.Of("root.x").Policy, a.Of("root").MinTimeout, a.Of("root").FairTimeout, a.Of("root").FairThreshold, a.Placement[0].Queue)
		if got != want+"\n" {
			t.Errorf("from part %d: %s, want %s", turn, got, want)
		}
		bad := strings.NewReplacer("<weight>2", "<weight>-1", "<maxRunningApps>9", "<maxRunningApps>1.5",
			"name='default' queue", "name='no' queue", ">drf</schedulingPolicy", "></schedulingPolicy",
			">19<", ">x<", ">20<", ">x<", ">0.4<", ">x<", ">0.3<", ">x<", ">0.2<", ">x<", ">0.1<", ">x<", ">11<", ">x<", ">12<",
			">x<", ">13<", ">x<", ">false<", "><")
		for _, p := range parts {
			broken := strings.Replace(text, p, bad.Replace(p), 1)
			if _, err := Parse("f", []byte(broken)); (err == nil) != (broken == text) {
				t.Errorf("%s: error %v", broken, err)
			}
		}
	}
}

// TestQueueRefusals: every value of a queue that can't be read is refused by its name.
func TestQueueRefusals(t *testing.T) {
	for _, tag := range []string{"weight", "minResources", "maxResources", "maxChildResources", "maxContainerAllocation",
		"maxRunningApps", "maxAMShare", "schedulingPolicy", "schedulingMode",
		"minSharePreemptionTimeout", "fairSharePreemptionTimeout", "fairSharePreemptionThreshold"} {
		for _, text := range []string{"", "x", "1,2,3"} {
			_, err := Parse("f",
				[]byte("<allocations><queue name='p'><queue name='a'>\n<"+tag+">"+text+"</"+tag+"></queue></queue></allocations>"))
			if err == nil || !strings.HasPrefix(err.Error(), "f:2: queue root.p.a: "+tag+": ") {
				t.Errorf("%s of %q: error %v", tag, text, err)
			}
		}
	}
	for _, tag := range []string{"allowPreemptionFrom", "aclSubmitApps", "aclListReservations"} {
		if _, err := Parse("f", []byte("<allocations><queue name='a'><"+tag+"/></queue></allocations>")); err == nil ||
			!strings.Contains(err.Error(), tag+": missing value") {
			t.Errorf("%s without text: error %v", tag, err)
		}
	}
}

// No properties at all are the defaults.
func TestReadSiteOfNothing(t *testing.T) {
	if s, errs := ReadSite(nil); len(errs) > 0 || !reflect.DeepEqual(s, DefaultSite()) {
		t.Errorf("%+v, %v", s, errs)
	}
}
