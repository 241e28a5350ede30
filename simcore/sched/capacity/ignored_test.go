package capacity

import (
	"strings"
	"testing"

	"schedtune/yarnconf"
)

// TestIgnored: what is not simulated is named, and refused where it would change
// every decision.
func TestIgnored(t *testing.T) {
	base := yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix + "root.a.capacity": "100"}
	evaluate := func(key, value string) *yarnconf.Config {
		p := yarnconf.Map{"yarn.resourcemanager.scheduler.monitor.enable": "true"}
		for k, v := range base {
			p[k] = v
		}
		p[key] = value
		c, errs := yarnconf.Evaluate(p)
		if len(errs) > 0 {
			t.Fatalf("%s=%s: %v", key, value, errs[0])
		}
		return c
	}
	if got := Ignored(evaluate("x", "y")); len(got) > 0 {
		t.Errorf("nothing unusual: %v", got[0])
	}
	for _, key := range []string{
		yarnconf.Prefix + "lazy-preemption-enabled",
		yarnconf.Prefix + "multi-node-placement-enabled",
		yarnconf.Prefix + "root.a.auto-queue-creation-v2.enabled",
		yarnconf.Prefix + "ordering-policy.priority-utilization.underutilized-preemption.enabled",
	} {
		c := evaluate(key, "true")
		if got := Ignored(c); len(got) != 1 || got[0].Key != key {
			t.Errorf("%s: listed as %v", key, got)
		}
		if _, err := New(c); err != nil {
			t.Errorf("%s: refused: %v", key, err)
		}
	}
	for key, value := range map[string]string{"schedule-asynchronously.enable": "true", "legacy-queue-mode.enabled": "false"} {
		if _, err := New(evaluate(yarnconf.Prefix+key, value)); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s=%s: error %v", key, value, err)
		}
	}
}
