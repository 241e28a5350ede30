package yarnconf

import (
	"errors"
	"strings"
	"testing"
)

// props reads "key=value" words; keys get the scheduler's prefix.
func props(text string) Map {
	m := Map{}
	for _, w := range strings.Fields(text) {
		k, v, _ := strings.Cut(w, "=")
		if !strings.HasPrefix(k, "yarn.") {
			k = Prefix + k
		}
		m[k] = v
	}
	return m
}

// TestEvaluateErrors: each error names its property, and what would be accepted. That Hadoop refuses these,
// and nothing else of 400 recorded and 2,000
// fresh configurations, is tested by the conformance package.
func TestEvaluateErrors(t *testing.T) {
	const two = "root.queues=a,b root.a.capacity=40 root.b.capacity=60 "
	tests := []struct{ conf, key, reason string }{
		{"", "root.queues", "at least one queue"},
		{"root.queues=a,b root.a.capacity=40 root.b.capacity=59", "root.a.capacity", "must be 100"},
		{"root.queues=a,b root.a.capacity=40 root.b.capacity=3w", "root.a.capacity", "one form"},
		{"root.queues=a,a root.a.capacity=100", "root.queues", "listed twice"},
		{"root.queues=a root.a.capacity=101", "root.a.capacity", "between 0 and 100"},
		{"root.queues=a root.a.capacity=much", "root.a.capacity", "a weight like 3w"},
		{"root.queues=a root.a.capacity=10001w", "root.a.capacity", "between 0w and 10000w"},
		{two + "root.a.state=ON", "root.a.state", "RUNNING or STOPPED"},
		{two + "root.state=STOPPED root.a.state=RUNNING", "root.a.state", "STOPPED"},
		{two + "root.a.ordering-policy=best", "root.a.ordering-policy", "fifo, fair"},
		{two + "root.a.maximum-allocation-mb=9000", "root.a.maximum-allocation-mb", "exceeds the cluster's maximum " +
			"allocation 8192"},
		{two + "yarn.scheduler.minimum-allocation-mb=9000", "yarn.scheduler.minimum-allocation-mb",
			"at most yarn.scheduler.maximum-allocation-mb=8192"},
		{two + "resource-calculator=none", "resource-calculator", "DominantResourceCalculator"},
		{two + "maximum-applications=ten", "maximum-applications", "32-bit integer"},
		{two + "root.a.user-settings.u.weight=3 root.a.minimum-user-limit-percent=50", "root.a.user-settings.u.weight", ""},
	}
	for _, test := range tests {
		_, errs := evaluate(props(test.conf), versionOf(props(test.conf)), Resource{})
		want := props(test.key + "=x")
		found := false
		for _, e := range errs {
			_, ok := want[e.Key]
			found = found || ok && strings.Contains(e.Reason, test.reason)
		}
		if !found {
			t.Errorf("%q: got errors %v, want one at %s that says %q", test.conf, errs, test.key, test.reason)
		}
	}
}

// TestEvaluateCollects: one call reports every error.
func TestEvaluateCollects(t *testing.T) {
	_, errs := evaluate(props("root.queues=a,b root.a.capacity=x root.b.state=y maximum-applications=z"),
		versionOf(props("root.queues=a,b root.a.capacity=x root.b.state=y maximum-applications=z")), Resource{})
	keys := map[string]bool{}
	for _, e := range errs {
		keys[strings.TrimPrefix(e.Key, Prefix)] = true
	}
	for _, k := range []string{"root.a.capacity", "root.b.state", "maximum-applications"} {
		if !keys[k] {
			t.Errorf("no error at %s: %v", k, errs)
		}
	}
}

// TestEffective derives the figures of three modes by hand on a cluster of
// 100 GiB and 100 cores.
func TestEffective(t *testing.T) {
	c, errs := evaluate(props(`root.queues=p,q root.p.capacity=30 root.q.capacity=70 root.q.maximum-capacity=80
		root.p.queues=x,y root.p.x.capacity=1w root.p.y.capacity=2w`),
		versionOf(props(`root.queues=p,q root.p.capacity=30 root.q.capacity=70 root.q.maximum-capacity=80
		root.p.queues=x,y root.p.x.capacity=1w root.p.y.capacity=2w`)), Resource{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	e := c.Effective(Resource{Memory: 102400, VCores: 100})
	for path, want := range map[string][2]int64{
		"root.p":   {30720, 102400}, // 30 % and no maximum of its own
		"root.p.x": {10240, 102400}, // a third of 30 %
		"root.p.y": {20480, 102400}, // two thirds
		"root.q":   {71680, 81920},  // 70 % and 80 %
	} {
		i := c.Find(path)
		// 32-bit shares may miss by one megabyte.
		if lo, hi := e[i].Min.Memory, e[i].Max.Memory; lo < want[0]-1 || lo > want[0]+1 || hi != want[1] {
			t.Errorf("%s: %d to %d MiB, want %d to %d", path, lo, hi, want[0], want[1])
		}
	}
}

// The error of Evaluate is the first fault as text and all of them as a list; a
// file that loads has none, not even an empty list.
func TestEvaluateIsOneError(t *testing.T) {
	_, err := Evaluate(props("root.queues=a,b root.a.capacity=x root.b.state=y maximum-applications=z"))
	list := Rejected(err)
	if len(list) < 3 || err.Error() != list[0].Error() {
		t.Errorf("%v of %d", err, len(list))
	}
	var one *PropError
	if !errors.As(err, &one) || one != list[0] {
		t.Errorf("errors.As finds %v", one)
	}
	if _, err := Evaluate(props("root.queues=a root.a.capacity=100")); err != nil || Rejected(err) != nil {
		t.Errorf("%v", err)
	}
}
