package yarnconf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// figures are what a queue comes to by the definitions, in 64 bits.
type figures struct {
	share, most float64 // of the cluster
	min, max    float64 // MiB
}

// drawTree draws a tree of queues with percentages or weights, two or three levels deep, and
// what each comes to by the definitions: a share of the parent's, a maximum of the
// parent's maximum, a weight over the sum of the weights.
func drawTree(rnd *rand.Rand, memory float64) (Map, map[string]figures) {
	m, want := Map{}, map[string]figures{"root": {1, 1, memory, memory}}
	var below func(path string, depth int)
	below = func(path string, depth int) {
		n, weights := 2+rnd.IntN(3), rnd.IntN(2) == 0
		shares, sum, list := make([]float64, n), 0.0, ""
		for i := range shares {
			shares[i] = float64(1 + rnd.IntN(30))
			sum += shares[i]
			list += fmt.Sprintf("q%d,", i)
		}
		m[Prefix+path+".queues"] = list
		left := 100.0
		for i, s := range shares {
			q := fmt.Sprintf("%s.q%d", path, i)
			up, most := want[path], 1.0
			switch {
			case weights:
				m[Key(q, Capacity)] = fmt.Sprintf("%gw", s)
				s /= sum
			case i == n-1:
				m[Key(q, Capacity)] = fmt.Sprintf("%.2f", left)
				s = left / 100
			default:
				s = math.Round(s / sum * 10000)
				m[Key(q, Capacity)] = fmt.Sprintf("%.2f", s/100)
				left -= s / 100
				s /= 10000
			}
			if rnd.IntN(2) == 0 {
				most = float64(50+rnd.IntN(51)) / 100
				m[Key(q, MaximumCapacity)] = fmt.Sprintf("%.0f", most*100)
			}
			f := figures{share: up.share * s, most: up.most * most}
			f.min, f.max = f.share*memory, f.most*memory
			want[q] = f
			if depth > 1 && rnd.IntN(2) == 0 {
				below(q, depth-1)
			}
		}
	}
	below("root", 3)
	return m, want
}

// TestFiguresByDefinition: shares, limits and applications of random trees are those of
// the definitions, up to the rounding of 32-bit floats.
func TestFiguresByDefinition(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		cluster := Resource{Memory: 1024 * (1 + rnd.Int64N(4000)), VCores: 1 + rnd.Int64N(4000)}
		m, want := drawTree(rnd, float64(cluster.Memory))
		const limit, factor, apps = 25, 2, 5000
		m[Prefix+MinimumUser], m[Prefix+UserFactor], m[Prefix+"maximum-applications"], m[Prefix+AMShare] = fmt.Sprint(limit),
			fmt.Sprint(factor), fmt.Sprint(apps), "0.5"
		c, err := Evaluate(m)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		near := func(what, queue string, got, want, tolerance float64) {
			if math.Abs(got-want) > tolerance {
				t.Errorf("seed %d: %s of %s: %g, want %g", seed, what, queue, got, want)
			}
		}
		for i, e := range c.Effective(cluster) {
			q := &c.Queues[i]
			w := want[q.Path]
			near("share", q.Path, float64(e.Absolute), w.share, 1e-5)
			near("maximum", q.Path, float64(e.AbsoluteMaximum), w.most, 1e-5)
			near("guarantee", q.Path, float64(e.Min.Memory), w.min, 1+1e-5*w.min)
			near("limit", q.Path, float64(e.Max.Memory), w.max, 1+1e-5*w.max)
			near("cores", q.Path, float64(e.Min.VCores), w.share*float64(cluster.VCores), 1.001)
			if !q.Leaf {
				continue
			}
			near("applications", q.Path, float64(e.MaxApplications), apps*w.share, 1.001)
			near("applications of a user", q.Path, float64(e.MaxApplicationsPerUser),
				float64(e.MaxApplications)*limit/100*factor, 1)
			// Half of its limit, or of its guarantee where that is more: rounded up to 1024 MiB,
			// of a limit rounded down to them at each of at most three levels.
			usable := max(w.min, w.max)
			if am := float64(e.AMLimit.Memory); am > usable/2+1025 || am < usable/2-3*1024 || e.AMLimit.Memory%1024 != 0 {
				t.Errorf("seed %d: masters of %s: %g MiB, half of %g wanted", seed, q.Path, am, usable)
			}
		}
	}
}

