package sched

import (
	"strings"
	"testing"
)

// A spec that Parse has not made builds nothing and says so.
func TestSpecWithoutEntry(t *testing.T) {
	s := (&Spec{}).With(Values{"a": "b"})
	if _, err := s.New(Options{}); err == nil || !strings.Contains(err.Error(), "allowed: ") || s.String() != "" {
		t.Error(err)
	}
	if _, err := s.NewYARN(YARNOptions{}); err == nil {
		t.Error("no error")
	}
}
