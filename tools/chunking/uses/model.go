package uses

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// maxBlocks is the maximum depth of nested blocks.
const maxBlocks = 200

// text is a file of a language that is read by its tokens.
type text struct {
	path     string
	src      string
	language source.Language
	keywords []string
	tokens   []lexeme
	blocks   []*block
	root     *block
	exports  map[string]*symbol
	stars    []string        // modules whose names are exported, too
	lambdas  map[int]*symbol // functions without a declared name, by their first token
	objects  map[int]*class  // object literals and literal types, by their opening brace
	module   span            // the value of module.exports
	pkg      string          // package of Java, or module of Python
	wild     []string        // imports of all names of a package or module
	symbols  []*symbol       // all of them
	imports  []span          // import statements, in order
	classes  []*class        // of Java, at the top level
	byToken  map[int][]*symbol
}

// span is a range of tokens.
type span struct{ from, to int }

func (s span) ok() bool { return s.to > s.from }

// block is a range of tokens with its own names.
type block struct {
	start, end int
	parent     *block
	names      map[string]*symbol
	class      *class    // of the members that the block contains
	fn         *function // of a body
	opaque     bool      // the block has its own "this"
	namespace  string    // the namespace whose body the block is
}

// symbolKind is the kind of a symbol.
type symbolKind uint8

const (
	symVariable symbolKind = iota
	symFunction
	symClass
	symImport
	symNamespace
	symAlias // name of a type
	symTypeParam
)

// origin is the way in which the type of a variable results from its value.
type origin uint8

const (
	wholeValue origin = iota
	elementOf         // variable of a loop
	memberOf          // part of a destructured value, by key
	indexOf           // part of a destructured value, by index
	enteredBy         // variable of a with statement
)

// symbol is a declared name.
type symbol struct {
	kind   symbolKind
	name   string
	text   *text
	token  int // of the name, or -1
	block  *block
	typ    span // declared type
	value  span
	values []span // further assigned values
	origin origin
	key    string // of a memberOf
	index  int

	part      bool // of several names that share the element or the value of origin
	shorthand bool // of an object: { name }
	self      bool // an instance of class

	fn     *function
	class  *class // of a symClass
	owner  *class // of a member
	static bool
	names  *block // of a symNamespace

	module, imported string // of a symImport: imported is "*" for all names
	next             *symbol
	resolving        bool
	known            bool
	cached           typ
	lambda           *symbol // the function of a parameter
}

// function is the signature of a function.
type function struct {
	params     []*symbol
	typeParams []string
	ret        span
	returns    []span
	async      bool
	generator  bool
	property   bool // read like a field
	block      *block
	rest       bool // the last parameter takes several arguments
}

// class is a class, an interface or an object literal.
type class struct {
	name       string
	symbol     *symbol
	text       *text
	bases      []span
	members    map[string]*symbol
	typeParams []string
	block      *block // around the class
	iface      bool
	literal    bool
}

// newText reads the tokens of a file.
func newText(path, src string, language source.Language) *text {
	f := &text{path: path, src: src, language: language, keywords: keywordsOf(language), exports: map[string]*symbol{}, lambdas: map[int]*symbol{}, objects: map[int]*class{}}
	f.tokens = tokenize(src, language)
	f.root = f.newBlock(0, len(f.tokens), nil)
	return f
}

func (f *text) newBlock(start, end int, parent *block) *block {
	b := &block{start: start, end: end, parent: parent, names: map[string]*symbol{}}
	f.blocks = append(f.blocks, b)
	return b
}

// at returns the text of a token, or "".
func (f *text) at(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	return f.src[f.tokens[i].start:f.tokens[i].end]
}

func (f *text) kind(i int) tokenKind {
	if i < 0 || i >= len(f.tokens) {
		return tokenSign
	}
	return f.tokens[i].kind
}

func (f *text) isName(i int) bool { return f.kind(i) == tokenName && i < len(f.tokens) && i >= 0 }

// pair returns the index of the other bracket, or -1.
func (f *text) pair(i int) int {
	if i < 0 || i >= len(f.tokens) {
		return -1
	}
	return int(f.tokens[i].match)
}