// TestAbsolute: resources in MiB and cores stand as written while they fit, and are
// scaled alike where the children's sum exceeds what the parent has; an unset maximum is
// the parent's.
func TestAbsolute(t *testing.T) {
	c, err := Evaluate(
		props(`root.queues=a,b root.a.capacity=[memory=6144,vcores=6] root.b.capacity=[memory=2048,vcores=12] ` +
			`root.b.maximum-capacity=[memory=4096,vcores=14]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		cluster          Resource
		minA, minB, maxB Resource
	}{
		{Resource{10240, 20}, Resource{6144, 6}, Resource{2048, 12}, Resource{4096, 14}},
		{Resource{8192, 18}, Resource{6144, 6}, Resource{2048, 12}, Resource{4096, 14}}, // it just fits
		{Resource{4096, 18}, Resource{3072, 6}, Resource{1024, 12}, Resource{4096, 14}}, // half of the memory
		{Resource{2048, 9}, Resource{1536, 3}, Resource{512, 6}, Resource{2048, 9}},
	} {
		e := c.Effective(test.cluster)
		if e[1].Min != test.minA || e[2].Min != test.minB || e[1].Max != test.cluster || e[2].Max != test.maxB {
			t.Errorf("on %v: a %v to %v, b %v to %v; want a %v to all, b %v to %v", test.cluster, e[1].Min, e[1].Max, e[2].Min,
				e[2].Max, test.minA, test.minB, test.maxB)
		}
		if got, want := float64(e[1].Capacity), float64(test.minA.Memory)/float64(test.cluster.Memory); math.Abs(
			got-want) > 1e-6 {
			t.Errorf("on %v: a has the share %g, want %g", test.cluster, got, want)
		}
	}
	for text, ok := range map[string]bool{
		"root.queues=a root.a.capacity=[memory=2048,vcores=2] root.a.maximum-capacity=[memory=1024,vcores=1]": false,
		"root.queues=a root.a.capacity=[memory=2048,vcores=2] root.a.maximum-capacity=[memory=2048,vcores=2]": true,
		"root.queues=a root.a.capacity=[memory=9000,vcores=2] root.a.maximum-capacity=[memory=2Gi,vcores=2]":  false,
		"root.queues=a root.a.capacity=[memory=2Gi,vcores=2] root.a.maximum-capacity=[memory=2048,vcores=2]":  true,
		"root.queues=a root.a.capacity=[memory=x,vcores=2]":                                                   false,
		"root.queues=a root.a.capacity=[memory=9,vcores=9] root.a.maximum-capacity=[memory=9,vcores=9] root.a.queues=x " +
			"root.a.x.capacity=[memory=8,vcores=8] root.a.x.maximum-capacity=[memory=10,vcores=9]": false,
	} {
		if _, err := Evaluate(props(text)); (err == nil) != ok {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestVectors: without legacy rules amounts come first, percentages of what they leave
// next, weights share the rest, each resource by itself.
func TestVectors(t *testing.T) {
	c, err := Evaluate(
		props(`legacy-queue-mode.enabled=false root.queues=a,b,c,d root.a.capacity=[memory=2000,vcores=10] root.b.capacity=[memory=50%,vcores=1w]
		root.c.capacity=[memory=1w,vcores=25%] root.d.capacity=3w root.d.maximum-capacity=[memory=60%,vcores=4]`))
	if err != nil {
		t.Fatal(err)
	}
	e := c.Effective(Resource{10000, 50})
	// Memory: 2000 to a; 50 % of the other 8000 to b; the rest 1:3. Cores: 10 to a; 25 % of 40 to c; the other
	// 30 as 1:3, of which d may have 4.
	for i, want := range map[int][2]Resource{
		1: {{2000, 10}, {10000, 50}}, 2: {{4000, 7}, {10000, 50}}, 3: {{1000, 10}, {10000, 50}}, 4: {{3000, 4}, {6000, 4}},
	} {
		got := [2]Resource{e[i].Min, e[i].Max}
		if i == 2 && got[0].VCores == 8 { // 7.5 rounds up
			want[0].VCores = 8
		}
		if got != want {
			t.Errorf("%s: %v, want %v", c.Queues[i].Path, got, want)
		}
	}
	for path, want := range map[string]Mode{"root.a": Absolute, "root.b": Percentage, "root.c": Percentage,
		"root.d": Weight} {
		if q := c.Queues[c.Find(path)]; q.Mode != want {
			t.Errorf("%s: mode %s, want %s", path, q.Mode, want)
		}
	}
	if _, err := Evaluate(props("legacy-queue-mode.enabled=false root.queues=a root.a.capacity=50 " +
		"root.a.maximum-capacity=3w")); err == nil {
		t.Error("a maximum by weight is accepted")
	}
}

// TestRoundSharesIsFair: of Hamilton's method, each is its exact share rounded down or
// up, and none that is rounded up has a smaller remainder than one that is rounded down.
func TestRoundSharesIsFair(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		shares, sum := make([]float64, 1+rnd.IntN(8)), 0.0
		for i := range shares {
			shares[i] = 0.2 + rnd.Float64()
			sum += shares[i]
		}
		decimals, total := rnd.IntN(4), 100*float64(1+rnd.IntN(3))
		got, err := RoundShares(shares, total, decimals)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		unit := math.Pow10(decimals)
		up, down := 1.0, 0.0 // the smallest remainder rounded up, the largest rounded down
		for i, g := range got {
			exact := shares[i] / sum * total * unit
			rest := exact - math.Floor(exact)
			switch math.Round(g * unit) {
			case math.Floor(exact):
				down = max(down, rest)
			case math.Floor(exact) + 1:
				up = min(up, rest)
			default:
				t.Errorf("seed %d: share %d is %g, exactly %g", seed, i, g, exact/unit)
			}
		}
		if down > up+1e-9 {
			t.Errorf("seed %d: a remainder of %g was rounded up and one of %g down: %v", seed, up, down, got)
		}
	}
	if got, err := RoundShares([]float64{1, 0, 1e-9}, 3, 0); err != nil || fmt.Sprint(got) != "[2 0 1]" {
		t.Errorf("a share of 0 and a tiny one: %v %v, want 2, 0 and the one unit that there must be", got, err)
	}
	if _, err := RoundShares([]float64{1, 1, 1}, 2, 0); err == nil {
		t.Error("fewer units than queues are accepted")
	}
}

// TestUnits: conversions are those of the units' sizes, towards zero, and refuse what
// they can't hold.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		n        int64
		from, to string
		want     int64
		ok       bool
	}{
		{1, "Gi", "Mi", 1024, true}, {1, "Ti", "Gi", 1024, true}, {1023, "Ki", "Mi", 0, true}, {1025, "Ki", "Mi", 1, true},
		{1, "G", "M", 1000, true},
		{1500, "m", "", 1, true}, {2, "", "m", 2000, true}, {1, "P", "T", 1000, true}, {1, "T", "G", 1000, true},
		{1, "k", "", 1000, true}, {1, "u", "n", 1000, true}, {1, "n", "p", 1000, true},
		{5, "x", "x", 5, true}, {5, "x", "Mi", 0, false}, {5, "Mi", "x", 0, false}, {math.MaxInt64, "Gi", "Mi", 0, false},
		{math.MaxInt64, "Mi", "Mi", math.MaxInt64, true},
		{math.MaxInt64 / 1024, "Gi", "Mi", math.MaxInt64 / 1024 * 1024, true},
	} {
		if got, ok := ConvertUnit(c.n, c.from, c.to); ok != c.ok || got != c.want {
			t.Errorf("%d %s in %s: %d %v, want %d %v", c.n, c.from, c.to, got, ok, c.want, c.ok)
		}
	}
}
