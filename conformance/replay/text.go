package replay

import "encoding/json"

// text renders a value for comparison and for messages.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
