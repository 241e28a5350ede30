package yarnconf

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

const nested = `<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>prod, adhoc</value></property>
  <property><name>yarn.scheduler.capacity.minimum-user-limit-percent</name><value>50</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60.5</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.queues</name><value>etl,ml</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.etl.capacity</name><value>2w</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.ml.capacity</name><value>1w</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.ml.ordering-policy</name><value>fair</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>39.5</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name><value>70</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.user-limit-factor</name><value>2</value></property>
</configuration>
`

func TestQueues(t *testing.T) {
	d := mustParse(t, "f", nested)
	qs, err := d.Queues()
	if err != nil {
		t.Fatal(err)
	}
	if len(qs) != 5 || qs[1].Path != "root.prod" || qs[2].Path != "root.prod.etl" || qs[4].Path != "root.adhoc" {
		t.Fatalf("%+v", qs)
	}
	if p := qs[1]; p.Capacity != 60.5 || p.MaxCapacity != 100 || p.Leaf || len(p.Children) != 2 || p.Parent != "root" ||
		p.Ordering != "utilization" {
		t.Errorf("prod %+v", p)
	}
	if m := qs[3]; m.Mode != Weight || m.Capacity != 1 || m.Ordering != "fair" || m.UserLimit != 50 ||
		m.UserFactor != 1 || m.AMShare != 0.1 {
		t.Errorf("ml %+v", m)
	}
	if a := qs[4]; a.Capacity != 39.5 || a.MaxCapacity != 70 || a.UserFactor != 2 || a.Ordering != "fifo" {
		t.Errorf("adhoc %+v", a)
	}
	lv, err := d.Levels()
	if err != nil || len(lv) != 2 || lv[0].Mode != Percentage || lv[1].Mode != Weight || lv[0].Fixed != "" ||
		lv[1].Fixed != "" {
		t.Fatalf("%+v %v", lv, err)
	}
}

func TestEditValidRefuses(t *testing.T) {
	d := mustParse(t, "f", nested)
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{Key: Key("root.adhoc", Capacity), Value: "39"}, ""},
		{Change{Key: Key("root.adhoc", MaximumCapacity), Value: "20"}, "f:10: root.adhoc.maximum-capacity: 20 is below " +
			"capacity 39.5: must be between 39.5 and 100"},
	} {
		_, err := d.EditValid([]Change{c.change})
		if err == nil || c.want != "" && err.Error() != c.want {
			t.Errorf("%+v: %v", c.change, err)
		}
	}
}

// Rounded shares sum to the total exactly when added as decimals, each is
// within one unit of its exact share unless it had to be lifted from zero.
func TestRoundShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Float64Range(1e-9, 1), 1, 12).Draw(t, "shares")
		decimals := rapid.IntRange(1, 3).Draw(t, "decimals")
		got, err := RoundShares(shares, 100, decimals)
		if err != nil {
			t.Fatal(err)
		}
		unit, units := math.Pow10(decimals), int64(0)
		for _, g := range got {
			if g <= 0 {
				t.Fatalf("a positive share became %g", g)
			}
			units += int64(math.Round(g * unit))
		}
		if units != int64(100*unit) {
			t.Fatalf("%v sums to %d units", got, units)
		}
	})
	if got, err := RoundShares([]float64{1, 1, 1}, 100, 2); err != nil || got[0] != 33.34 || got[1] != 33.33 ||
		got[2] != 33.33 {
		t.Errorf("thirds: %v %v", got, err)
	}
	for _, bad := range [][]float64{{0, 0}, {-1, 2}, {math.NaN()}, {math.Inf(1), 1}} {
		if _, err := RoundShares(bad, 100, 2); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
}
