package yarnconf

import (
	"encoding/xml"
	"regexp"
	"strings"
)

// attributes reads the form <property name="…" value="…"/>.
func (s *scanner) attributes(p *property, el xml.StartElement) {
	for _, a := range el.Attr {
		switch a.Name.Local {
		case "name":
			p.Name = strings.TrimSpace(a.Value)
		case "value":
			if at, ok := attrSpan(s.data[p.at.start:p.at.innerStart], "value"); ok {
				p.value = span{at.start + p.at.start, at.end + p.at.start, at.innerStart + p.at.start, at.innerEnd + p.at.start}
				p.Value, p.attribute = a.Value, true
				p.Line = s.line(p.value.innerStart)
			}
		case "final":
			p.Final = a.Value == "true"
		}
	}
}

var attribute = regexp.MustCompile(`([^\s=]+)\s*=\s*("[^"]*"|'[^']*')`)

// attrSpan finds an attribute's value inside a start tag; the content is what
// stands between its quotes.
func attrSpan(tag []byte, name string) (span, bool) {
	for _, m := range attribute.FindAllSubmatchIndex(tag, -1) {
		if string(tag[m[2]:m[3]]) == name {
			return span{m[2], m[5], m[4] + 1, m[5] - 1}, true
		}
	}
	return span{}, false
}
