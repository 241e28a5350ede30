package fairconf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"schedtune/internal/fileio"
)

const (
	maxFile  = 16 << 20 // bytes
	maxDepth = 100      // of elements
)

// element is an XML element with what of it matters here.
type element struct {
	tag      string
	name     string // attribute name
	attrs    []xml.Attr
	line     int64
	children []*element

	first    string // the first child where that is text
	hasText  bool   // the first child is text
	anyChild bool
}

// attr returns an attribute, "" where it is missing.
func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// tree reads a whole document.
type tree struct {
	file string
	dec  *xml.Decoder
}

func readTree(file string, data []byte) (*element, error) {
	if len(data) > maxFile {
		return nil, &Error{File: file, Reason: fmt.Sprintf("larger than %d MiB", maxFile>>20)}
	}
	if fileio.UTF16(data) {
		return nil, &Error{File: file, Line: 1, Reason: "the file is UTF-16: must be " + fileio.Encodings}
	}
	t := &tree{file: file, dec: fileio.NewDecoder(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))} // a byte order mark
	root, err := t.root()
	if err != nil {
		return nil, t.fail(err)
	}
	return root, nil
}

func (t *tree) line() int64 {
	line, _ := t.dec.InputPos()
	return int64(line)
}

func (t *tree) fail(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := &Error{File: t.file, Line: t.line(), Reason: "XML: " + err.Error()}
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		e.Line, e.Reason = int64(syntax.Line), "XML: "+syntax.Msg
	case errors.Is(err, io.EOF):
		e.Reason = "XML: the file has no element"
	}
	return e
}

// root reads the one outermost element and what follows it.
func (t *tree) root() (*element, error) {
	var root *element
	for {
		line := t.line()
		tok, err := t.dec.Token()
		if errors.Is(err, io.EOF) && root != nil {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		switch x := tok.(type) {
		case xml.StartElement:
			if root != nil {
				return nil, &Error{File: t.file, Line: line, Key: x.Name.Local, Reason: "a second outermost element"}
			}
			if root, err = t.element(x, 1); err != nil {
				return nil, err
			}
		case xml.Directive:
			return nil, &Error{File: t.file, Line: line, Reason: "a document type declaration is not allowed"}
		case xml.CharData:
			if len(bytes.TrimSpace(x)) > 0 {
				return nil, &Error{File: t.file, Line: line, Reason: "text outside the outermost element"}
			}
		}
	}
}

func (t *tree) element(start xml.StartElement, depth int) (*element, error) {
	if depth > maxDepth {
		return nil, &Error{File: t.file, Line: t.line(), Key: start.Name.Local,
			Reason: fmt.Sprintf("elements nested more than %d deep", maxDepth)}
	}
	e := &element{tag: start.Name.Local, attrs: start.Attr, line: t.line()}
	e.name = e.attr("name")
	for {
		tok, err := t.dec.Token()
		if err != nil {
			return nil, err
		}
		switch x := tok.(type) {
		case xml.StartElement:
			c, err := t.element(x, depth+1)
			if err != nil {
				return nil, err
			}
			e.anyChild = true
			e.children = append(e.children, c)
		case xml.CharData:
			if !e.anyChild || e.hasText && len(e.children) == 0 {
				e.first, e.hasText = e.first+string(x), true
			}
			e.anyChild = true
		case xml.EndElement:
			return e, nil
		}
	}
}
