package models

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Expr is a compiled expression over the numeric columns of a log:
//
//	load1/cpus > 1            memory > 0.9 || cpu >= 0.95
//	max(disk, network) > 0.8  !(tasks < 4) && load1 - 1 > cpus
//
// with + - * /, comparisons (> >= < <= == !=), && || !, parentheses, numbers,
// column names and the functions min, max and abs. True is 1 and false 0; an
// unknown value (NaN) makes the whole expression unknown.
type Expr struct {
	text string
	root node
	use  []int // columns it reads
}

// node computes a part of the expression from a row's values.
type node func(v []float64) float64

// ParseExpr compiles an expression for a log with the given columns.
func ParseExpr(text string, columns []string) (*Expr, error) {
	p := &exprParser{text: text, columns: columns}
	p.next()
	root, err := p.or()
	if err == nil && p.tok != "" {
		err = p.errorf("%q is left over", p.tok)
	}
	if err != nil {
		return nil, err
	}
	return &Expr{text: text, root: root, use: p.use}, nil
}

// String returns the expression as it was given.
func (e *Expr) String() string { return e.text }

// Eval returns the value for a row; NaN where a column it reads is unknown.
func (e *Expr) Eval(values []float64) float64 {
	for _, c := range e.use {
		if values[c] != values[c] {
			return math.NaN()
		}
	}
	return e.root(values)
}

// exprParser is a recursive descent over tokens; depth bounds the recursion.
type exprParser struct {
	text    string
	columns []string
	at      int // behind the current token
	from    int // beginning of the current token
	tok     string
	depth   int
	use     []int
}

const maxDepth = 100

func (p *exprParser) errorf(format string, args ...any) error {
	return fmt.Errorf("expression %q, position %d: %s", clip(p.text), p.from+1, fmt.Sprintf(format, args...))
}

// next reads the next token: a name, a number, an operator; "" at the end.
func (p *exprParser) next() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	p.from = p.at
	if p.at == len(p.text) {
		p.tok = ""
		return
	}
	switch c := p.text[p.at]; {
	case isName(c):
		for p.at < len(p.text) && (isName(p.text[p.at]) || isDigit(p.text[p.at]) || p.text[p.at] == '.') {
			p.at++
		}
	case isDigit(c) || c == '.':
		p.number()
	default:
		p.at++
		if two := p.text[p.from:min(p.from+2, len(p.text))]; strings.Contains(" >= <= == != && || ", " "+two+" ") {
			p.at++
		}
	}
	p.tok = p.text[p.from:p.at]
}

// number moves behind digits, a point and an exponent.
func (p *exprParser) number() {
	for p.at < len(p.text) {
		c := p.text[p.at]
		exp := (c == '+' || c == '-') && strings.IndexByte("eE", p.text[p.at-1]) >= 0
		if !isDigit(c) && c != '.' && c != 'e' && c != 'E' && !exp {
			return
		}
		p.at++
	}
}

func isName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// chain parses operands of one precedence joined by operators, left to right.
func (p *exprParser) chain(operand func() (node, error), ops map[string]func(a, b float64) float64) (node, error) {
	left, err := operand()
	for err == nil {
		op, ok := ops[p.tok]
		if !ok {
			return left, nil
		}
		p.next()
		var right node
		if right, err = operand(); err != nil {
			return nil, err
		}
		a, b := left, right
		left = func(v []float64) float64 { return op(a(v), b(v)) }
	}
	return nil, err
}

func (p *exprParser) or() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf("more than %d nested parts", maxDepth)
	}
	defer func() { p.depth-- }()
	return p.chain(p.and, map[string]func(a, b float64) float64{"||": func(a, b float64) float64 {
		return truth(a != 0 || b != 0)
	}})
}

func (p *exprParser) and() (node, error) {
	return p.chain(p.compare, map[string]func(a, b float64) float64{"&&": func(a, b float64) float64 {
		return truth(a != 0 && b != 0)
	}})
}

