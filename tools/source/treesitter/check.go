package treesitter

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// rules are checks that a grammar does not make. The zero value checks only the syntax.
type rules struct {
	// query captures names as @word and names that may be reserved words as @label, and nodes that the language does not allow as
	// @wrong. Expressions are @operand if white space after the operator that they begin with is wrong. For languages with
	// indentation it captures statements as @statement, with the node around them as @block. For conflicts it captures strings and
	// comments as @text. For Ruby it captures operators that cannot begin a line as @infix, methods as @method, those that forward
	// their arguments as @forwarding too, and "..." among the arguments of a call as @forward.
	query string
	// reserved are words that no @word can be unless it is a @label as well.
	reserved []string
	// indented says that the statements of a block begin in one column, and that no block is empty.
	indented bool
	// conflicts says that the grammar reads the marks of a merge conflict as operators.
	conflicts bool
}

// commonReserved are words that are reserved in Java, C# and Scala.
var commonReserved = []string{"else", "if", "for", "while", "do", "case", "return", "try", "catch", "finally", "class"}

// rulesOf returns the rules of a language. Tree-sitter reads a reserved word as a name wherever the grammar expects a name alone.
func rulesOf(lang source.Language) *rules {
	switch lang {
	case source.C:
		return &rules{query: "[(identifier) (type_identifier)] @word", reserved: []string{"else", "if", "for", "while", "do", "case", "return", "switch", "goto", "break", "continue"}}
	case source.CPP:
		return &rules{query: "[(identifier) (type_identifier)] @word", reserved: []string{"else", "if", "for", "while", "do", "case", "return", "switch", "goto", "break", "continue", "try", "catch", "class", "namespace", "template"}}
	case source.Java:
		return &rules{query: "[(identifier) (type_identifier)] @word", reserved: append([]string{"switch", "break", "continue", "throw", "throws", "extends", "implements"}, commonReserved...)}
	case source.CSharp:
		return &rules{query: "(identifier) @word", reserved: append([]string{"foreach", "switch", "break", "continue", "throw"}, commonReserved...)}
	case source.Scala:
		return &rules{query: "(identifier) @word (field_expression field: (identifier) @label) [(string) (interpolated_string) (comment) (block_comment)] @text", reserved: append([]string{"def", "val", "var", "extends", "match", "yield", "object"}, commonReserved...), conflicts: true}
	case source.Swift:
		return &rules{
			query: "[(comment)(multiline_comment)(multi_line_string_literal)(raw_string_literal)]@text (call_expression . (simple_identifier) @word)" +
				" [(prefix_expression) (multiplicative_expression) (additive_expression) (comparison_expression) (equality_expression) (infix_expression)] @operand",
			reserved:  []string{"else", "catch", "case", "guard", "switch", "while", "return", "func", "let", "var", "class", "struct", "enum"},
			conflicts: true,
		}
	case source.Kotlin:
		return &rules{query: "(identifier) @word", reserved: []string{"else", "if", "for", "while", "do", "when", "return", "try", "throw", "fun", "val", "var", "is", "in"}}
	case source.JavaScript, source.TypeScript, source.TSX:
		return &rules{query: repeatedCommas("arguments", "(") + repeatedCommas("object", "{") + repeatedCommas("object_pattern", "{")}
	case source.Ruby:
		return &rules{
			query: "(identifier) @word (call receiver: (_) method: (identifier) @label) (method name: (identifier) @label)" +
				" (singleton_method name: (identifier) @label) (setter name: (identifier) @label) (keyword_parameter name: (identifier) @label) (alias (identifier) @label) (undef (identifier) @label)" +
				rubyForwards + rubyInfix,
			reserved: []string{"end", "else", "elsif", "when", "then", "do", "def", "class", "module", "begin", "rescue", "ensure", "if", "unless", "while", "until", "case", "for"},
		}
	case source.Rust: // the grammar accepts let beside functions
		return &rules{query: "(source_file (let_declaration \"let\" @word)) (declaration_list (let_declaration \"let\" @word))", reserved: []string{"let"}}
	case source.Python:
		return &rules{query: "(module (_) @statement) @block (block) @block (block (_) @statement) @block (assignment right: (assignment type: (_)) @wrong)", indented: true}
	}
	return &rules{}
}

