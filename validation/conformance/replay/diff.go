package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// diffStep compares what came of a step with the record, member by member as written. Of a
// rejection or a refused call only that it happened has to agree; w and g are what want and got
// have in common.
func diffStep(want, got any, w, g *Common) string {
	if w.Rejected != nil && g.Rejected != nil {
		g.Rejected = w.Rejected
	}
	if w.Error != "" && g.Error != "" {
		g.Error = w.Error
	}
	if d := diffEvents(w.Events, g.Events); d != "" {
		return d
	}
	w.Events, g.Events = nil, nil
	if reflect.DeepEqual(want, got) {
		return ""
	}
	wm, gm := members(want), members(got)
	for _, k := range sortedKeys(wm, gm) {
		if bytes.Equal(wm[k], gm[k]) {
			continue
		}
		if d := diffMaps(k, members(wm[k]), members(gm[k])); d != "" { // figures by name
			return d
		}
		return fmt.Sprintf("%s: recorded %s, ours %s", k, text(wm[k]), text(gm[k]))
	}
	return ""
}

// members returns what a value is written as, by key; nothing of one that is no object.
func members(v any) (m map[string]json.RawMessage) {
	_ = json.Unmarshal([]byte(text(v)), &m)
	return m
}

// diffEvents compares what a step gave out, in order.
func diffEvents(want, got []Event) string {
	for i := range max(len(want), len(got)) {
		w, g := "none", "none"
		if i < len(want) {
			w = text(want[i])
		}
		if i < len(got) {
			g = text(got[i])
		}
		if w != g && i < len(want) && i < len(got) && want[i].Refused && len(want[i].Kill) > 0 {
			// A reservation to give back that has been filled since is recorded as
			// the container it has become.
			w, g = text(want[i].withoutReleases()), text(got[i].withoutReleases())
		}
		if w != g {
			return fmt.Sprintf("event %d:\n  recorded %s\n  ours     %s", i+1, w, g)
		}
	}
	return ""
}

// withoutReleases is an event without what is to go for it.
func (e Event) withoutReleases() Event {
	e.Kill, e.Unreserve = nil, nil
	return e
}
