package rm

import "testing"

// TestLists: a list of one application is read with and without brackets, and none is none.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         int
	}{
		{"list", `{"apps":{"app":[{"id":"application_1_0001"},{"id":"application_1_0002"}]}}`, 2},
		{"one without brackets", `{"apps":{"app":{"id":"application_1_0001"}}}`, 1},
		{"null", `{"apps":null}`, 0},
		{"empty text", `{"apps":{"app":""}}`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := ParseApps([]byte(c.answer))
			if err != nil || len(list) != c.want {
				t.Errorf("%d applications, error %v; want %d", len(list), err, c.want)
			}
		})
	}
}
