package mutate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// block is a span of a coverage profile.
type block struct {
	fromLine, fromCol, toLine, toCol, count int
}

// parseBlock reads "schedtune/lp/lu.go:10.2,12.16 2 1".
func parseBlock(line string) (file string, b block, ok bool) {
	i := strings.LastIndexByte(line, ':')
	if i < 0 {
		return "", b, false
	}
	var statements int
	n, err := fmt.Sscanf(line[i+1:], "%d.%d,%d.%d %d %d", &b.fromLine, &b.fromCol, &b.toLine, &b.toCol, &statements,
		&b.count)
	return line[:i], b, err == nil && n == 6
}

// source is a file with what the tests execute of it.
type source struct {
	path    string
	text    []byte
	covered []block
}

// mutant is one change of a file: text from byte offset from to byte offset to
// becomes with.
type mutant struct {
	file     *source
	line     int
	from, to int
	with     string
	what     string
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d", filepath.Base(m.file.path), m.line) }

func (m mutant) apply() []byte {
	var out []byte
	out = append(out, m.file.text[:m.from]...)
	out = append(out, m.with...)
	return append(out, m.file.text[m.to:]...)
}

func (f *source) executed(p token.Position) bool {
	for _, b := range f.covered {
		after := p.Line > b.fromLine || p.Line == b.fromLine && p.Column >= b.fromCol
		before := p.Line < b.toLine || p.Line == b.toLine && p.Column < b.toCol
		if after && before {
			return true
		}
	}
	return false
}

// other maps an operator to what a mutant has in its place.
var other = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
	token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// mutants lists the changes of a file in the order of its text: comparison,
// arithmetic and boolean operators, integer constants, results of a return, and
// statements left out.
func (f *source) mutants() ([]mutant, error) {
	var err error
	if f.text, err = os.ReadFile(f.path); err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.path, f.text, 0)
	if err != nil {
		return nil, err
	}
	l := &lister{file: f, fset: fset}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST && n.Tok != token.TYPE && n.Tok != token.IMPORT
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return false // the text of a panic is nobody's result
			}
		case *ast.BinaryExpr:
			l.operator(n.OpPos, n.Op)
		case *ast.AssignStmt:
			l.operator(n.TokPos, n.Tok)
			if n.Tok == token.ASSIGN && len(n.Lhs) == 1 {
				l.remove(n, "the assignment is left out")
			}
		case *ast.IncDecStmt:
			l.operator(n.TokPos, n.Tok)
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				l.replace(n.OpPos, n.OpPos+1, "", "! is left out")
			}
		case *ast.BasicLit:
			l.constant(n)
		case *ast.ExprStmt:
			l.remove(n, "the call is left out")
		case *ast.ReturnStmt:
			l.result(n)
		case *ast.IfStmt:
			l.replace(n.Cond.Pos(), n.Cond.End(), "true || ("+l.text(n.Cond)+")", "the condition always holds")
			l.replace(n.Cond.Pos(), n.Cond.End(), "false && ("+l.text(n.Cond)+")", "the condition never holds")
		case *ast.BranchStmt:
			if n.Label == nil && (n.Tok == token.BREAK || n.Tok == token.CONTINUE) {
				l.remove(n, n.Tok.String()+" is left out")
			}
		}
		return true
	}
	for _, d := range tree.Decls {
		// Functions that recover are left out: their tests end in other goroutines.
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !l.mentions(fn, "recover()") {
			ast.Inspect(fn.Body, visit)
		}
	}
	return l.list, nil
}

type lister struct {
	file *source
	fset *token.FileSet
	list []mutant
}

func (l *lister) offset(p token.Pos) int { return l.fset.Position(p).Offset }

func (l *lister) text(n ast.Node) string {
	return string(l.file.text[l.offset(n.Pos()):l.offset(n.End())])
}

func (l *lister) replace(from, to token.Pos, with, what string) {
	p := l.fset.Position(from)
	if l.file.executed(p) {
		l.list = append(l.list, mutant{l.file, p.Line, p.Offset, l.offset(to), with, what})
	}
}

func (l *lister) operator(at token.Pos, op token.Token) {
	for _, o := range other[op] {
		l.replace(at, at+token.Pos(len(op.String())), o.String(), op.String()+" becomes "+o.String())
	}
}

func (l *lister) constant(c *ast.BasicLit) {
	if n, err := strconv.ParseInt(c.Value, 0, 64); c.Kind == token.INT && err == nil {
		l.replace(c.Pos(), c.End(), strconv.FormatInt(n+1, 10), fmt.Sprintf("%s becomes %d", c.Value, n+1))
	}
}

func (l *lister) remove(n ast.Node, what string) {
	l.replace(n.Pos(), n.End(), "_ = 0", what)
}

// result changes what a return gives: true and false change places, an error
// becomes nil, any other name is negated where that compiles.
func (l *lister) result(r *ast.ReturnStmt) {
	for _, e := range r.Results {
		id, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		switch id.Name {
		case "true":
			l.replace(id.Pos(), id.End(), "false", "returns false")
		case "false":
			l.replace(id.Pos(), id.End(), "true", "returns true")
		case "err":
			l.replace(id.Pos(), id.End(), "nil", "returns no error")
		case "nil":
		default:
			l.replace(id.Pos(), id.End(), "-"+id.Name, "returns the negative")
		}
	}
}

func (l *lister) mentions(n ast.Node, text string) bool { return strings.Contains(l.text(n), text) }

// context is the line of the change, before it.
func (m mutant) context() string {
	from := strings.LastIndexByte(string(m.file.text[:m.from]), '\n') + 1
	line, _, _ := strings.Cut(string(m.file.text[from:]), "\n")
	return strings.TrimSpace(line)
}
