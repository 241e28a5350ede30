package yarnconf

import (
	"strings"
	"testing"
)

// Arguments that no configuration has give errors, or the zero that is documented.
func TestArgumentsOutOfRange(t *testing.T) {
	c, err := Evaluate(Map{Prefix + "root.queues": "a", Prefix + "root.a.capacity": "100"})
	if err != nil {
		t.Fatal(err)
	}
	for _, parent := range []int{-1, 99} {
		if _, err := c.AddFlexible(parent, "x", true); err == nil || !strings.Contains(err.Error(), "0 to 1") {
			t.Errorf("flexible below %d: %v", parent, err)
		}
		if _, err := c.AddManaged(parent, "x"); err == nil || !strings.Contains(err.Error(), "0 to 1") {
			t.Errorf("managed below %d: %v", parent, err)
		}
	}
	if _, err := c.AddManaged(0, "x"); err == nil || !strings.Contains(err.Error(), "root is not a managed parent") {
		t.Error(err)
	}
	for _, calc := range []Calculator{{}, {Dominant: true}} {
		if r := calc.DivideCeilInt(Resource{7, 3}, 0); r != (Resource{}) {
			t.Errorf("divided by 0: %v", r)
		}
	}
	if r := (Calculator{}).RoundDown(Resource{7, 3}, Resource{}); r != (Resource{}) {
		t.Errorf("rounded to multiples of 0: %v", r)
	}
	if (Errors{}).Error() != "" {
		t.Error("no errors have a text")
	}
}

// Without properties (nil) a configuration is that of an empty file: refused, of neither
// Hadoop, and nothing turns it into itself. So is the zero document.
func TestNoProperties(t *testing.T) {
	_, want := Evaluate(Map{})
	if want == nil {
		t.Fatal("an empty file is accepted")
	}
	for _, p := range []Props{nil, Map(nil), &Document{}} {
		if _, err := Evaluate(p); err == nil || err.Error() != want.Error() {
			t.Errorf("%T: %v, want %v", p, err, want)
		}
		if _, err := EvaluateMR1(p); err == nil {
			t.Errorf("%T: no error of Hadoop 1", p)
		}
		if IsMR1(p) || len(Changes(p, nil)) != 0 || len(SchedulerChanges(nil, p)) != 0 {
			t.Errorf("%T is of Hadoop 1, or changes", p)
		}
	}
	if c := Changes(nil, Map{"a": "1"}); len(c) != 1 || c[0] != (Change{Key: "a", Value: "1"}) {
		t.Errorf("%+v", c)
	}
	if _, err := NewMutation(nil, &Document{}); err == nil {
		t.Error("a mutation of no document")
	}
	if r := Check(&Document{}); r.Problems == nil {
		t.Error("an empty file has no problem")
	}
}
