package replay

import (
	"encoding/json"
	"reflect"
)

// alike reports whether two values read the same: what is equal is not rendered.
func alike(a, b any) bool { return reflect.DeepEqual(a, b) || text(a) == text(b) }

// text renders a value for comparison and for messages.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
