package clientconfig

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// style is the formatting of a file that inserted text follows.
type style struct {
	unit   string // one step of indentation
	eol    string // the line end: "\n" or "\r\n"
	colon  string // with the space around it
	gap    string // after commas within a line
	pad    string // inside the braces of an object in one line
	inline bool   // objects are written on one line
	rows   bool   // arrays have a line for each element, unless objects are written on one line
}

// maxLooked is the maximum number of values that are examined for the style of a file.
const maxLooked = 10_000

// style returns the style for text inserted into an object: the style of its content, or of the
// rest of the file. A new member is formatted like its neighbours.
func (d *document) style(o object) style {
	s := style{unit: d.unit(o), eol: "\n", colon: d.colon(o), gap: " ", rows: d.rows(o)}
	if bytes.Contains(d.text, []byte("\r\n")) {
		s.eol = "\r\n"
	}
	if !strings.HasSuffix(s.colon, " ") {
		s.gap = ""
	}
	s.inline, s.pad = d.inline(o)
	return s
}

// near calls look with the objects that determine a style, best first, until it returns false: the
// members of o, o itself, and then all objects of the file.
func (d *document) near(o object, look func(object) bool) {
	for _, m := range o.Members {
		if neighbour, ok := asObject(m.Value); ok && !look(neighbour) {
			return
		}
	}
	if !look(o) || d.empty() {
		return
	}
	looked := 0
	top := hujson.Value{Value: d.top.Object, StartOffset: d.top.start, EndOffset: d.top.end}
	for v := range top.All() {
		if looked++; looked > maxLooked {
			return
		}
		if other, ok := asObject(*v); ok && !look(other) {
			return
		}
	}
}

// unit returns one step of indentation: the difference between the members of an object and the
// line of its brace.
func (d *document) unit(o object) string {
	unit := "  "
	d.near(o, func(o object) bool {
		if len(o.Members) == 0 || !hasLine(o.Members[0].Name.BeforeExtra) {
			return true
		}
		step, ok := strings.CutPrefix(d.indent(o.Members[0].Name.StartOffset), d.indent(o.start))
		if ok && step != "" {
			unit = step
			return false
		}
		return true
	})
	return unit
}

// colon returns the text between names and values.
func (d *document) colon(o object) string {
	colon := ": "
	d.near(o, func(o object) bool {
		if len(o.Members) == 0 {
			return true
		}
		m := o.Members[0]
		between := string(d.text[m.Name.EndOffset:m.Value.StartOffset])
		if len(between) > 8 || strings.Trim(between, " \t:") != "" {
			return true
		}
		colon = between
		return false
	})
	return colon
}

// rows reports whether arrays have a line for each element.
func (d *document) rows(o object) bool {
	rows := false
	d.near(o, func(o object) bool {
		for _, m := range o.Members {
			if array, ok := m.Value.Value.(*hujson.Array); ok && len(array.Elements) > 0 {
				rows = hasLine(d.text[m.Value.StartOffset:m.Value.EndOffset])
				return false
			}
		}
		return true
	})
	return rows
}

// inline reports whether a new member of o is written on one line, and the padding inside its
// braces. The last neighbour decides, otherwise the layout of o. Neighbours of the member that
// holds all servers are ignored.
func (d *document) inline(o object) (bool, string) {
	for i := len(o.Members) - 1; i >= 0 && o.start != d.top.start; i-- {
		if last, ok := asObject(o.Members[i].Value); ok && len(last.Members) > 0 {
			return !hasLine(d.text[last.start:last.end]), last.padding()
		}
	}
	return len(d.top.Members) > 0 && !hasLine(d.text[o.start:o.end]) && (len(o.Members) > 0 || !hasLine(d.text[d.top.start:d.top.end])), o.padding()
}

// padding returns the blanks inside the braces of an object.
func (o object) padding() string {
	if len(o.Members) == 0 {
		return ""
	}
	before := string(o.Members[0].Name.BeforeExtra)
	if strings.Trim(before, " ") != "" {
		return ""
	}
	return before
}

// indent returns the white space at the beginning of an offset's line.
func (d *document) indent(at int) string {
	begin := bytes.LastIndexByte(d.text[:at], '\n') + 1
	end := begin
	for end < len(d.text) && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[begin:end])
}

// hasLine reports whether a text contains a line feed.
func hasLine(text []byte) bool { return bytes.IndexByte(text, '\n') >= 0 }
