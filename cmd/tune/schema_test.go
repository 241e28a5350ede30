package main

import (
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// node is a JSON Schema.
type node = map[string]any

// schemas makes JSON Schemas of Go types: names and forms from the types, descriptions from
// their comments, the values of named texts from their constants.
type schemas struct {
	t       *testing.T
	defs    node
	sources map[string]*source // by import path
	missing map[string]bool    // fields without a description
}

// source is what the comments and constants of a package tell.
type source struct {
	fields map[string]string   // TYPE.Field: its comment
	values map[string][]string // TYPE: its constants
}

// of returns the source of a package of this module.
func (s *schemas) of(pkg string) *source {
	if known := s.sources[pkg]; known != nil {
		return known
	}
	out := &source{map[string]string{}, map[string][]string{}}
	s.sources[pkg] = out
	dir, ours := strings.CutPrefix(pkg, "schedtune/")
	if pkg == "main" {
		dir, ours = "cmd/tune", true
	}
	if !ours {
		return out
	}
	parsed, err := parser.ParseDir(token.NewFileSet(), filepath.Join("../..", dir), func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go")
	}, parser.ParseComments)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range parsed {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok {
					for _, spec := range g.Specs {
						out.add(spec)
					}
				}
			}
		}
	}
	return out
}

// add takes over the fields of a type, or the values of constants.
func (s *source) add(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		st, ok := spec.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, f := range st.Fields.List {
			text := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
			for _, n := range f.Names {
				s.fields[spec.Name.Name+"."+n.Name] = text
			}
		}
	case *ast.ValueSpec:
		name, ok := spec.Type.(*ast.Ident)
		for _, v := range spec.Values {
			if lit, isText := v.(*ast.BasicLit); ok && isText && lit.Kind == token.STRING {
				value, _ := strconv.Unquote(lit.Value)
				s.values[name.Name] = append(s.values[name.Name], value)
			}
		}
	}
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// schema returns the schema of a type.
func (s *schemas) schema(t reflect.Type) node {
	switch {
	case t.Kind() == reflect.Pointer:
		return nullable(s.schema(t.Elem()))
	case t.Implements(jsonMarshaler):
		return node{} // a form of its own
	case t.Implements(textMarshaler):
		return node{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return node{"type": "boolean"}
	case reflect.String:
		out := node{"type": "string"}
		if values := s.of(t.PkgPath()).values[t.Name()]; len(values) > 0 && t.PkgPath() != "" {
			slices.Sort(values)
			out["enum"] = slices.Compact(values)
		}
		return out
	case reflect.Float32, reflect.Float64:
		return node{"type": "number"}
	case reflect.Slice, reflect.Array:
		return node{"type": "array", "items": s.schema(t.Elem())}
	case reflect.Map:
		return node{"type": "object", "additionalProperties": s.schema(t.Elem())}
	case reflect.Struct:
		if t.Name() == "" {
			return s.object(t)
		}
		name := strings.TrimPrefix(path.Base(t.PkgPath())+"."+strings.TrimSuffix(t.Name(), "JSON"), "main.")
		if s.defs[name] == nil {
			s.defs[name] = node{} // of a type that contains itself
			s.defs[name] = s.object(t)
		}
		return node{"$ref": "#/$defs/" + name}
	case reflect.Interface:
		return node{}
	}
	return node{"type": "integer"}
}

// nullable allows null beside a schema.
func nullable(n node) node {
	if kind, ok := n["type"].(string); ok && n["enum"] == nil {
		n["type"] = []string{kind, "null"}
		return n
	}
	return node{"anyOf": []node{n, {"type": "null"}}}
}

// object returns the schema of a struct.
func (s *schemas) object(t reflect.Type) node {
	properties, required := node{}, []string{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			tag := f.Tag.Get("json")
			name, options, _ := strings.Cut(tag, ",")
			switch {
			case name == "-" || !f.IsExported() && !f.Anonymous:
				continue
			case f.Anonymous && name == "":
				at := f.Type
				if at.Kind() == reflect.Pointer {
					at = at.Elem()
				}
				add(at)
				continue
			case name == "":
				name = f.Name
			}
			n := s.schema(f.Type)
			text := s.of(t.PkgPath()).fields[t.Name()+"."+f.Name]
			if text == "" {
				text = words[name]
			}
			if text == "" {
				s.missing[t.String()+"."+f.Name+" "+name] = true
			}
			if n["$ref"] != nil {
				n = node{"$ref": n["$ref"]}
			}
			n["description"] = text
			properties[name] = n
			if !strings.Contains(options, "omit") {
				required = append(required, name)
			}
		}
	}
	add(t)
	slices.Sort(required)
	return node{"type": "object", "properties": properties, "required": slices.Compact(required),
		"additionalProperties": false}
}

// words describe fields that mean the same everywhere.
var words = map[string]string{}

func TestMissing(t *testing.T) {
	s := &schemas{t, node{}, map[string]*source{}, map[string]bool{}}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range documents {
			if !yield(k) {
				return
			}
		}
	}) {
		for _, v := range documents[name] {
			s.schema(reflect.TypeOf(v))
		}
	}
	var list []string
	for m := range s.missing {
		list = append(list, m)
	}
	slices.Sort(list)
	os.WriteFile("/tmp/i41/missing.txt", []byte(strings.Join(list, "\n")), 0o666)
	t.Log(len(list), len(s.defs))
}
