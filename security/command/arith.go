package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic is the decimal value of an expression, if it is known.
func (r *reader) arithmetic(x syntax.ArithmExpr) (string, bool) {
	n, ok := r.compute(x)
	return strconv.FormatInt(n, 10), ok
}

// number is a small value of an expression.
func (r *reader) number(x syntax.ArithmExpr) (int, bool) {
	n, ok := r.compute(x)
	return int(min(max(n, -maxScript), maxScript)), ok
}

func (r *reader) compute(x syntax.ArithmExpr) (n int64, ok bool) {
	r.deeper(func() {
		switch x := x.(type) {
		case *syntax.Word:
			n, ok = r.numeral(r.text(x))
		case *syntax.ParenArithm:
			n, ok = r.compute(x.X)
		case *syntax.UnaryArithm:
			n, ok = r.unary(x)
		case *syntax.BinaryArithm:
			n, ok = r.binary(x)
		}
	})
	return n, ok
}

// numeral is the value of a number or of a variable with one.
func (r *reader) numeral(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	for range 8 { // a variable can name another one
		if text == "" {
			return 0, true
		}
		if base, digits, ok := strings.Cut(text, "#"); ok {
			radix, err := strconv.Atoi(base)
			if err != nil || radix < 2 || radix > 36 {
				return 0, false
			}
			n, err := strconv.ParseInt(digits, radix, 64)
			return n, err == nil
		}
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return n, true
		}
		v, ok := r.lookup(text)
		if !ok || v.array || len(v.values) != 1 || !known(v.values[0]) {
			return 0, false
		}
		text = v.values[0]
	}
	return 0, false
}

func (r *reader) unary(x *syntax.UnaryArithm) (int64, bool) {
	n, ok := r.compute(x.X)
	before := n
	switch x.Op {
	case syntax.Minus:
		return -n, ok
	case syntax.Not:
		return truth(n == 0), ok
	case syntax.BitNegation:
		return ^n, ok
	case syntax.Inc:
		n++
	case syntax.Dec:
		n--
	default:
		return n, ok
	}
	r.assign(x.X, n, ok)
	if x.Post {
		return before, ok
	}
	return n, ok
}

// assign gives the variable that an expression names a new value.
func (r *reader) assign(x syntax.ArithmExpr, n int64, ok bool) {
	word, isWord := x.(*syntax.Word)
	if !isWord || word.Lit() == "" {
		return
	}
	if ok {
		r.set(word.Lit(), scalar(strconv.FormatInt(n, 10)))
	} else {
		r.set(word.Lit(), scalar(inner))
	}
}

func (r *reader) binary(x *syntax.BinaryArithm) (int64, bool) {
	if x.Op == syntax.Assgn {
		n, ok := r.compute(x.Y)
		r.assign(x.X, n, ok)
		return n, ok
	}
	a, okA := r.compute(x.X)
	b, okB := r.compute(x.Y)
	op := x.Op
	switch x.Op {
	case syntax.AddAssgn:
		op = syntax.Add
	case syntax.SubAssgn:
		op = syntax.Sub
	case syntax.MulAssgn:
		op = syntax.Mul
	case syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		r.assign(x.X, 0, false)
		return 0, false
	}
	n, ok := calculate(op, a, b)
	ok = ok && okA && okB
	if op != x.Op {
		r.assign(x.X, n, ok)
	}
	return n, ok
}

func calculate(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return -a, b == -1 && op == syntax.Quo
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Shl:
		return a << (uint64(b) & 63), true
	case syntax.Shr:
		return a >> (uint64(b) & 63), true
	case syntax.Eql:
		return truth(a == b), true
	case syntax.Neq:
		return truth(a != b), true
	case syntax.Lss:
		return truth(a < b), true
	case syntax.Gtr:
		return truth(a > b), true
	case syntax.Comma:
		return b, true
	}
	return 0, false
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