// compare is one comparison; a < b < c is an error, as it never means what it
// says.
func (p *exprParser) compare() (node, error) {
	ops := map[string]func(a, b float64) float64{
		">":  func(a, b float64) float64 { return truth(a > b) },
		">=": func(a, b float64) float64 { return truth(a >= b) },
		"<":  func(a, b float64) float64 { return truth(a < b) },
		"<=": func(a, b float64) float64 { return truth(a <= b) },
		"==": func(a, b float64) float64 { return truth(a == b) },
		"!=": func(a, b float64) float64 { return truth(a != b) },
	}
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	op, ok := ops[p.tok]
	if !ok {
		return left, nil
	}
	p.next()
	right, err := p.sum()
	if err != nil {
		return nil, err
	}
	if _, again := ops[p.tok]; again {
		return nil, p.errorf("a second comparison in a row; join comparisons with && or ||")
	}
	return func(v []float64) float64 { return op(left(v), right(v)) }, nil
}

func (p *exprParser) sum() (node, error) {
	return p.chain(p.product, map[string]func(a, b float64) float64{
		"+": func(a, b float64) float64 { return a + b },
		"-": func(a, b float64) float64 { return a - b },
	})
}

func (p *exprParser) product() (node, error) {
	return p.chain(p.unary, map[string]func(a, b float64) float64{
		"*": func(a, b float64) float64 { return a * b },
		"/": func(a, b float64) float64 { return a / b },
	})
}

func (p *exprParser) unary() (node, error) {
	if p.tok != "-" && p.tok != "!" {
		return p.primary()
	}
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf("more than %d nested parts", maxDepth)
	}
	defer func() { p.depth-- }()
	op := p.tok
	p.next()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	if op == "-" {
		return func(v []float64) float64 { return -x(v) }, nil
	}
	return func(v []float64) float64 { return truth(x(v) == 0) }, nil
}

func (p *exprParser) primary() (node, error) {
	tok := p.tok
	switch {
	case tok == "":
		return nil, p.errorf("the expression ends where a value is expected")
	case tok == "(":
		p.next()
		x, err := p.or()
		if err != nil {
			return nil, err
		}
		return x, p.closing()
	case isDigit(tok[0]) || tok[0] == '.':
		x, err := strconv.ParseFloat(tok, 64)
		if err != nil {
			return nil, p.errorf("%q is no number", clip(tok))
		}
		p.next()
		return func([]float64) float64 { return x }, nil
	case !isName(tok[0]):
		return nil, p.errorf("%q where a value is expected", tok)
	}
	return p.name(tok)
}

func (p *exprParser) closing() error {
	if p.tok != ")" {
		return p.errorf("%q where a closing parenthesis is expected", p.tok)
	}
	p.next()
	return nil
}

// name is a function or a column.
func (p *exprParser) name(tok string) (node, error) {
	for i, c := range p.columns {
		if c == tok {
			p.next()
			p.use = append(p.use, i)
			return func(v []float64) float64 { return v[i] }, nil
		}
	}
	at := p.from
	p.next()
	if p.tok == "(" {
		switch tok {
		case "abs":
			return p.call(1, func(a, _ float64) float64 { return math.Abs(a) })
		case "min":
			return p.call(2, math.Min)
		case "max":
			return p.call(2, math.Max)
		}
	}
	p.from = at
	return nil, p.errorf("unknown column %q: must be one of %s, and the functions abs, min, max", clip(tok),
		strings.Join(p.columns, ", "))
}

func (p *exprParser) call(args int, f func(a, b float64) float64) (node, error) {
	p.next()
	a, err := p.or()
	if err != nil {
		return nil, err
	}
	b := a
	if args == 2 {
		if p.tok != "," {
			return nil, p.errorf("%q where a comma is expected: must be two arguments", p.tok)
		}
		p.next()
		if b, err = p.or(); err != nil {
			return nil, err
		}
	}
	return func(v []float64) float64 { return f(a(v), b(v)) }, p.closing()
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