// repeatedCommas returns the query for a comma after another one or after the opening bracket of a node. The grammar of JavaScript
// reads the elements of its lists as optional.
func repeatedCommas(node, open string) string {
	return fmt.Sprintf("(%[1]s \",\" . \",\" @wrong) (%[1]s %[2]q . \",\" @wrong) ", node, open)
}

// The roles of the captures of rules.
const (
	roleWord role = 128 + iota
	roleLabel
	roleBlock
	roleStatement
	roleText
	roleWrong
	roleOperand
	roleInfix
	roleMethod
	roleForwarding
	roleForward
)

// queries returns the query of the rules in the place of that for declarations. The query for calls stays empty.
func (r *rules) queries() (all [queries]query) {
	q := query{text: r.query}
	known := map[string]role{"word": roleWord, "label": roleLabel, "block": roleBlock, "statement": roleStatement, "text": roleText, "wrong": roleWrong, "operand": roleOperand,
		"infix": roleInfix, "method": roleMethod, "forwarding": roleForwarding, "forward": roleForward}
	for _, name := range captures(r.query) {
		if role := known[name]; !slices.Contains(q.roles, role) {
			q.roles = append(q.roles, role)
		}
	}
	all[declarations] = q
	return all
}

// Check implements source.Checker. It fails as Parse does.
func (p *Parser) Check(ctx context.Context, src []byte, lang source.Language) ([]source.Problem, error) {
	e, ok := p.checkers[lang]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w %q", source.ErrLanguage, lang)
	case len(src) > source.MaxSource:
		return nil, source.ErrTooLong
	}
	f, err := e.read(ctx, src, source.Options{})
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", lang, err)
	}
	c := checkRun{src: src, rules: e.rules}
	if err := c.read(f); err != nil {
		return nil, fmt.Errorf("checking %s: %w", lang, err)
	}
	return c.problems, nil
}

// checkRun collects the problems of one text.
type checkRun struct {
	src      []byte
	rules    *rules
	problems []source.Problem

	words, labels, blocks, texts []span
	statements                   []statement
	forwards                     forwards
}

// statement is a statement or a comment with the block that contains it.
type statement struct{ block, at span }

func (c *checkRun) read(f *found) error {
	for _, p := range f.problems[:min(len(f.problems), source.MaxProblems)] {
		if !inText(p.start, p.end, len(c.src)) {
			return errTrap
		}
		b := builder{src: c.src}
		c.add(int32(p.start), b.message(p))
	}
	if f.wrong && len(f.problems) == 0 {
		c.problems = append(c.problems, source.Problem{Message: "the syntax is wrong at a place that the grammar does not name"})
	}
	if err := c.captures(f.matches[declarations], f.code.queries[declarations].roles); err != nil {
		return err
	}
	slices.SortFunc(c.words, bySpan)
	labels := make(map[span]bool, len(c.labels))
	for _, l := range c.labels {
		labels[l] = true
	}
	for _, w := range c.words {
		if word := string(c.src[w.start:w.end]); slices.Contains(c.rules.reserved, word) && !labels[w] {
			c.add(w.start, "misplaced "+word)
		}
	}
	for _, at := range c.forwards.misplaced() {
		c.add(at.start, "the method has no parameter \"...\" to forward")
	}
	if c.rules.indented {
		c.indentation()
	}
	if c.rules.conflicts {
		c.conflict()
	}
	return nil
}

func bySpan(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) }

// captures stores the spans of the query's matches. The format of flat is that of found.matches.
func (c *checkRun) captures(flat []uint32, roles []role) error {
	for len(flat) > 0 {
		if len(flat) < 2 || flat[1] > uint32(len(flat)-2)/4 {
			return errTrap
		}
		match := flat[2 : 2+4*int(flat[1])]
		flat = flat[2+len(match):]
		s := statement{block: none, at: none}
		for at := match; len(at) > 0; at = at[4:] {
			if int(at[0]) >= len(roles) || !inText(at[2], at[3], len(c.src)) {
				return errTrap
			}
			found := span{int32(at[2]), int32(at[3])}
			switch roles[at[0]] {
			case roleWord:
				c.words = append(c.words, found)
			case roleLabel:
				c.labels = append(c.labels, found)
			case roleBlock:
				s.block = found
			case roleStatement:
				s.at = found
			case roleText:
				c.texts = append(c.texts, found)
			case roleWrong:
				c.add(found.start, "the syntax is wrong at: "+string(c.src[found.start:found.end]))
			case roleOperand:
				c.operand(found)
			case roleInfix:
				c.infix(found)
			case roleMethod:
				c.forwards.methods = append(c.forwards.methods, found)
			case roleForwarding:
				c.forwards.forwarding = append(c.forwards.forwarding, found)
			case roleForward:
				c.forwards.arguments = append(c.forwards.arguments, found)
			}
		}
		switch {
		case s.at.is():
			c.statements = append(c.statements, s)
		case s.block.is():
			c.blocks = append(c.blocks, s.block)
		}
	}
	return nil
}

