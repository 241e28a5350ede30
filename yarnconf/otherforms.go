package yarnconf

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Forms in which clouds and managers show a queue file: EMR's list of classifications, and
// lines of key=value as Ambari has them.

// classification is an entry of EMR's configuration, or the object that has the list of them.
type classification struct {
	Classification string
	Properties     map[string]string
	Configurations []classification
}

// asXML returns a file in one of these forms as XML, each property in the line in which it
// stands there; other files as they are.
func asXML(data []byte) []byte {
	type entry struct {
		line       int
		key, value string
	}
	var entries []entry
	text := bytes.TrimSpace(data)
	switch {
	case len(text) > 0 && (text[0] == '[' || text[0] == '{'):
		var all classification
		if json.Unmarshal(text, &all) != nil && json.Unmarshal(text, &all.Configurations) != nil {
			return data
		}
		for _, c := range append(all.Configurations, all) {
			if c.Classification != "capacity-scheduler" {
				continue
			}
			for k, v := range c.Properties {
				at := max(bytes.Index(data, []byte(`"`+k+`"`)), 0)
				entries = append(entries, entry{bytes.Count(data[:at], []byte("\n")), k, v})
			}
		}
	case len(text) > 0 && text[0] != '<' && keyValue.Match(text):
		for i, line := range strings.Split(string(data), "\n") {
			k, v, ok := strings.Cut(strings.TrimSpace(line), "=")
			if ok && !strings.HasPrefix(k, "#") {
				entries = append(entries, entry{i, strings.TrimSpace(k), strings.TrimSpace(v)})
			}
		}
	}
	if !slices.ContainsFunc(entries, func(e entry) bool { return strings.HasPrefix(e.key, Prefix) }) {
		return data // of another program
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.key, b.key))
	})
	var b bytes.Buffer
	b.WriteString("<configuration>")
	at := 0
	for _, e := range entries {
		b.WriteString(strings.Repeat("\n", e.line-at) + "<property><name>" + escape(e.key) + "</name><value>" +
			escape(e.value) +
			"</value></property>")
		at = e.line
	}
	b.WriteString("\n</configuration>\n")
	return b.Bytes()
}
