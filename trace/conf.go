package trace

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"schedtune/internal/bounded"
)

// readConf reads the properties that matter from a job's _conf.xml.
func readConf(r io.Reader, name string) (*confProps, error) {
	in, err := newInput(r, name)
	if err != nil {
		return nil, err
	}
	var p confProps
	set := p.setters()
	dec := xml.NewDecoder(in)
	depth := 0
	for {
		tok, err := dec.Token()
		if err == io.EOF && depth == 0 {
			return &p, nil
		}
		if err != nil {
			line, _ := dec.InputPos()
			return nil, &Error{File: name, Line: int64(line), Offset: -1, Err: err}
		}
		switch el := tok.(type) {
		case xml.StartElement:
			if el.Name.Local != "property" {
				depth++
				continue
			}
			var prop struct {
				Name  string `xml:"name"`
				Value string `xml:"value"`
			}
			if err := dec.DecodeElement(&prop, &el); err != nil {
				line, _ := dec.InputPos()
				return nil, &Error{File: name, Line: int64(line), Offset: -1, Err: fmt.Errorf("property: %w", err)}
			}
			if dst := set[strings.TrimSpace(prop.Name)]; dst != nil {
				*dst = text(strings.TrimSpace(prop.Value))
			}
		case xml.EndElement:
			depth--
		}
	}
}

// setters returns the fields by the property names in their tags.
func (p *confProps) setters() map[string]*text {
	v := reflect.ValueOf(p).Elem()
	set := make(map[string]*text, v.NumField())
	for i := range v.NumField() {
		set[v.Type().Field(i).Tag.Get("json")] = v.Field(i).Addr().Interface().(*text)
	}
	return set
}

// confBeside reads the configuration of a job from the folder of its history
// file; absent is no error.
func confBeside(dir, jobID string) (*confProps, error) {
	for _, ext := range []string{"", ".gz", ".zst"} {
		path := filepath.Join(dir, jobID+"_conf.xml"+ext)
		f, err := bounded.Open(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readConf(f, path)
	}
	return nil, nil
}
