package yarnconf

import (
	"errors"
	"testing"
)

// TestSetting: the property behind a setting of a dynamic queue is that of
// the template it comes from: the nearest, leaves' before all queues', the queue's own
// before any.
func TestSetting(t *testing.T) {
	conf := Map{}
	for k, v := range map[string]string{
		"root.queues": "pool,b", "root.pool.capacity": "3w", "root.b.capacity": "1w",
		"root.pool.auto-queue-creation-v2.enabled": "true", "root.pool.auto-queue-creation-v2.max-queues": "1",
		"root.pool.auto-queue-creation-v2.template.max-parallel-apps":      "3",
		"root.*.auto-queue-creation-v2.leaf-template.maximum-applications": "5",
		"root.pool.u.user-limit-factor":                                    "2",
	} {
		conf[Prefix+k] = v
	}
	c, err := Evaluate(conf)
	if err != nil {
		t.Fatal(err)
	}
	pool := c.Find("root.pool")
	if _, err := c.AddFlexible(pool, "u", true); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][3]string{
		{"root.pool.u", "max-parallel-apps", "root.pool.auto-queue-creation-v2.template.max-parallel-apps"},
		{"root.pool.u", "maximum-applications", "root.*.auto-queue-creation-v2.leaf-template.maximum-applications"},
		{"root.pool.u", "user-limit-factor", "root.pool.u.user-limit-factor"},
		{"root.pool.u", MaximumCapacity, "root.pool.auto-queue-creation-v2.leaf-template.maximum-capacity"},
		{"root.b", "maximum-applications", "root.b.maximum-applications"},
	} {
		if got := c.Setting(x[0], x[1]); got != Prefix+x[2] {
			t.Errorf("%s of %s: %s, want %s", x[1], x[0], got, x[2])
		}
	}
	var e *NotMadeError
	if _, err := c.AddFlexible(pool, "v", true); !errors.As(err, &e) || e.Parent != "root.pool" || e.Limit != 1 ||
		e.Present != 2 || e.Property != Key("root.pool", "auto-queue-creation-v2.max-queues") {
		t.Errorf("%v %+v", err, e)
	}
}