// after returns the index after the bracket that closes the one at i, or i+1.
func (f *text) after(i int) int {
	if m := f.pair(i); m > i {
		return m + 1
	}
	return i + 1
}

// newLine reports whether a token is the first of its line.
func (f *text) newLine(i int) bool {
	return i > 0 && i < len(f.tokens) && f.tokens[i].line != f.tokens[i-1].line
}

// opens reports whether a token is an opening bracket with a closing one.
func (f *text) opens(i int) bool { return f.pair(i) > i }

// closes reports whether a token is a closing bracket.
func (f *text) closes(i int) bool {
	switch f.at(i) {
	case ")", "]", "}":
		return true
	}
	return false
}

// declare adds a symbol to a block.
func (b *block) declare(s *symbol) *symbol {
	s.block = b
	s.text.symbols = append(s.text.symbols, s)
	if s.name != "" {
		s.next = b.names[s.name]
		b.names[s.name] = s
	}
	return s
}

// addMember adds a member to a class.
func (c *class) addMember(s *symbol) *symbol { return c.addNamed(s.name, s) }

// methodKey is the key of a method of Java, where a field can have the same name.
func methodKey(name string) string { return name + "()" }

func (c *class) addNamed(key string, s *symbol) *symbol {
	s.owner = c
	s.text = c.text
	c.text.symbols = append(c.text.symbols, s)
	if s.name != "" {
		s.next = c.members[key]
		c.members[key] = s
	}
	return s
}

// finish prepares the lookups by token.
func (f *text) finish() {
	f.byToken = make(map[int][]*symbol, len(f.symbols))
	for _, s := range f.symbols {
		if s.token >= 0 {
			f.byToken[s.token] = append(f.byToken[s.token], s)
		}
	}
	f.sortBlocks()
}

// sortBlocks prepares blockAt.
func (f *text) sortBlocks() {
	slices.SortStableFunc(f.blocks, func(a, b *block) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
}

// blockAt returns the innermost block of a token.
func (f *text) blockAt(i int) *block {
	n, _ := slices.BinarySearchFunc(f.blocks, i+1, func(b *block, i int) int { return b.start - i })
	if n == 0 {
		return f.root
	}
	for b := f.blocks[n-1]; b != nil; b = b.parent {
		if b.start <= i && i < b.end {
			return b
		}
	}
	return f.root
}

// tokenAt returns the index of the token at an offset, or -1.
func (f *text) tokenAt(offset int) int {
	n, ok := slices.BinarySearchFunc(f.tokens, int32(offset), func(t lexeme, o int32) int { return int(t.start - o) })
	if !ok {
		return -1
	}
	return n
}

// enclosingFunction returns the function around a block.
func enclosingFunction(b *block) *function {
	for ; b != nil; b = b.parent {
		if b.fn != nil {
			return b.fn
		}
		if b.class != nil {
			return nil
		}
	}
	return nil
}

// enclosingClass returns the class whose members a block contains.
func enclosingClass(b *block) *class {
	for ; b != nil; b = b.parent {
		if b.class != nil {
			return b.class
		}
		if b.opaque {
			return nil
		}
	}
	return nil
}

// skipAngle returns the index after angle brackets, or i if they do not close.
func (f *text) skipAngle(i int) int {
	depth := 0
	for j := i; j < len(f.tokens) && j < i+1_000; {
		switch f.at(j) {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return j + 1
			}
		case ";", ")", "]", "}", "&&", "||", "===", "==":
			return i
		}
		if f.opens(j) {
			j = f.after(j)
		} else {
			j++
		}
	}
	return i
}

// angleNames returns the names of type parameters.
func (f *text) angleNames(from, to int) []string {
	var names []string
	depth := 0
	for j := from; j < to; j++ {
		switch word := f.at(j); {
		case word == "<":
			depth++
		case word == ">":
			depth--
		case depth == 1 && f.isName(j) && (f.at(j-1) == "<" || f.at(j-1) == "," || f.at(j-1) == "const" && f.at(j-2) != ""):
			names = append(names, word)
		}
		if f.opens(j) {
			j = f.pair(j)
		}
	}
	return names
}

// unquote returns the content of a string token.
func unquote(s string) string {
	s = strings.TrimLeft(s, "rbfuRBFU")
	return strings.Trim(s, "\"'`")
}
