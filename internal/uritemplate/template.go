// Package uritemplate reads URI templates (RFC 6570). [Parse] returns a [Template],
// which works in both directions: [Template.Expand] makes a URI from the values of
// the variables, and a [Matcher] finds the values of the variables in a URI.
//
// A value is a text. The value of an exploded variable, {list*}, is a list of texts.
// There are no associative arrays.
package uritemplate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a template.
const (
	maxText      = 2048 // bytes
	maxVariables = 64
	maxPrefix    = 9999 // RFC 6570 §2.4.1
)

// Template is a parsed template. It is immutable.
type Template struct {
	text  string
	parts []part
}

// part is literal text, or an expression when op is not nil.
type part struct {
	literal string
	op      *operator
	vars    []variable
}

// variable is a variable of an expression, with its modifier.
type variable struct {
	name    string
	explode bool // {name*}: a list of values
	prefix  int  // {name:3}: the maximum number of characters of the value; 0 for no limit
}

// operator is the first character of an expression, and determines its expansion and
// matching (RFC 6570, appendix A).
type operator struct {
	symbol   string
	first    string // text before the first value
	sep      string // text between values
	named    bool   // each value is written as name=value
	ifEmpty  string // text after the name if the value is empty: {?a} gives "?a=", {;a} gives ";a"
	reserved bool   // reserved characters, and triplets such as %2F, are not encoded
}

// operators are the supported operators. Expand depends only on these fields; the Matcher
// also treats "#", ".", ";" and others specially.
var operators = map[byte]*operator{
	'+': {symbol: "+", sep: ",", reserved: true},
	'#': {symbol: "#", first: "#", sep: ",", reserved: true},
	'.': {symbol: ".", first: ".", sep: "."},
	'/': {symbol: "/", first: "/", sep: "/"},
	';': {symbol: ";", first: ";", sep: ";", named: true},
	'?': {symbol: "?", first: "?", sep: "&", named: true, ifEmpty: "="},
	'&': {symbol: "&", first: "&", sep: "&", named: true, ifEmpty: "="},
}

// simple stands for the missing operator of {name}.
var simple = &operator{sep: ","}

// Variable is a variable of a template.
type Variable struct {
	Name string
	List bool // the variable is exploded; its value is a list
}

// Parse parses a template of at most 2048 bytes and 64 variables.
func Parse(text string) (*Template, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the template has %d bytes; at most %d are allowed", len(text), maxText)
	}
	t := &Template{text: text}
	count := 0
	for rest := text; rest != ""; {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			open = len(rest)
		}
		if err := checkLiteral(rest[:open]); err != nil {
			return nil, err
		}
		if open > 0 {
			t.parts = append(t.parts, part{literal: rest[:open]})
		}
		if rest = rest[open:]; rest == "" {
			break
		}
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return nil, errors.New("a brace is opened and not closed")
		}
		p, err := parseExpression(rest[1:end])
		if err != nil {
			return nil, fmt.Errorf("the expression %s: %w", rest[:end+1], err)
		}
		if count += len(p.vars); count > maxVariables {
			return nil, fmt.Errorf("the template has more than %d variables", maxVariables)
		}
		t.parts = append(t.parts, p)
		rest = rest[end+1:]
	}
	return t, nil
}

// checkLiteral refuses characters that a URI cannot contain (RFC 6570 §2.1). The apostrophe is allowed by erratum
// 6937.
func checkLiteral(text string) error {
	for i, r := range text {
		switch {
		case r == '}':
			return errors.New("a brace is closed and not opened")
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return errors.New("the template is not valid UTF-8")
		case r <= ' ', r == 0x7f, strings.ContainsRune("\"<>\\^`|", r):
			return fmt.Errorf("the character %q must be percent-encoded", r)
		case r == '%' && !isTriplet(text[i:]):
			return errors.New("a percent sign must be followed by two hexadecimal digits")
		}
	}
	return nil
}

func parseExpression(inside string) (part, error) {
	p := part{op: simple}
	if inside == "" {
		return p, errors.New("is empty")
	}
	if op := operators[inside[0]]; op != nil {
		p.op, inside = op, inside[1:]
	} else if strings.IndexByte("=,!@|", inside[0]) >= 0 {
		return p, fmt.Errorf("the operator %q is reserved", inside[0])
	}
	for spec := range strings.SplitSeq(inside, ",") {
		v, err := parseVariable(spec)
		if err != nil {
			return p, err
		}
		p.vars = append(p.vars, v)
	}
	return p, nil
}

func parseVariable(spec string) (variable, error) {
	var v variable
	name, prefix, prefixed := strings.Cut(spec, ":")
	if prefixed {
		n, err := strconv.Atoi(prefix)
		if err != nil || n < 1 || n > maxPrefix || prefix[0] < '1' { // a sign or a leading zero, which Atoi allows
			return v, fmt.Errorf("the length %q is not a number from 1 to %d", prefix, maxPrefix)
		}
		v.prefix = n
	} else {
		name, v.explode = strings.CutSuffix(name, "*")
	}
	if v.name = name; !isName(name) {
		return v, fmt.Errorf("%q is not a name of letters, digits, underscores and dots", name)
	}
	return v, nil
}

// isName reports whether s is a varname (RFC 6570 §2.3).
func isName(s string) bool {
	if s == "" || s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlphanumeric(c), c == '_', c == '.':
		case c == '%' && isTriplet(s[i:]):
			i += 2
		default:
			return false
		}
	}
	return true
}

// String returns the text of the template.
func (t *Template) String() string { return t.text }

// Variables returns the variables of the template in order.
func (t *Template) Variables() []Variable {
	var all []Variable
	for _, p := range t.parts {
		for _, v := range p.vars {
			all = append(all, Variable{Name: v.name, List: v.explode})
		}
	}
	return all
}

// Literals returns the number of bytes outside of expressions. Of several templates that
// match a URI, the one with the most is the most specific.
func (t *Template) Literals() int {
	n := 0
	for _, p := range t.parts {
		n += len(p.literal)
	}
	return n
}
