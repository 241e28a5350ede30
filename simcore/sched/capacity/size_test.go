package capacity

import (
	"testing"
	"unsafe"
)

// TestSizes: what a heartbeat touches when a container ends is one line of
// the cache, of a node two, and blocks of them begin at such a line.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64-bit processors")
	}
	if n, hot := unsafe.Sizeof(container{}), unsafe.Offsetof(container{}.alloc); n != 128 || hot != 64 {
		t.Errorf("a container takes %d bytes, what its end needs %d, want 128 and 64", n, hot)
	}
	if n, hot := unsafe.Sizeof(node{}), unsafe.Offsetof(node{}.total); n != 128 || hot != 64 {
		t.Errorf("a node takes %d bytes, what most heartbeats need %d, want 128 and 64", n, hot)
	}
	var s Scheduler
	for range 100 {
		s.newNode()
		s.newContainer()
	}
	if c := s.newContainer(); uintptr(unsafe.Pointer(c))%64 != 0 {
		t.Error("a container begins within a line of the cache")
	}
	if n := s.newNode(); uintptr(unsafe.Pointer(n))%64 != 0 {
		t.Error("a node begins within a line of the cache")
	}
}
