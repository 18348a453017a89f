package document

import (
	"bytes"
	"iter"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// sectionLines is how many lines a section of a document may have of its own.
const sectionLines = 120

// heading begins a section.
type heading struct {
	at    int // where its first line begins
	level int // from 1; what is within a section has a higher one
	title string
	kind  string // "section", if it is empty
}

// headings finds the headings of a text, in order, with the title of all, if it
// has one.
type headings func(text []byte) (title string, all []heading)

// known are headings that were found before.
func known(title string, all []heading) headings {
	return func([]byte) (string, []heading) { return title, all }
}

// formats are the documents whose headings are known.
var formats = map[string]headings{
	"markdown": markdown, "rst": restructured, "asciidoc": asciidoc, "org": org, "latex": latex, "man": manual,
	"toml": tables, "ini": tables, "yaml": keys,
}

// sections makes pieces of what is between headings.
func sections(text []byte, find headings) []index.Piece {
	title, all := find(text)
	t := newTree(text, len(text))
	t.most.lines = sectionLines
	t.nodes[0].Name = title
	path := []heading{{title: title}} // the sections around, by level
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

// titles are those of the sections around one, from the outermost on. That of a whole
// document often stands in its first heading as well: once is enough.
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

// textLines are the lines of a text without their ends, and where they begin.
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
