package tezlog

import (
	"encoding/json"
	"strconv"
	"strings"
)

// info is what a record tells besides its event: JSON values by key. The protobuf form has
// texts without quotes in their place.
type info map[string]json.RawMessage

// fields are the places where a record may tell a thing.
type fields struct {
	event, other, filters info
	related               json.RawMessage
}

// raw is a value of the record, nil where there is none.
func (f *fields) raw(key string) json.RawMessage {
	for _, m := range []info{f.event, f.other, f.filters} {
		if v, ok := m[key]; ok {
			return v
		}
	}
	return nil
}

// text is a value as a text, of a list the first one; empty where there is none.
func (f *fields) text(key string) string {
	v := f.raw(key)
	if len(v) > 0 && v[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil || len(list) == 0 {
			return ""
		}
		v = list[0]
	}
	if len(v) > 0 && v[0] == '"' {
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
	}
	if string(v) == "null" {
		return ""
	}
	return string(v)
}

// number is a whole number, Unknown where there is none.
func (f *fields) number(key string) int64 { return number(f.raw(key)) }

func number(raw json.RawMessage) int64 {
	v, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil {
		return Unknown
	}
	return v
}

// count is a number of tasks, Unknown where there is none or no sane one.
func (f *fields) count(key string) int32 {
	if v := f.number(key); v >= 0 && v <= mostTasks {
		return int32(v)
	}
	return Unknown
}

// into decodes a value; false where there is none of this form.
func (f *fields) into(key string, v any) bool {
	raw := f.raw(key)
	return raw != nil && json.Unmarshal(raw, v) == nil
}

// relative is the related entity of a type (SimpleHistoryLoggingService writes pairs; the
// timeline server's map tells nothing that is needed).
func (f *fields) relative(kind string) string {
	var list []struct {
		Entity string `json:"entity"`
		Type   string `json:"entitytype"`
	}
	if f.related == nil || json.Unmarshal(f.related, &list) != nil {
		return ""
	}
	for _, e := range list {
		if e.Type == kind {
			return e.Entity
		}
	}
	return ""
}

// Bounds of numbers in ids.
const (
	mostDAGs     = 1 << 30
	mostVertices = 1 << 20
	mostTasks    = 1 << 30
)

// ident is the id of an entity: kind, application, and the numbers of DAG, vertex, task and
// attempt, or of the master's attempt and the container.
type ident struct {
	kind string
	app  string
	n    []int32
}

// length is how many numbers an id has behind that of the application.
var length = map[string]int{"application": 0, "appattempt": 1, "container": 2, "dag": 1, "vertex": 2, "task": 3,
	"attempt": 4}

func parse(id string) (out ident, ok bool) {
	parts := strings.Split(strings.TrimPrefix(id, "tez_"), "_")
	out.kind = parts[0]
	want, known := length[out.kind]
	if parts = parts[1:]; out.kind == "container" && len(parts) > 0 && strings.HasPrefix(parts[0], "e") {
		parts = parts[1:] // of a ResourceManager that was started again
	}
	if !known || len(parts) != 2+want {
		return out, false
	}
	for i, p := range parts {
		v, err := strconv.ParseInt(p, 10, 64)
		switch {
		case err != nil || v < 0:
			return out, false
		case i < 2:
		case v > mostTasks:
			return out, false
		default:
			out.n = append(out.n, int32(v))
		}
	}
	out.app = "application_" + parts[0] + "_" + parts[1]
	return out, true
}
