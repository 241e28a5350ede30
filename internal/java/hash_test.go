package java

import (
	"slices"
	"testing"
)

// The hash codes are those of the Java language's definition,
// s[0]·31^(n-1) + … + s[n-1] in 32 bits, over UTF-16 units: "root" is
// 114·29791 + 111·961 + 111·31 + 116 = 3506402, and U+1D11E is written with the
// units D834 and DD1E, 55348·31 + 56606 = 1772394.
func TestString(t *testing.T) {
	for s, want := range map[string]uint32{"": 0, "a": 97, "root": 3506402, "\U0001D11E": 1772394} {
		if got := HashString(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// The ids' codes are chains of h·prime + part in 32 bits. Node: 8501, the prime
// 493217, the host ("root" is 3506402) and the port. Attempt: of the application
// 6521, 371237, the two halves of the timestamp xored (1056414045) and the
// number; then 5501, 347671, that code and 1. Container: 31·id and the
// attempt's. RequestKey: 9511·517861 + priority, then 31 and the allocation's
// id, then 31 and nothing.
func TestIDs(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uint32
	}{
		{"node root:8041", HashNode("root", 8041), 2172112128},
		{"attempt of application 1", HashAttempt(1), 3837192467},
		{"and of 2, one prime on", HashAttempt(2), 3837192467 + 347671},
		{"container 5 of it", HashContainer(5, HashAttempt(1)), 3837192467 + 5*31},
		{"key of priority 20", HashRequestKey(20, 7), 232367376},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}

// A table of 16 holds 12 entries, then 32 holds 24.
func TestTableSize(t *testing.T) {
	for n, want := range map[int]int{0: 16, 12: 16, 13: 32, 24: 32, 25: 64} {
		if got := TableSize(n); got != want {
			t.Errorf("%d entries: %d, want %d", n, got, want)
		}
	}
}

// "a" to "p" hash to 97 to 112, so 16 buckets are walked from "p" (112 = 7·16)
// on; with more than 12 keys there are 32 buckets and 97 = 3·32+1 comes first
// but for 96 and 128.
func TestSortBy(t *testing.T) {
	id := func(s string) string { return s }
	few := []string{"a", "b", "p", "o"}
	if HashSortBy(few, id); !slices.Equal(few, []string{"p", "a", "b", "o"}) {
		t.Error(few)
	}
}
