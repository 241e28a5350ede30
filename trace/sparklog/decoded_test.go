package sparklog

import "testing"

type panics struct{}

func (*panics) UnmarshalJSON([]byte) error { panic("out of range") }

// A panic while an event is decoded makes its line a damaged one.
func TestPanicIsADamagedLine(t *testing.T) {
	var e struct{ A panics }
	if decoded([]byte(`{"A":1}`), &e) {
		t.Error("got an event, want a damaged line")
	}
}
