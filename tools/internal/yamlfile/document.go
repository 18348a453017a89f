package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dougu-go/dougu/tools/config"
)

// Errors of changes, for errors.Is.
var (
	// ErrNoPlace reports a path that does not exist in the document.
	ErrNoPlace = errors.New("the file has no value at this path")
	// ErrByHand reports a change that would change other values, or a form of text that cannot be
	// edited automatically.
	ErrByHand = errors.New("this value cannot be changed without changing others; edit the file by hand")
)

// Document is a parsed YAML text. It is immutable: changes return another Document.
type Document struct {
	mark  []byte      // the byte-order mark, or nil
	text  []byte      // the text without the mark
	lines []int       // the offsets of the lines
	root  *yaml.Node  // with positions, for changes
	node  config.Node // the value, for readers
}

var byteOrderMark = []byte("\xEF\xBB\xBF")

// Parse parses a text, with or without a byte-order mark. An invalid text is a *config.SyntaxError.
func Parse(text []byte) (*Document, error) {
	d := &Document{text: bytes.Clone(text)}
	if rest, marked := bytes.CutPrefix(d.text, byteOrderMark); marked {
		d.mark, d.text = byteOrderMark, rest
	}
	if !utf8.Valid(d.text) {
		return nil, syntaxError(config.Position{Line: 1, Column: 1}, "the file is not UTF-8")
	}
	var err error
	if d.root, err = parse(d.text); err != nil {
		return nil, err
	}
	if d.node, err = node(d.root); err != nil {
		return nil, err
	}
	d.lines = append(d.lines, 0)
	for at := 0; at < len(d.text); {
		if n := lineBreak(d.text[at:]); n > 0 {
			at += n
			d.lines = append(d.lines, at)
			continue
		}
		at++
	}
	return d, nil
}

// Text is the text of the document.
func (d *Document) Text() []byte { return append(bytes.Clone(d.mark), d.text...) }

// Node returns the decoded value of the document.
func (d *Document) Node() config.Node { return d.node }

// lineBreak returns the length of the line break at the beginning of a text, or 0. It includes
// U+0085, U+2028 and U+2029, which end lines in YAML 1.1 but not in YAML 1.2: the parser counts
// lines by them.
func lineBreak(text []byte) int {
	switch {
	case len(text) == 0:
		return 0
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	case text[0] == '\n', text[0] == '\r':
		return 1
	case bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	}
	return 0
}

// newline returns the first line break of the document, which changes use for new lines. Without
// one it is LF.
func (d *Document) newline() string {
	if at := bytes.IndexAny(d.text, "\r\n"); at >= 0 {
		return string(d.text[at : at+lineBreak(d.text[at:])])
	}
	return "\n"
}

// offset returns the offset of a node in bytes. The parser gives its position as a line and a
// column, and counts columns in characters.
func (d *Document) offset(n *yaml.Node) (int, error) {
	if n.Line < 1 || n.Line > len(d.lines) {
		return 0, d.byHand(n)
	}
	at := d.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(d.text[at:])
		at += size
	}
	return at, nil
}

// byHand returns ErrByHand with the line of a node.
func (d *Document) byHand(n *yaml.Node) error {
	return fmt.Errorf("line %d: %w", n.Line, ErrByHand)
}

// lineStart returns the offset at which the line of an offset begins.
func (d *Document) lineStart(at int) int {
	i, found := slices.BinarySearch(d.lines, at)
	if !found {
		i--
	}
	return d.lines[i]
}

// lineEnd returns the offset of the line break of the line that an offset is in, or the end.
func (d *Document) lineEnd(at int) int {
	for at < len(d.text) && lineBreak(d.text[at:]) == 0 {
		at++
	}
	return at
}

// nextLine returns the offset at which the next line begins, or the end of the text.
func (d *Document) nextLine(at int) int {
	at = d.lineEnd(at)
	return at + lineBreak(d.text[at:])
}

// indent returns the number of spaces at the beginning of a line. blank reports whether the line
// has only these spaces.
func (d *Document) indent(line int) (spaces int, blank bool) {
	at := line
	for at < len(d.text) && d.text[at] == ' ' {
		at++
	}
	return at - line, at == len(d.text) || lineBreak(d.text[at:]) > 0
}

// blanks returns the offset after spaces and tabs.
func (d *Document) blanks(at int) int {
	for at < len(d.text) && (d.text[at] == ' ' || d.text[at] == '\t') {
		at++
	}
	return at
}

// gap returns the offset after spaces, tabs, line breaks and comments. They separate the tokens of a
// flow collection ([…] or {…}) and precede a node.
func (d *Document) gap(at int) int {
	for at < len(d.text) {
		switch n := lineBreak(d.text[at:]); {
		case n > 0:
			at += n
		case d.text[at] == ' ' || d.text[at] == '\t':
			at++
		case d.text[at] == '#':
			at = d.lineEnd(at)
		default:
			return at
		}
	}
	return at
}
