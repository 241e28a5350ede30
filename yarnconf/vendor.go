package yarnconf

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// asXML brings the forms in which vendors show the queue file into its own: EMR's
// classification capacity-scheduler in JSON, and Ambari's lines of key=value. Other text
// stays as it is.
func asXML(data []byte) []byte {
	text := bytes.TrimSpace(data)
	values := map[string]string{}
	switch {
	case len(text) > 0 && text[0] == '[':
		var list []struct {
			Classification string
			Properties     map[string]string
		}
		if json.Unmarshal(text, &list) != nil {
			return data
		}
		for _, c := range list {
			if c.Classification == "capacity-scheduler" {
				maps.Copy(values, c.Properties)
			}
		}
	case keyValue.Match(text):
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			key, value, ok := strings.Cut(line, "=")
			if line == "" || line[0] == '#' {
				continue
			}
			if !ok || !strings.HasPrefix(key, Prefix) {
				return data
			}
			values[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	if len(values) == 0 {
		return data
	}
	var list []Change
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Change{Key: key, Value: values[key]})
	}
	return Fragment("", list)
}
