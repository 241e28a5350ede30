package yarnconf

import (
	"bytes"
	"strings"
)

// Fragment writes a small configuration file of its own, such as the values
// for mapred-site.xml that no scheduler configuration can hold. The comment
// stands at its top.
func Fragment(comment string, changes []Change) []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\"?>\n")
	if comment != "" {
		// Two hyphens may not stand inside a comment.
		b.WriteString("<!--\n  " + strings.ReplaceAll(strings.ReplaceAll(comment, "--", "- -"), "\n", "\n  ") + "\n-->\n")
	}
	b.WriteString("<configuration>\n")
	for _, c := range changes {
		if c.Unset {
			continue
		}
		b.WriteString("  <property>\n    <name>" + escape(c.Key) + "</name>\n    <value>" + escape(c.Value) +
			"</value>\n  </property>\n")
	}
	b.WriteString("</configuration>\n")
	return b.Bytes()
}
