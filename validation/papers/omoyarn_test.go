package papers

import "testing"

// Replications on several workers share no result but their own: this fails under the race
// detector where they do.
func TestYarnReplications(t *testing.T) {
	r := newRunner(t.Context(), Options{Workers: 4, Replications: 8})
	m, err := r.omoYARN(2)
	if err != nil || len(m) != 8 || m[0] <= 0 || m[1] <= 0 {
		t.Errorf("%v, %v", m, err)
	}
}
