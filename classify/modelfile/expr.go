package modelfile

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Expr is a compiled expression over the columns of a log, in the syntax of Go's expressions:
//
//	load1/cpus > 1            memory > 0.9 || cpu >= 0.95
//	max(disk, network) > 0.8  !(tasks < 4) && load1 - 1 > cpus
//	"CPU usage [%]" > 90      cpu - mean(cpu, 6)     role == 'web'
//
// with + - * /, comparisons (> >= < <= == !=), && || !, parentheses, numbers,
// column names and the functions min, max and abs, and over the rows of a node up to the
// newest lag(x, n), mean(x, n) and sd(x, n). A name that is a column is that column, whatever
// it holds; any name may have double quotes. A text column is compared with a text in
// single quotes. True is 1 and false 0; an unknown value (NaN) makes the whole expression
// unknown.
type Expr struct {
	text string
	root node
	use  []int // columns it reads
}

// node computes a part of the expression from a row's values.
type node func(v []float64) float64

// Parse compiles an expression over the space's columns.
func (s *Space) Parse(text string) (*Expr, error) {
	c := compiler{text: text, space: s, columns: map[token.Pos]int{}}
	if err := c.rewrite(); err != nil {
		return nil, err
	}
	tree, err := parser.ParseExpr(string(c.out))
	var list scanner.ErrorList
	if errors.As(err, &list) {
		return nil, c.errorf(token.Pos(list[0].Pos.Offset+1), "%s", list[0].Msg)
	}
	if err != nil {
		return nil, c.errorf(1, "%v", err)
	}
	root, err := c.value(tree)
	if err != nil {
		return nil, err
	}
	return &Expr{text: text, root: root, use: c.use}, nil
}

// String returns the expression as it was given.
func (e *Expr) String() string { return e.text }

// Eval returns the value for a row as Space.Row returns it; NaN where a column it reads is
// unknown.
func (e *Expr) Eval(values []float64) float64 {
	for _, c := range e.use {
		if values[c] != values[c] {
			return math.NaN()
		}
	}
	return e.root(values)
}

// TextValue is the number that stands for a text in a row's values.
func TextValue(text string) float64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return float64(h.Sum64() >> 11)
}

// compiler turns an expression into Go's syntax, in which each column is an identifier, and
// Go's tree into functions.
type compiler struct {
	text    string
	space   *Space
	out     []byte
	from    []int             // place in text of each byte of out
	columns map[token.Pos]int // column of the identifier at a place of out
	use     []int
}

func (c *compiler) errorf(at token.Pos, format string, args ...any) error {
	return c.wrong(c.place(at), format, args...)
}

func (c *compiler) wrong(at int, format string, args ...any) error {
	return fmt.Errorf("expression %.40q, position %d: %s", c.text, at+1, fmt.Sprintf(format, args...))
}

// place returns where in the text a place of the rewritten text comes from.
func (c *compiler) place(at token.Pos) int {
	if i := int(at) - 1; i < len(c.from) {
		return c.from[i]
	}
	return len(c.text)
}

// emit writes text that stands for the one at a place, or is it.
func (c *compiler) emit(from int, text string, is bool) {
	c.out = append(c.out, text...)
	for i := range len(text) {
		if !is {
			i = 0
		}
		c.from = append(c.from, from+i)
	}
}

// column writes an identifier in place of a column's name.
func (c *compiler) column(from, column int) {
	c.columns[token.Pos(len(c.out)+1)] = column
	c.emit(from, fmt.Sprintf("c%d ", column), false)
}

// rewrite writes columns as identifiers and texts as Go's string literals.
func (c *compiler) rewrite() error {
	inName := func(b byte) bool { return isName(b) || isDigit(b) || b == '.' }
	for at := 0; at < len(c.text); {
		if k := c.space.longest(c.text[at:]); k >= 0 {
			c.column(at, k)
			at += len(c.space.Columns[k])
			continue
		}
		end := at + 1
		switch b := c.text[at]; {
		case inName(b):
			for end < len(c.text) && inName(c.text[end]) {
				end++
			}
			c.emit(at, c.text[at:end], true)
		case b == '"' || b == '\'':
			n := strings.IndexByte(c.text[end:], b)
			if n < 0 {
				return c.wrong(at, "the quote has no end")
			}
			quoted := c.text[end : end+n]
			end += n + 1
			if b == '\'' {
				c.emit(at, strconv.Quote(quoted), false)
			} else if k := slices.Index(c.space.Columns, quoted); k >= 0 {
				c.column(at, k)
			} else {
				return c.unknown(at, quoted)
			}
		case end < len(c.text) && slices.Contains([]string{"--", "//", "/*"}, c.text[at:end+1]): // operators of their own
			c.emit(at, string(b)+" ", false)
		case b <= ' ': // one line
			c.emit(at, " ", true)
		default:
			c.emit(at, c.text[at:end], true)
		}
		at = end
	}
	return nil
}

func isName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (c *compiler) unknown(at int, name string) error {
	return c.wrong(at, "unknown column %.40q: must be one of %s, and the functions abs, min, max, lag, mean, sd", name,
		strings.Join(c.space.Columns, ", "))
}