// operand finds an expression that begins with an operator and white space. The marks of a merge conflict are seven characters.
func (c *checkRun) operand(at span) {
	text := c.src[at.start:at.end]
	rest := bytes.TrimLeft(text, "+-*/%<>=!&|^~?")
	operator := text[:len(text)-len(rest)]
	if len(operator) > 0 && len(operator) < 7 && len(rest) > 0 && bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0 {
		c.add(at.start, "an operand is missing at: "+string(operator))
	}
}

// indentation finds blocks without statements, and statements that begin in another column than the first of their block.
// A statement behind another one, or on a line that continues the line before it, has no column.
func (c *checkRun) indentation() {
	slices.SortFunc(c.statements, func(a, b statement) int { return bySpan(a.at, b.at) })
	column := make(map[span]int)
	line := c.lineAt(0)
	last := 0 // the start of the last statement
	for _, s := range c.statements {
		start := int(s.at.start)
		if newline := bytes.LastIndexByte(c.src[last:start], '\n'); newline >= 0 {
			line = c.lineAt(last + newline + 1)
			line.continued = line.continued && c.src[last] != '#' // a backslash of a comment continues nothing
		}
		last = start
		first, known := column[s.block]
		switch inline := start > line.code || line.continued; {
		case start < len(c.src) && c.src[start] == '#':
		case !known && inline:
			column[s.block] = -1 // the first statement is on the block's own line
		case !known:
			column[s.block] = line.column
		case first != line.column && !inline:
			c.add(s.at.start, "the indentation is not that of the block")
		}
	}
	for _, b := range c.blocks {
		if _, ok := column[b]; !ok {
			c.add(b.start, "a block is empty")
		}
	}
}

// columnOf is the width of an indentation whose tabs lead to multiples of eight.
func columnOf(indent []byte) int {
	column := 0
	for _, b := range indent {
		switch b {
		case '\t':
			column += 8 - column%8
		case ' ':
			column++
		}
	}
	return column
}

// indentedLine is a line with the start of its code and the column of that.
type indentedLine struct {
	code, column int
	continued    bool // the line before it ends in a backslash
}

// lineAt returns the line that begins at start.
func (c *checkRun) lineAt(start int) indentedLine {
	before := bytes.TrimSuffix(bytes.TrimSuffix(c.src[:start], []byte("\n")), []byte("\r"))
	rest := bytes.TrimPrefix(c.src[start:], []byte("\ufeff"))
	code := bytes.TrimLeft(rest, " \t\f")
	return indentedLine{
		code: len(c.src) - len(code), column: columnOf(rest[:len(rest)-len(code)]),
		continued: bytes.HasSuffix(before, []byte("\\")),
	}
}

// add stores a problem, up to source.MaxProblems: the number of its line costs a pass over the text.
func (c *checkRun) add(at int32, message string) {
	if len(c.problems) >= source.MaxProblems {
		return
	}
	line := int32(bytes.Count(c.src[:at], []byte("\n"))) + 1
	c.problems = append(c.problems, source.Problem{Line: line, Message: strings.TrimSpace(message)})
}

// conflict finds the first mark of a merge conflict at the beginning of a line, outside of strings and comments. Git writes the marks
// without indentation, but a replacement may have been indented since.
func (c *checkRun) conflict() {
	slices.SortFunc(c.texts, bySpan)
	at := 0
	texts, textEnd := c.texts, 0
	for line := range bytes.Lines(c.src) {
		for len(texts) > 0 && int(texts[0].start) < at {
			textEnd = max(textEnd, int(texts[0].end))
			texts = texts[1:]
		}
		if at >= textEnd && isConflictMark(bytes.TrimSpace(line)) {
			c.add(int32(at), "a merge conflict that is not resolved")
			return
		}
		at += len(line)
	}
}

// isConflictMark reports whether a line is a mark that Git writes around the versions of a conflict.
func isConflictMark(line []byte) bool {
	return bytes.Equal(line, []byte("=======")) || bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> "))
}
