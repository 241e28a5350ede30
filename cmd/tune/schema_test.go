package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"schedtune/internal/cli"
	"schedtune/internal/text"
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
	nulls   bool               // numbers may be null
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
	files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					out.add(spec)
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
			about := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
			for _, n := range f.Names {
				s.fields[spec.Name.Name+"."+n.Name] = about
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
	case t.Implements(jsonMarshaler) && t.Kind() == reflect.Struct && t.NumField() > 0: // null for what is not known
		return s.named(t, true)
	case t == reflect.TypeFor[text.Known]():
		return node{"type": []string{"number", "null"}}
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
		if values := slices.Clone(s.of(t.PkgPath()).values[t.Name()]); len(values) > 0 && t.PkgPath() != "" {
			values = append(values, "") // where it does not apply
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
		return s.named(t, false)
	case reflect.Interface:
		return node{}
	}
	return node{"type": "integer"}
}

// named returns a reference to the schema of a struct; with nulls its numbers may be null.
func (s *schemas) named(t reflect.Type, nulls bool) node {
	if t.Name() == "" {
		return s.object(t)
	}
	name := strings.TrimPrefix(path.Base(t.PkgPath())+"."+strings.TrimSuffix(t.Name(), "JSON"), "main.")
	if s.defs[name] == nil {
		s.defs[name] = node{} // of a type that contains itself
		defer func(before bool) { s.nulls = before }(s.nulls)
		s.nulls = s.nulls || nulls // those of its parts too
		object := s.object(t)
		for _, p := range object["properties"].(node) {
			if p := p.(node); s.nulls && (p["type"] == "number" || p["type"] == "integer") {
				p["type"] = []string{p["type"].(string), "null"}
			}
		}
		s.defs[name] = object
	}
	return node{"$ref": "#/$defs/" + name}
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
			about := s.of(t.PkgPath()).fields[t.Name()+"."+f.Name]
			if about == "" {
				about = words[name]
			}
			if about == "" {
				s.missing[t.String()+"."+f.Name+" "+name] = true
			}
			if n["$ref"] != nil {
				n = node{"$ref": n["$ref"]}
			}
			n["description"] = about
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

// words describe fields that mean the same everywhere and have no comment of their own, by name.
var words = readWords()

func readWords() map[string]string {
	data, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		panic(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[name] = text
	}
	return out
}

var update = flag.Bool("update", false, "write docs/schema anew")

// Every JSON document has a schema file with the form of its type, and every field of it has a
// description.
func TestSchemaFiles(t *testing.T) {
	sources := map[string]*source{}
	for name, v := range documents {
		t.Run(name, func(t *testing.T) {
			want := schemaOf(t, name, v, sources)
			path := filepath.Join("../../docs/schema", strings.ReplaceAll(name, "/", "-")+".json")
			if *update {
				if err := os.WriteFile(path, want, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
				t.Errorf("%s differs from its type (%v); go test ./cmd/tune -run TestSchemaFiles -update writes it", path, err)
			}
		})
	}
	files, err := filepath.Glob("../../docs/schema/*.json")
	if err != nil || len(files) != len(documents) {
		t.Errorf("got %d schema files (%v), want one for each of %d documents", len(files), err, len(documents))
	}
}

// schemaOf returns the schema file of a document.
func schemaOf(t *testing.T, name string, v any, sources map[string]*source) []byte {
	t.Helper()
	s := &schemas{t: t, defs: node{}, sources: sources, missing: map[string]bool{}}
	root := reflect.TypeOf(v)
	if root.Kind() == reflect.Pointer {
		root = root.Elem()
	}
	top := s.object(root)
	properties := top["properties"].(node)
	properties["schema"] = node{"const": "schedtune/" + name, "description": words["schema"]}
	if properties["run"] == nil && !strings.Contains(name, "model") && name != "calibration/v1" {
		properties["run"] = s.schema(reflect.TypeFor[cli.Run]())
	}
	top["$schema"], top["title"], top["$defs"] = "https://json-schema.org/draft/2020-12/schema", "schedtune/"+name, s.defs
	for _, m := range slices.Sorted(maps.Keys(s.missing)) {
		t.Errorf("%s: no description: want a comment, or a line in testdata/fields.txt", m)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(top); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fits returns where a value does not have the form of a schema.
func fits(root, schema node, v any, at string) (faults []string) {
	fault := func(format string, args ...any) []string { return append(faults, at+": "+fmt.Sprintf(format, args...)) }
	if ref, ok := schema["$ref"].(string); ok {
		return fits(root, root["$defs"].(node)[strings.TrimPrefix(ref, "#/$defs/")].(node), v, at)
	}
	if want, ok := schema["const"]; ok && v != want {
		return fault("got %v, want %v", v, want)
	}
	if list, ok := schema["enum"].([]any); ok && !slices.Contains(list, v) {
		return fault("got %v, want one of %v", v, list)
	}
	if any, ok := schema["anyOf"].([]any); ok {
		for _, s := range any {
			if faults = fits(root, s.(node), v, at); faults == nil {
				return nil
			}
		}
		return faults
	}
	kind := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.String: "string", reflect.Float64: "number",
		reflect.Slice: "array", reflect.Map: "object", reflect.Invalid: "null"}[reflect.ValueOf(v).Kind()]
	types, _ := schema["type"].([]any)
	if one, ok := schema["type"].(string); ok {
		types = []any{one}
	}
	if x, ok := v.(float64); ok && slices.Contains(types, any("integer")) && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		kind = "integer"
	}
	if types != nil && !slices.Contains(types, any(kind)) {
		return fault("got %s, want %v", kind, types)
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			if items, ok := schema["items"].(node); ok {
				faults = append(faults, fits(root, items, v[i], fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	case node:
		properties, closed := schema["properties"].(node)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			field, known := properties[name].(node)
			if more, ok := schema["additionalProperties"].(node); ok {
				field, known = more, true
			}
			switch {
			case known:
				faults = append(faults, fits(root, field, v[name], at+"."+name)...)
			case closed:
				faults = append(faults, at+"."+name+": not in the schema")
			}
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				faults = append(faults, at+"."+name.(string)+": missing")
			}
		}
	}
	return faults
}

// fitted checks a JSON document against its schema file and returns it.
func fitted(t *testing.T, text string) node {
	t.Helper()
	var doc, schema node
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	name, _ := strings.CutPrefix(fmt.Sprint(doc["schema"]), "schedtune/")
	data, err := os.ReadFile(filepath.Join("../../docs/schema", strings.ReplaceAll(name, "/", "-")+".json"))
	if err == nil {
		err = json.Unmarshal(data, &schema)
	}
	if err != nil {
		t.Fatalf("schema %q: %v", name, err)
	}
	faults := fits(schema, schema, doc, name)
	if len(faults) > 12 {
		faults = append(faults[:12], "…")
	}
	for _, f := range faults {
		t.Error(f)
	}
	return doc
}
