package mutate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// chosen is the variable of the changed package that tells which mutant runs;
// environment is where it comes from.
const (
	chosen      = "mutant__"
	environment = "SCHEDTUNE_MUTANT"
)

// span is a range of lines of a generated file that belongs to one mutant.
type span struct{ from, to, id int }

// schemata writes a package that holds all mutants at once: each is a copy of its
// function with the change, and the function itself begins with a switch to the
// copy that the environment names. Mutants are numbered from 1, in the order of
// the list; those that do not compile are left out and returned.
func (r *runner) schemata(list []mutant) (overlay string, invalid map[int]bool, err error) {
	invalid = map[int]bool{}
	for range 20 {
		spans := map[string][]span{}
		if overlay, err = r.write(list, invalid, spans); err != nil {
			return "", nil, err
		}
		out, err := exec.Command("go", "build", "-gcflags=-e", "-overlay", overlay, r.pkg).CombinedOutput()
		if err == nil {
			return overlay, invalid, nil
		}
		if found := blame(out, spans, invalid); found == 0 {
			return "", nil, fmt.Errorf("go build: %w: %s", err, out)
		}
	}
	return "", nil, fmt.Errorf("the mutants of %s do not compile", r.pkg)
}

var errorLine = regexp.MustCompile(`(?m)([^\s/\\:]+\.go):(\d+):`)

// blame marks the mutants in whose lines the compiler found errors.
func blame(out []byte, spans map[string][]span, invalid map[int]bool) (found int) {
	for _, m := range errorLine.FindAllSubmatch(out, -1) {
		line, err := strconv.Atoi(string(m[2]))
		if err != nil {
			continue
		}
		for _, s := range spans[string(m[1])] {
			if s.from <= line && line <= s.to && !invalid[s.id] {
				invalid[s.id] = true
				found++
			}
		}
	}
	return found
}

// write makes the files of the changed package and the overlay that puts them in
// the place of the sources.
func (r *runner) write(list []mutant, invalid map[int]bool, spans map[string][]span) (string, error) {
	byFile := map[*source]map[int]mutant{}
	for i, m := range list {
		if id := i + 1; !invalid[id] {
			if byFile[m.file] == nil {
				byFile[m.file] = map[int]mutant{}
			}
			byFile[m.file][id] = m
		}
	}
	replace := map[string]string{}
	for f, mutants := range byFile {
		name := filepath.Base(f.path)
		text, at, err := f.withVariants(mutants)
		if err != nil {
			return "", err
		}
		spans[name] = at
		replace[f.path] = filepath.Join(r.tmp, name)
		if err := os.WriteFile(replace[f.path], text, 0o600); err != nil {
			return "", err
		}
	}
	text := fmt.Sprintf("package %s\n\nimport (\"os\"; \"strconv\")\n\nvar %s, _ = strconv.Atoi(os.Getenv(%q))\n", r.name, chosen, environment)
	const file = "zz_mutant.go"
	replace[filepath.Join(r.dir, file)] = filepath.Join(r.tmp, file)
	if err := os.WriteFile(filepath.Join(r.tmp, file), []byte(text), 0o600); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(r.tmp, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// withVariants returns the file with a copy of a function for each of its mutants,
// and the lines of each copy.
func (f *source) withVariants(mutants map[int]mutant) ([]byte, []span, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.path, f.text, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	var out, copies bytes.Buffer
	var at []span
	last := 0
	lines := bytes.Count(f.text, []byte("\n")) + 1
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		s := newSignature(f.text, fset, fn)
		open, end := s.offset(fn.Body.Lbrace), s.offset(fn.Body.End())
		var ids []int
		for id, m := range mutants {
			if m.from > open && m.to <= end {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		sort.Ints(ids)
		out.Write(f.text[last:s.offset(fn.Pos())])
		out.WriteString(s.head(fn.Name.Name) + "{ switch " + chosen + " {")
		last = open + 1
		for _, id := range ids {
			variant := fmt.Sprintf("%s__%d", fn.Name.Name, id)
			call := s.call(variant)
			if fn.Type.Results == nil {
				call += "; return"
			} else {
				call = "return " + call
			}
			fmt.Fprintf(&out, "case %d: %s;", id, call)
			m := mutants[id]
			text := "\n" + s.head(variant) + string(f.text[open:m.from]) + m.with + string(f.text[m.to:end]) + "\n"
			from := lines + bytes.Count(copies.Bytes(), []byte("\n"))
			at = append(at, span{from + 1, from + strings.Count(text, "\n"), id})
			copies.WriteString(text)
		}
		out.WriteString("};")
	}
	out.Write(f.text[last:])
	// The lines of the first part must be as many as before.
	if got := bytes.Count(out.Bytes(), []byte("\n")) + 1; got != lines {
		return nil, nil, fmt.Errorf("%s: %d lines became %d", f.path, lines, got)
	}
	out.Write(copies.Bytes())
	return out.Bytes(), at, nil
}

// signature writes a function's head anew, with a name for every parameter.
type signature struct {
	text     []byte
	fset     *token.FileSet
	receiver string // its name
	before   string // text from func to the function's name
	types    string // names of type parameters in brackets
	after    func() string
	args     string
}

func (s *signature) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *signature) source(from, to token.Pos) string {
	return string(s.text[s.offset(from):s.offset(to)])
}

func (s *signature) head(name string) string { return s.before + name + s.after() }

func (s *signature) call(name string) string {
	if s.receiver != "" {
		return s.receiver + "." + name + "(" + s.args + ")"
	}
	return name + s.types + "(" + s.args + ")"
}

func newSignature(text []byte, fset *token.FileSet, fn *ast.FuncDecl) *signature {
	s := &signature{text: text, fset: fset, before: "func "}
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		field := fn.Recv.List[0]
		s.receiver = "receiver__"
		if len(field.Names) == 1 && field.Names[0].Name != "_" {
			s.receiver = field.Names[0].Name
		}
		s.before += "(" + s.receiver + " " + s.source(field.Type.Pos(), field.Type.End()) + ") "
	}
	params := ""
	if tp := fn.Type.TypeParams; tp != nil {
		params = s.source(tp.Pos(), tp.End())
		var names []string
		for _, f := range tp.List {
			for _, n := range f.Names {
				names = append(names, n.Name)
			}
		}
		s.types = "[" + strings.Join(names, ", ") + "]"
	}
	var fields, args []string
	for _, f := range fn.Type.Params.List {
		typ := s.source(f.Type.Pos(), f.Type.End())
		names := f.Names
		if len(names) == 0 {
			names = []*ast.Ident{{Name: "_"}}
		}
		for _, n := range names {
			name := n.Name
			if name == "_" {
				name = fmt.Sprintf("p__%d", len(args))
			}
			fields = append(fields, name+" "+typ)
			if _, ok := f.Type.(*ast.Ellipsis); ok {
				name += "..."
			}
			args = append(args, name)
		}
	}
	s.args = strings.Join(args, ", ")
	rest := ""
	if fn.Type.Results != nil {
		rest = s.source(fn.Type.Params.End(), fn.Type.Results.End())
	}
	// A head over several lines stays as long, so that positions do not move.
	breaks := strings.Repeat("\n", strings.Count(s.source(fn.Pos(), fn.Body.Lbrace), "\n"))
	s.after = func() string {
		h := params + "(" + strings.Join(fields, ", ") + ")" + rest + " "
		missing := len(breaks) - strings.Count(h, "\n") - strings.Count(s.before, "\n")
		return strings.Replace(h, "(", "("+strings.Repeat("\n", max(missing, 0)), 1)
	}
	return s
}
