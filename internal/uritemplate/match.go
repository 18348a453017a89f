package uritemplate

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Matcher finds the variables of a template in a URI. It does not change and may
// be used by several goroutines at once.
type Matcher struct {
	prefix  string // prefix of every matching URI
	pattern *regexp.Regexp
	groups  []group // of the pattern
}

// group describes the capture of one group of the pattern.
type group struct {
	variable variable            // when there is one
	sep      string              // between values, when the group holds several
	names    map[string]variable // of a group of name=value pairs
}

// Matcher returns a Matcher for URIs of the template, or the reason that none exists.
//
// Every variable must be present and not empty, except the variables of {?…}, {&…} and {;…}: these may be absent or
// empty, in any order. A value extends to the separator or reserved character after its variable in the template. If
// unreserved text follows, such as the dot in {name}.{ext}, it extends to the last occurrence of that text. A value
// contains no unencoded slash, question mark or number sign, except the values of {+…} and {#…}.
func (t *Template) Matcher() (*Matcher, error) {
	b := builder{m: new(Matcher), seen: make(map[string]bool)}
	for i := 0; i < len(t.parts); i++ {
		var err error
		if p := t.parts[i]; p.op == nil {
			err = b.literal(p.literal)
		} else {
			i, err = b.expression(t.parts, i)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(t.parts) > 0 {
		b.m.prefix = asciiPrefix(t.parts[0].literal)
	}
	var err error
	if b.m.pattern, err = regexp.Compile(`\A(?s:` + b.text.String() + `)\z`); err != nil {
		return nil, fmt.Errorf("compiling the template: %w", err)
	}
	return b.m, nil
}

// Match returns the values of the template's variables in uri, percent-decoded;
// false if uri does not match, or if a value is not text: not valid UTF-8, or
// with a zero byte.
func (m *Matcher) Match(uri string) (map[string][]string, bool) {
	if !strings.HasPrefix(uri, m.prefix) {
		return nil, false
	}
	found := m.pattern.FindStringSubmatchIndex(uri)
	if found == nil {
		return nil, false
	}
	values := make(map[string][]string, len(m.groups))
	for i, g := range m.groups {
		start, end := found[2*i+2], found[2*i+3]
		if start >= 0 && !g.read(uri[start:end], values) {
			return nil, false
		}
	}
	return values, true
}

// read adds the values in a group's text.
func (g *group) read(text string, values map[string][]string) bool {
	if g.names != nil {
		return g.readPairs(text, values)
	}
	raw := []string{text}
	if g.sep != "" {
		raw = strings.Split(strings.TrimPrefix(text, g.sep), g.sep)
	}
	for _, one := range raw {
		value, ok := decode(one)
		if !ok {
			return false
		}
		values[g.variable.name] = append(values[g.variable.name], value)
	}
	return true
}

func (g *group) readPairs(text string, values map[string][]string) bool {
	for pair := range strings.SplitSeq(text, g.sep) {
		if pair == "" {
			continue
		}
		name, raw, _ := strings.Cut(pair, "=")
		v, known := g.names[name]
		value, ok := decode(raw)
		if !known || !ok || len(values[name]) > 0 && !v.explode {
			return false
		}
		values[name] = append(values[name], value)
	}
	return true
}

// decode resolves the triplets of a value.
func decode(raw string) (string, bool) {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '%' {
			if !isTriplet(raw[i:]) {
				return "", false
			}
			c = unhex(raw[i+1])<<4 | unhex(raw[i+2])
			i += 2
		}
		if c == 0 {
			return "", false
		}
		out = append(out, c)
	}
	return string(out), utf8.Valid(out)
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

// builder makes the pattern of a template.
type builder struct {
	m     *Matcher
	text  strings.Builder
	seen  map[string]bool // names
	value bool            // the last thing was a value
	query bool            // there was a {?…} or {&…}: only a fragment may follow
}

func (b *builder) literal(text string) error {
	if b.query && text[0] != '#' {
		return fmt.Errorf("%q follows a query; only a fragment can", text)
	}
	b.value, b.query = false, false
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.text.WriteString(regexp.QuoteMeta(string(r)))
			continue
		}
		fmt.Fprintf(&b.text, "(?:%c|(?i:%s))", r, appendEncoded(nil, string(r), false))
	}
	return nil
}

