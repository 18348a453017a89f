package yamlfile

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The parser tells where a node begins, and not where it ends; that is found out here. Anchors do not belong to the
// extent of a node.

// empty reports whether a node is a value that is not written: null by omission.
func empty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == ""
}

// block reports whether a collection is written in lines.
func block(n *yaml.Node) bool {
	return (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// start is where the text of a node begins, behind its anchor.
func (d *Document) start(n *yaml.Node) (int, error) {
	at, err := d.offset(n)
	if err != nil || n.Anchor == "" {
		return at, err
	}
	if at >= len(d.text) || d.text[at] != '&' {
		return 0, d.byHand(n)
	}
	if at += 1 + len(n.Anchor); !empty(n) {
		at = d.gap(at)
	}
	return at, nil
}

// end returns the offset after the text of a node. indent is the column, from 0, of the enclosing
// collection.
func (d *Document) end(n *yaml.Node, indent int) (int, error) {
	at, err := d.start(n)
	if err != nil {
		return 0, err
	}
	rest := d.text[at:]
	size := -1
	switch {
	case n.Kind == yaml.AliasNode:
		size = 1 + len(n.Value)
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0:
		return d.flowEnd(n, at)
	case n.Kind != yaml.ScalarNode:
		return d.blockEnd(n)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		size = doubleQuoted(rest)
	case n.Style&yaml.SingleQuotedStyle != 0:
		size = singleQuoted(rest)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return d.scalarBlockEnd(at, indent), nil
	default:
		size = plain(rest, n.Value)
	}
	if size < 0 || size > len(rest) {
		return 0, d.byHand(n)
	}
	return at + size, nil
}

func doubleQuoted(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func singleQuoted(text []byte) int {
	if len(text) == 0 || text[0] != '\'' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 == len(text) || text[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return -1
}

// plain returns the length of the text of a plain scalar with this value. A line break in the text
// is a space in the value, and each empty line a line feed.
func plain(text []byte, value string) int {
	at := 0
	for value != "" {
		gap, breaks := 0, 0
		for at+gap < len(text) {
			n := lineBreak(text[at+gap:])
			switch {
			case n > 0:
				breaks++
			case text[at+gap] == ' ' || text[at+gap] == '\t':
				n = 1
			}
			if n == 0 {
				break
			}
			gap += n
		}
		fold := strings.Repeat("\n", max(breaks-1, 0))
		if breaks == 1 {
			fold = " "
		}
		if breaks == 0 {
			_, size := utf8.DecodeRune(text[at:])
			fold, gap = string(text[at:at+size]), size
		}
		rest, ok := strings.CutPrefix(value, fold)
		if !ok || gap == 0 {
			return -1
		}
		at, value = at+gap, rest
	}
	return at
}

// scalarBlockEnd is the end of a literal or folded scalar: that of its last line with anything in it, or with "+", of
// its last line.
func (d *Document) scalarBlockEnd(at, parent int) int {
	header := d.text[at:d.lineEnd(at)]
	indicators, _, _ := bytes.Cut(header, []byte("#"))
	end, line := at+len(bytes.TrimRight(indicators, " \t")), d.nextLine(at)
	if len(indicators) < len(header) {
		end = d.lineEnd(at)
	}
	least := 0
	if i := bytes.IndexAny(indicators, "123456789"); i >= 0 {
		least = max(parent, 0) + int(indicators[i]-'0')
	}
	keep := bytes.Contains(indicators, []byte("+"))
	for line < len(d.text) {
		spaces, blank := d.indent(line)
		switch {
		case blank && keep:
			end = d.nextLine(line)
		case blank && (least == 0 || spaces <= least):
		case least == 0 && spaces > parent:
			least = spaces
			fallthrough
		case least > 0 && spaces >= least:
			if end = d.lineEnd(line); keep {
				end = d.nextLine(line)
			}
		default:
			return end
		}
		line = d.nextLine(line)
	}
	return end
}

// flowEnd is the end of a collection between brackets, or of a pair in a list that has none.
func (d *Document) flowEnd(n *yaml.Node, at int) (int, error) {
	pair := n.Kind == yaml.MappingNode && d.text[at] != '{'
	end := at + 1
	if len(n.Content) > 0 {
		var err error
		if end, err = d.childEnd(n, len(n.Content)-1); err != nil || pair {
			return end, err
		}
	}
	if end = d.gap(end); end < len(d.text) && d.text[end] == ',' {
		end = d.gap(end + 1)
	}
	if end >= len(d.text) || d.text[end] != ']' && d.text[end] != '}' {
		return 0, d.byHand(n)
	}
	return end + 1, nil
}

func (d *Document) blockEnd(n *yaml.Node) (int, error) {
	if len(n.Content) == 0 {
		return 0, d.byHand(n)
	}
	return d.childEnd(n, len(n.Content)-1)
}

// childEnd is the end of an element of a list, or of a value of a mapping, by its
// index in Content.
func (d *Document) childEnd(n *yaml.Node, i int) (int, error) {
	child := n.Content[i]
	if !empty(child) || child.Anchor != "" {
		return d.end(child, d.column(n))
	}
	if n.Kind == yaml.MappingNode {
		at, _, err := d.colon(n, i-1)
		return at, err
	}
	return d.offset(child)
}

// colon is where the value of a name may begin: behind the colon, or behind the name where there is none, as in {a, b}.
func (d *Document) colon(n *yaml.Node, key int) (at int, found bool, err error) {
	k := n.Content[key]
	end, err := d.end(k, d.column(n))
	if err != nil {
		return 0, false, err
	}
	if n.Style&yaml.FlowStyle != 0 {
		at = d.gap(end)
	} else {
		at = d.blanks(end)
	}
	if at < len(d.text) && d.text[at] == ':' {
		return at + 1, true, nil
	}
	if n.Style&yaml.FlowStyle == 0 {
		return 0, false, d.byHand(k)
	}
	return end, false, nil
}

// column is the column of a block collection, from 0: of its names or dashes.
func (d *Document) column(n *yaml.Node) int {
	first := n
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
		first = n.Content[0]
	} else if n.Anchor != "" {
		if at, err := d.start(n); err == nil {
			return at - d.lineStart(at)
		}
	}
	return first.Column - 1
}
