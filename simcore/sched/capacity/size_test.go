package capacity

import (
	"reflect"
	"slices"
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

// TestBlocksComeFirst: of the fields of Scheduler, gone through in order as Clone does, none
// before the blocks of containers leads to a container. Clone then knows the copy of every
// container that it comes to, and need not come back to the pointers (deepcopy.Of).
func TestBlocksComeFirst(t *testing.T) {
	fields := flatFields(reflect.TypeFor[Scheduler]())
	at := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Name == "blocks" })
	if at < 0 {
		t.Fatal("Scheduler has no field blocks")
	}
	for _, f := range fields[:at] {
		if leadsTo(f.Type, reflect.TypeFor[container](), map[reflect.Type]bool{}) {
			t.Errorf("field %s leads to containers and stands before the blocks", f.Name)
		}
	}
	if last := fields[at+1]; !leadsTo(last.Type, reflect.TypeFor[container](), map[reflect.Type]bool{}) {
		t.Errorf("field %s, behind the blocks, is said to lead to no container: the test sees none", last.Name)
	}
}

// flatFields lists the fields of a struct, those of embedded structs in their place.
func flatFields(t reflect.Type) (fields []reflect.StructField) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			fields = append(fields, flatFields(f.Type)...)
		} else {
			fields = append(fields, f)
		}
	}
	return fields
}

// leadsTo reports whether a value of type t may hold or point to one of type to.
func leadsTo(t, to reflect.Type, seen map[reflect.Type]bool) bool {
	if t == to {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return leadsTo(t.Elem(), to, seen)
	case reflect.Map:
		return leadsTo(t.Key(), to, seen) || leadsTo(t.Elem(), to, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if leadsTo(t.Field(i).Type, to, seen) {
				return true
			}
		}
	}
	return false
}