// expression adds the expression parts[i], and the continuations of its query.
// It returns the index of the last one added.
func (b *builder) expression(parts []part, i int) (last int, err error) {
	p := parts[i]
	if b.query && p.op.symbol != "#" {
		return i, fmt.Errorf("{%s…} follows a query; only a fragment can", p.op.symbol)
	}
	if b.value && p.op.first == "" {
		return i, fmt.Errorf("no text before {%s%s} marks the end of the preceding value", p.op.symbol, p.vars[0].name)
	}
	b.query = false
	if p.op.named {
		return b.pairs(parts, i)
	}
	for j, v := range p.vars {
		if err := b.add(v, p.op); err != nil {
			return i, err
		}
		before, after := p.op.first, ending{char: p.op.sep}
		if j > 0 {
			before = p.op.sep
		}
		if j == len(p.vars)-1 {
			after = following(parts, i)
		}
		b.text.WriteString(valuePattern(p.op, v, regexp.QuoteMeta(before), after))
		g := group{variable: v}
		if v.explode {
			g.sep = p.op.sep
		}
		b.m.groups = append(b.m.groups, g)
	}
	b.value = true
	return i, nil
}

// add records a variable. It returns an error for a variable whose value cannot be matched.
func (b *builder) add(v variable, op *operator) error {
	switch {
	case b.seen[v.name]:
		return fmt.Errorf("the variable %q occurs twice", v.name)
	case v.prefix > 0:
		return fmt.Errorf("of %s:%d only the beginning is in a URI; the value cannot be found again", v.name, v.prefix)
	case v.explode && (op.reserved || op.symbol == "."):
		return fmt.Errorf("the values of {%s%s*} may contain their separator, %q, so they are ambiguous", op.symbol, v.name, op.sep)
	}
	b.seen[v.name] = true
	return nil
}

// ending is the character that may end a value.
type ending struct {
	char   string // empty at the end of the template
	absent bool   // the part that begins with it may be absent
}

// following returns the end of the value before parts[i+1].
func following(parts []part, i int) ending {
	if i+1 == len(parts) {
		return ending{}
	}
	if next := parts[i+1]; next.op != nil {
		return ending{char: next.op.first, absent: next.op.named}
	}
	return ending{char: parts[i+1].literal[:1]}
}

// valuePattern is the pattern of one value, or of several.
func valuePattern(op *operator, v variable, before string, after ending) string {
	if op.reserved {
		// The value may contain any character except the beginning of an optional part.
		if !after.absent {
			after.char = ""
		}
		return before + "(" + oneOf(after.char) + ")"
	}
	excluded := "/?#"
	if after.char != "" && isReserved(after.char[0]) {
		excluded += after.char
	}
	if !v.explode {
		return before + "(" + oneOf(excluded) + ")"
	}
	if op.first == "" {
		item := oneOf(excluded + op.sep)
		return "(" + item + "(?:" + op.sep + item + ")*)"
	}
	return "((?:" + before + oneOf(excluded) + ")+)"
}

// oneOf is the pattern of a value without the excluded characters. A triplet is
// not torn apart.
func oneOf(excluded string) string {
	return "(?:%[0-9A-Fa-f]{2}|[^%" + regexp.QuoteMeta(excluded) + "])+"
}

// pairs adds an expression of name=value pairs.
func (b *builder) pairs(parts []part, i int) (last int, err error) {
	op := parts[i].op
	g := group{sep: op.sep, names: make(map[string]variable)}
	last = i
	if op.sep == "&" {
		for last+1 < len(parts) && parts[last+1].op == operators['&'] {
			last++
		}
		b.query = true
	}
	for _, p := range parts[i : last+1] {
		for _, v := range p.vars {
			if err := b.add(v, p.op); err != nil {
				return i, err
			}
			g.names[v.name] = v
		}
	}
	switch op.symbol {
	case ";":
		b.text.WriteString(`((?:;[^/?#;]*)*)`)
	case "?":
		b.text.WriteString(`(?:\?([^#]*))?`)
	default:
		b.text.WriteString(`(?:&([^#]*))?`)
	}
	b.m.groups = append(b.m.groups, g)
	b.value = op.symbol == ";"
	return last, nil
}

// asciiPrefix is the text up to the first character that may be encoded or not.
func asciiPrefix(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return text[:i]
		}
	}
	return text
}