var operators = map[token.Token]func(a, b float64) float64{
	token.LOR:  func(a, b float64) float64 { return truth(a != 0 || b != 0) },
	token.LAND: func(a, b float64) float64 { return truth(a != 0 && b != 0) },
	token.GTR:  func(a, b float64) float64 { return truth(a > b) },
	token.GEQ:  func(a, b float64) float64 { return truth(a >= b) },
	token.LSS:  func(a, b float64) float64 { return truth(a < b) },
	token.LEQ:  func(a, b float64) float64 { return truth(a <= b) },
	token.EQL:  func(a, b float64) float64 { return truth(a == b) },
	token.NEQ:  func(a, b float64) float64 { return truth(a != b) },
	token.ADD:  func(a, b float64) float64 { return a + b },
	token.SUB:  func(a, b float64) float64 { return a - b },
	token.MUL:  func(a, b float64) float64 { return a * b },
	token.QUO:  func(a, b float64) float64 { return a / b },
}

// value compiles a part of the tree.
func (c *compiler) value(e ast.Expr) (node, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.value(e.X)
	case *ast.BasicLit:
		if x, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return func([]float64) float64 { return x }, nil
		}
		return nil, c.errorf(e.Pos(), "%.40s is no number", e.Value)
	case *ast.Ident:
		k, ok := c.columns[e.Pos()]
		switch {
		case !ok:
			return nil, c.unknown(c.place(e.Pos()), e.Name)
		case c.space.holdsText(k):
			return nil, c.errorf(e.Pos(), "column %.40q holds texts: must be compared by == or != with a text in single quotes",
				c.space.Columns[k])
		}
		c.use = append(c.use, k)
		return func(v []float64) float64 { return v[k] }, nil
	case *ast.UnaryExpr:
		x, err := c.value(e.X)
		switch {
		case err != nil:
			return nil, err
		case e.Op == token.SUB:
			return func(v []float64) float64 { return -x(v) }, nil
		case e.Op == token.NOT:
			return func(v []float64) float64 { return truth(x(v) == 0) }, nil
		}
	case *ast.BinaryExpr:
		return c.binary(e)
	case *ast.CallExpr:
		return c.call(e)
	}
	return nil, c.errorf(e.Pos(), "no value: must be made of columns, numbers, + - * /, comparisons, && || !, functions")
}

func (c *compiler) binary(e *ast.BinaryExpr) (node, error) {
	if x, ok := e.X.(*ast.Ident); ok && (e.Op == token.EQL || e.Op == token.NEQ) {
		if k, ok := c.columns[x.Pos()]; ok && c.space.holdsText(k) {
			return c.isText(e, k)
		}
	}
	op, ok := operators[e.Op]
	if !ok {
		return nil, c.errorf(e.OpPos, "unknown operator %s", e.Op)
	}
	if left, ok := e.X.(*ast.BinaryExpr); ok && left.Op.Precedence() == token.LSS.Precedence() &&
		e.Op.Precedence() == token.LSS.Precedence() { // never means what it says
		return nil, c.errorf(e.OpPos, "a second comparison in a row; join comparisons with && or ||")
	}
	a, err := c.value(e.X)
	if err != nil {
		return nil, err
	}
	b, err := c.value(e.Y)
	return func(v []float64) float64 { return op(a(v), b(v)) }, err
}

// isText compares column k, which holds texts.
func (c *compiler) isText(e *ast.BinaryExpr, k int) (node, error) {
	lit, _ := e.Y.(*ast.BasicLit)
	if lit == nil || lit.Kind != token.STRING {
		return nil, c.errorf(e.Y.Pos(), "must be a text in single quotes")
	}
	text, err := strconv.Unquote(lit.Value)
	want, equal := TextValue(text), e.Op == token.EQL
	c.use = append(c.use, k)
	return func(v []float64) float64 { return truth((v[k] == want) == equal) }, err
}

// call compiles a function.
func (c *compiler) call(e *ast.CallExpr) (node, error) {
	name, _ := e.Fun.(*ast.Ident)
	if name == nil {
		return nil, c.errorf(e.Pos(), "no function")
	}
	args, ok := map[string]int{"abs": 1, "min": 2, "max": 2, "lag": 2, "mean": 2, "sd": 2}[name.Name]
	if !ok {
		return nil, c.unknown(c.place(e.Pos()), name.Name)
	}
	if len(e.Args) != args {
		return nil, c.errorf(e.Rparen, "%d arguments of %s: must be %d", len(e.Args), name.Name, args)
	}
	before := len(c.use)
	a, err := c.value(e.Args[0])
	if err != nil {
		return nil, err
	}
	switch name.Name {
	case "abs":
		return func(v []float64) float64 { return math.Abs(a(v)) }, nil
	case "lag", "mean", "sd": // over a node's rows up to the newest: a column that the space computes
		lit, _ := e.Args[1].(*ast.BasicLit)
		rows := 0
		if lit != nil {
			rows, _ = strconv.Atoi(lit.Value)
		}
		if rows < 1 || rows > mostRows {
			return nil, c.errorf(e.Args[1].Pos(), "rows of %s: must be a whole number from 1 to %d", name.Name, mostRows)
		}
		inner := &Expr{text: string(c.out[e.Args[0].Pos()-1 : e.Args[0].End()-1]), root: a, use: slices.Clone(c.use[before:])}
		k := c.space.window(name.Name, inner, rows)
		c.use = append(c.use[:before], k)
		return func(v []float64) float64 { return v[k] }, nil
	}
	b, err := c.value(e.Args[1])
	f := map[string]func(a, b float64) float64{"min": math.Min, "max": math.Max}[name.Name]
	return func(v []float64) float64 { return f(a(v), b(v)) }, err
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
