package treesitter

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// rules say what a language forbids and its grammar allows.
type rules struct {
	// query captures names as @word, names that may be reserved words as @label, and of languages with indentation the
	// statements as @statement, with the node around them as @block.
	query string
	// reserved are words that no @word can be unless it is a @label as well.
	reserved []string
	// indented says that the statements of a block begin in one column, and that no block is empty.
	indented bool
	// conflicts says that the grammar takes the marks of a merge conflict for operators.
	conflicts bool
}

// branches are words that are reserved in each language of rulesOf but Ruby and Python.
var branches = []string{"else", "if", "for", "while", "do", "case", "return", "try", "catch", "finally", "class"}

// rulesOf returns the rules of a language. Tree-sitter reads a reserved word as a name wherever the grammar expects a name alone.
func rulesOf(lang parse.Language) *rules {
	switch lang {
	case parse.C:
		return &rules{query: "[(identifier) (type_identifier)] @word", reserved: []string{"else", "if", "for", "while", "do", "case", "return", "switch", "goto", "break", "continue"}}
	case parse.CPP:
		return &rules{query: "[(identifier) (type_identifier)] @word", reserved: []string{"else", "if", "for", "while", "do", "case", "return", "switch", "goto", "break", "continue", "try", "catch", "class", "namespace", "template"}}
	case parse.Java:
		return &rules{query: "[(identifier) (type_identifier)] @word", reserved: append([]string{"switch", "break", "continue", "throw", "throws", "extends", "implements"}, branches...)}
	case parse.CSharp:
		return &rules{query: "(identifier) @word", reserved: append([]string{"foreach", "switch", "break", "continue", "throw"}, branches...)}
	case parse.Scala:
		return &rules{query: "(identifier) @word", reserved: append([]string{"def", "val", "var", "extends", "match", "yield", "object"}, branches...), conflicts: true}
	case parse.Swift:
		return &rules{conflicts: true}
	case parse.Ruby:
		return &rules{
			query: "(identifier) @word (call method: (identifier) @label) (method name: (identifier) @label)" +
				" (singleton_method name: (identifier) @label) (keyword_parameter name: (identifier) @label) (alias (identifier) @label) (undef (identifier) @label)",
			reserved: []string{"end", "else", "elsif", "when", "then", "do", "def", "class", "module", "begin", "rescue", "ensure", "if", "unless", "while", "until", "case", "for"},
		}
	case parse.Python:
		return &rules{query: "(module (_) @statement) @block (block) @block (block (_) @statement) @block", indented: true}
	}
	return &rules{}
}

// The roles of the captures of rules.
const (
	roleWord role = 128 + iota
	roleLabel
	roleBlock
	roleStatement
)

// split makes the queries of rules, which have no calls.
func (r *rules) split() (split [queries]query) {
	q := query{text: r.query}
	known := map[string]role{"word": roleWord, "label": roleLabel, "block": roleBlock, "statement": roleStatement}
	for _, name := range captures(r.query) {
		if role := known[name]; !slices.Contains(q.roles, role) {
			q.roles = append(q.roles, role)
		}
	}
	split[declarations] = q
	return split
}

// Check implements parse.Checker. The errors are those of Parse.
func (p *Parser) Check(ctx context.Context, src []byte, lang parse.Language) ([]parse.Problem, error) {
	e, ok := p.checkers[lang]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w %q", parse.ErrLanguage, lang)
	case len(src) > parse.MaxSource:
		return nil, parse.ErrTooLong
	}
	f, err := e.read(ctx, src, parse.Options{})
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", lang, err)
	}
	c := checked{src: src, rules: e.rules}
	if err := c.read(f); err != nil {
		return nil, fmt.Errorf("checking %s: %w", lang, err)
	}
	return c.problems, nil
}

// checked is what is found of one text.
type checked struct {
	src      []byte
	rules    *rules
	problems []parse.Problem

	words, labels, blocks []span
	statements            []statement
}

// statement is a statement or a comment with the block that it is in.
type statement struct{ block, at span }

func (c *checked) read(f *found) error {
	for _, p := range f.problems {
		if !inText(p.start, p.end, len(c.src)) {
			return errTrap
		}
		b := builder{src: c.src}
		c.add(int32(p.start), b.message(p))
	}
	if f.wrong && len(f.problems) == 0 {
		c.problems = append(c.problems, parse.Problem{Message: "the syntax is wrong at a place that the grammar does not name"})
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
	if c.rules.indented {
		c.indentation()
	}
	if c.rules.conflicts {
		c.conflict()
	}
	c.problems = c.problems[:min(len(c.problems), parse.MaxProblems)]
	return nil
}

func bySpan(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) }

// captures takes the matches of the query apart.
func (c *checked) captures(flat []uint32, roles []role) error {
	for len(flat) > 0 {
		if len(flat) < 2 || len(flat)-2 < 4*int(flat[1]) {
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

// indentation finds blocks without statements, and statements that begin in another column than the first of their block.
func (c *checked) indentation() {
	slices.SortFunc(c.statements, func(a, b statement) int { return cmp.Or(bySpan(a.block, b.block), bySpan(a.at, b.at)) })
	column := make(map[span]int)
	for _, s := range c.statements {
		line := bytes.LastIndexByte(c.src[:s.at.start], '\n') + 1
		indent := c.src[line:s.at.start]
		at := columnOf(indent)
		first, known := column[s.block]
		switch inline := len(bytes.Trim(bytes.TrimPrefix(indent, []byte("\ufeff")), " \t\f")) > 0; {
		case int(s.at.start) < len(c.src) && c.src[s.at.start] == '#':
		case !known && inline:
			column[s.block] = -1 // behind the colon
		case !known:
			column[s.block] = at
		case first != at && !inline:
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

func (c *checked) add(at int32, message string) {
	line := int32(bytes.Count(c.src[:at], []byte("\n"))) + 1
	c.problems = append(c.problems, parse.Problem{Line: line, Message: strings.TrimSpace(message)})
}

// conflict finds the first merge conflict: three marks at the beginnings of lines, in order.
func (c *checked) conflict() {
	marks := [][]byte{[]byte("<<<<<<< "), []byte("======="), []byte(">>>>>>> ")}
	at, first := 0, 0
	for line := range bytes.Lines(c.src) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), marks[0]) {
			if marks = marks[1:]; len(marks) == 2 {
				first = at
			}
		}
		if len(marks) == 0 {
			c.add(int32(first), "a merge conflict that is not resolved")
			return
		}
		at += len(line)
	}
}
