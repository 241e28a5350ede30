package yarnconf

import (
	"bytes"
	"encoding/xml"
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

// attrSpan finds an attribute's value inside a start tag; the content is what
// stands between its quotes.
func attrSpan(tag []byte, name string) (span, bool) {
	i := 1
	for i < len(tag) && !isSpace(tag[i]) { // element name
		i++
	}
	for i < len(tag) {
		for i < len(tag) && isSpace(tag[i]) {
			i++
		}
		start := i
		for i < len(tag) && tag[i] != '=' && !isSpace(tag[i]) {
			i++
		}
		key := string(tag[start:i])
		for i < len(tag) && tag[i] != '"' && tag[i] != '\'' {
			i++
		}
		if i >= len(tag) {
			break
		}
		quote, inner := tag[i], i+1
		end := bytes.IndexByte(tag[inner:], quote)
		if end < 0 {
			break
		}
		i = inner + end + 1
		if key == name {
			return span{start, i, inner, inner + end}, true
		}
	}
	return span{}, false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
