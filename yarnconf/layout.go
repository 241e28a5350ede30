package yarnconf

import (
	"bytes"
	"regexp"
	"strings"
)

// This file decides where a new property goes and how it is written.

// insert places a new property below its nearest relative in the file.
func (e *editor) insert(key, value string) {
	at, ok := e.relative(key)
	if !ok {
		e.append(key, value)
		return
	}
	p := e.doc.props[at]
	e.put(e.lineRest(p.at.end), e.layout(p, key, value))
}

// relative finds the property after which a new one belongs: the last one of
// the same queue, else the last of those that share most of the name.
func (e *editor) relative(key string) (int, bool) {
	parts := strings.Split(key, ".")
	best, at := 1, -1 // sharing one word is no kinship
	for i, p := range e.doc.props {
		if p.included {
			continue
		}
		if n := 2 * shared(parts, p.Name); n > 0 {
			if strings.Count(p.Name, ".") == len(parts)-1 && n == 2*(len(parts)-1) {
				n++ // the same queue's own setting, not one of a queue below
			}
			if n >= best {
				best, at = n, i
			}
		}
	}
	return at, at >= 0
}

func shared(parts []string, name string) int {
	n := 0
	for _, w := range strings.Split(name, ".") {
		if n == len(parts) || parts[n] != w {
			break
		}
		n++
	}
	return n
}

// append places a property at the end of the root element, where it overrides
// what stands before.
func (e *editor) append(key, value string) {
	for i := len(e.doc.props) - 1; i >= 0; i-- {
		if p := e.doc.props[i]; !p.included && p.at.end <= e.doc.root.innerEnd && !e.includeAfter(p.at.end) {
			e.put(e.lineRest(p.at.end), e.layout(p, key, value))
			return
		}
	}
	r := e.doc.root
	nl := e.newline(r.start)
	text := "  <property>" + nl + "    <name>" + escape(key) + "</name>" + nl + "    <value>" + escape(value) +
		"</value>" + nl + "  </property>" + nl
	at := r.innerEnd - len(indentOf(e.doc.data[r.innerStart:], r.innerEnd-r.innerStart))
	if at == r.innerStart || e.doc.data[at-1] != '\n' {
		text = nl + text
	}
	e.put(at, text)
}

// put inserts a text.
func (e *editor) put(at int, text string) { e.splices = append(e.splices, splice{at, at, text}) }

// includeAfter reports whether an include stands behind an offset: what it
// brings would override a property placed before it.
func (e *editor) includeAfter(offset int) bool {
	return bytes.Contains(e.doc.data[offset:e.doc.root.innerEnd], []byte("include"))
}

// newline returns the line ending in use before an offset.
func (e *editor) newline(offset int) string {
	i := bytes.IndexByte(e.doc.data, '\n')
	if j := bytes.LastIndexByte(e.doc.data[:offset], '\n'); j >= 0 {
		i = j
	}
	if i > 0 && e.doc.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

var commentsOnly = regexp.MustCompile(`^[ \t]*(<!--[^\n]*?-->[ \t]*)*(\r?\n|$)`)

// lineRest returns the end of a line if only comments stand between an offset
// and that end, else the offset.
func (e *editor) lineRest(offset int) int {
	rest := e.doc.data[offset:e.doc.root.innerEnd]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i+1]
	}
	m := commentsOnly.Find(rest)
	return offset + len(bytes.TrimRight(m, "\r\n \t"))
}

// layout writes a property the way a relative is written: on one line or
// several, with its indentation and with a blank line before it if that has
// one; as attributes if that does.
func (e *editor) layout(p property, key, value string) string {
	data := e.doc.data
	nl := e.newline(p.at.start)
	indent := string(indentOf(data, p.at.start))
	gap := nl
	lineStart := p.at.start - len(indent)
	if blankLineBefore(data, lineStart) < lineStart {
		gap = nl + nl
	}
	if lineStart > 0 && data[lineStart-1] != '\n' { // shares its line with something else
		gap, indent = "", ""
	}
	if p.attribute {
		return gap + indent + `<property name="` + escape(key) + `" value="` + escape(value) + `"/>`
	}
	name, val := "<name>"+escape(key)+"</name>", "<value>"+escape(value)+"</value>"
	if bytes.IndexByte(data[p.at.start:p.at.end], '\n') < 0 {
		return gap + indent + "<property>" + name + val + "</property>"
	}
	inner := indent + "  "
	if p.name.start >= 0 {
		if in := indentOf(data, p.name.start); p.name.start-len(in) > p.at.start {
			inner = string(in)
		}
	}
	return gap + indent + "<property>" + nl + inner + name + nl + inner + val + nl + indent + "</property>"
}

// indentOf returns the blanks before an offset on its line.
func indentOf(data []byte, offset int) []byte {
	return data[len(bytes.TrimRight(data[:offset], " \t")):offset]
}
