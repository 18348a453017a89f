package document

import (
	"bytes"
	"iter"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// sectionLines is the maximum number of own lines of a section.
const sectionLines = 120

// heading is the start of a section.
type heading struct {
	at    int // offset of its first line
	level int // from 1; nested sections have higher levels
	title string
	kind  string // kind of the piece; empty means "section"
}

// headings is a function that returns the headings of a text in order, and the title of the document, if any.
type headings func(text []byte) (title string, all []heading)

// fixedHeadings returns a headings function for headings that were found before.
func fixedHeadings(title string, all []heading) headings {
	return func([]byte) (string, []heading) { return title, all }
}

// formats maps languages to their headings functions.
var formats = map[string]headings{
	"markdown": markdownHeadings, "rst": rstHeadings, "asciidoc": asciidocHeadings, "org": orgHeadings, "latex": latexHeadings, "man": manualHeadings,
	"toml": tomlHeadings, "ini": tomlHeadings, "yaml": yamlHeadings,
}

// sections splits a text at its headings.
func sections(text []byte, find headings) []index.Piece {
	title, all := find(text)
	t := newTree(text, len(text))
	t.limits.lines = sectionLines
	t.nodes[0].Name = title
	path := []heading{{title: title}} // enclosing sections, outermost first
	for i, h := range all {
		for len(path) > 1 && path[len(path)-1].level >= h.level {
			path = path[:len(path)-1]
		}
		end := len(text)
		for _, next := range all[i+1:] {
			if next.level <= h.level {
				end = next.at
				break
			}
		}
		kind := h.kind
		if kind == "" {
			kind = "section"
		}
		t.add(index.Piece{
			Kind: kind, Name: h.title, Container: titles(path, h.title),
			Range: index.Span{Start: int32(h.at), End: int32(end)},
		})
		path = append(path, h)
	}
	return t.pieces()
}

// titles joins the titles of the enclosing sections. A document title that is repeated in the first heading is included once.
func titles(path []heading, of string) string {
	var all []string
	for _, h := range path {
		if h.title != "" && (len(all) == 0 || all[len(all)-1] != h.title) {
			all = append(all, h.title)
		}
	}
	if len(path) == 1 && path[0].title == of {
		return ""
	}
	return strings.Join(all, " > ")
}

// textLines iterates over the lines of a text, without line ends, with their offsets.
func textLines(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		at := 0
		for line := range bytes.Lines(text) {
			if !yield(at, bytes.TrimRight(line, "\r\n")) {
				return
			}
			at += len(line)
		}
	}
}
