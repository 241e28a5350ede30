package modelfile

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Expr is a compiled expression over the columns of a log:
//
//	load1/cpus > 1            memory > 0.9 || cpu >= 0.95
//	max(disk, network) > 0.8  !(tasks < 4) && load1 - 1 > cpus
//	"CPU usage [%]" > 90      cpu - mean(cpu, 6)     role == 'web'
//
// with + - * /, comparisons (> >= < <= == !=), && || !, parentheses, numbers,
// column names and the functions min, max and abs, and over the rows of a node up to the
// newest lag(x, n), mean(x, n) and sd(x, n). A name that is a column is that column, whatever
// it holds; any name may stand in double quotes. A text column is compared with a text in
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
	p := &exprParser{text: text, space: s}
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

// exprParser is a recursive descent over tokens; depth bounds the recursion.
type exprParser struct {
	text   string
	space  *Space
	at     int // behind the current token
	from   int // beginning of the current token
	tok    string
	column int // of the token, -1 if it is none
	depth  int
	use    []int
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
	if p.column = p.space.longest(p.text[p.at:]); p.column >= 0 {
		p.at += len(p.space.Columns[p.column])
		p.tok = p.text[p.from:p.at]
		return
	}
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
	case c == '"' || c == '\'':
		if end := strings.IndexByte(p.text[p.at+1:], c); end >= 0 {
			p.at += end + 2
		} else {
			p.at = len(p.text)
		}
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
	case p.column >= 0:
		return p.value(p.column)
	case tok == "":
		return nil, p.errorf("the expression ends where a value is expected")
	case tok[0] == '"':
		c := slices.Index(p.space.Columns, strings.Trim(tok, `"`))
		if c < 0 {
			return nil, p.unknown(strings.Trim(tok, `"`))
		}
		return p.value(c)
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
	return p.function(tok)
}

func (p *exprParser) closing() error {
	if p.tok != ")" {
		return p.errorf("%q where a closing parenthesis is expected", p.tok)
	}
	p.next()
	return nil
}

func (p *exprParser) unknown(name string) error {
	return p.errorf("unknown column %q: must be one of %s, and the functions abs, min, max, lag, mean, sd", clip(name),
		strings.Join(p.space.Columns, ", "))
}

// value is a column; one of texts only with its comparison.
func (p *exprParser) value(c int) (node, error) {
	p.next()
	p.use = append(p.use, c)
	if !slices.Contains(p.space.Texts, p.space.Columns[c]) {
		return func(v []float64) float64 { return v[c] }, nil
	}
	equal := p.tok == "=="
	if !equal && p.tok != "!=" {
		return nil, p.errorf("column %q holds texts: must be compared by == or != with a text in single quotes",
			clip(p.space.Columns[c]))
	}
	p.next()
	if len(p.tok) < 2 || p.tok[0] != '\'' || p.tok[len(p.tok)-1] != '\'' {
		return nil, p.errorf("%q where a text in single quotes is expected", p.tok)
	}
	want := TextValue(p.tok[1 : len(p.tok)-1])
	p.next()
	return func(v []float64) float64 { return truth((v[c] == want) == equal) }, nil
}

// function is one with its arguments.
func (p *exprParser) function(tok string) (node, error) {
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
		case "lag", "mean", "sd":
			return p.window(tok)
		}
	}
	p.from = at
	return nil, p.unknown(tok)
}

// window is a function over a node's rows up to the newest: a column that the space computes.
func (p *exprParser) window(kind string) (node, error) {
	before := len(p.use)
	p.next()
	from := p.from
	x, err := p.or()
	if err != nil {
		return nil, err
	}
	inner := &Expr{text: strings.TrimSpace(p.text[from:p.from]), root: x, use: slices.Clone(p.use[before:])}
	if p.tok != "," {
		return nil, p.errorf("%q where a comma is expected: must be two arguments", p.tok)
	}
	p.next()
	rows, err := strconv.Atoi(p.tok)
	if err != nil || rows < 1 || rows > mostRows {
		return nil, p.errorf("%q rows: must be a whole number from 1 to %d", p.tok, mostRows)
	}
	p.next()
	c := p.space.window(kind, inner, rows)
	p.use = append(p.use[:before], c)
	return func(v []float64) float64 { return v[c] }, p.closing()
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

// clip shortens what is quoted in messages.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
