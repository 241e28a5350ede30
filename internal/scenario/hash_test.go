package scenario

import (
	"crypto/sha256"
	"reflect"
	"testing"

	"schedtune/simcore"
)

// A study resumes by the hash of its workload: two readings of one trace have the same, whatever a job
// points to, and another content has another.
func TestHashOfPointers(t *testing.T) {
	kind := reflect.TypeFor[simcore.Job]()
	hash := func(set func(job reflect.Value)) [sha256.Size]byte {
		w := &simcore.Workload{Jobs: make([]simcore.Job, 1)}
		set(reflect.ValueOf(&w.Jobs[0]).Elem())
		h := sha256.New()
		hashWorkload(h, w)
		return [sha256.Size]byte(h.Sum(nil))
	}
	none := hash(func(reflect.Value) {})
	for i := range kind.NumField() {
		f := kind.Field(i)
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			set := func(job reflect.Value) { job.Field(i).Set(reflect.New(f.Type.Elem())) }
			first, again := hash(set), hash(set)
			if first != again || first == none {
				t.Errorf("got %x, again %x, without it %x; want the first two equal, the third different", first, again, none)
			}
		})
	}
}
