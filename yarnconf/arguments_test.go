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
		if _, err := c.AddFlexible(parent, "x", true); err == nil || !strings.Contains(err.Error(), "allowed: 0 to 1") {
			t.Errorf("flexible below %d: %v", parent, err)
		}
		if _, err := c.AddManaged(parent, "x"); err == nil || !strings.Contains(err.Error(), "allowed: 0 to 1") {
			t.Errorf("managed below %d: %v", parent, err)
		}
	}
	if _, err := c.AddManaged(0, "x"); err == nil || !strings.Contains(err.Error(), "root is no managed parent") {
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
