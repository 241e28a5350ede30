package sched

import (
	"strings"
	"testing"
)

// A spec that Parse has not made builds nothing and says so.
func TestSpecWithoutEntry(t *testing.T) {
	s := (&Spec{}).With(Values{"a": "b"})
	if _, err := s.New(Options{}); err == nil || !strings.Contains(err.Error(), "must be made by Parse") ||
		s.String() != "" {
		t.Errorf("got error %v and spec %q, want an error that names Parse and no spec", err, s)
	}
	if _, err := s.NewYARN(YARNOptions{}); err == nil {
		t.Error("no error")
	}
}
