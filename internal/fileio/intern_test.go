package fileio

import (
	"slices"
	"testing"
)

// Each name has one number, from 0 in the order of its first use.
func TestID(t *testing.T) {
	var x Index
	var list []string
	var got []int32
	for _, name := range []string{"b", "a", "", "b", ""} {
		got = append(got, x.ID(&list, name))
	}
	if want := []int32{0, 1, 2, 0, 2}; !slices.Equal(got, want) || !slices.Equal(list, []string{"b", "a", ""}) {
		t.Errorf("%v of %q, want %v", got, list, want)
	}
}
