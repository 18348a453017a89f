package clientconfig

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a file is formatted, as far as what is put into it should be too.
type style struct {
	unit   string // one step of indentation
	eol    string
	colon  string // with the space around it
	gap    string // after commas within a line
	pad    string // inside the braces of an object in one line
	inline bool   // objects are written in one line
	rows   bool   // arrays have a line for each element, where objects are not in one line
}

// maxLooked bounds how many values of a large file are looked at for its style.
const maxLooked = 10_000

// style finds the style for what is put into an object: that of what stands in
// it, else of the rest of the file. The inside of a new member is written like
// that of its neighbours.
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

// near calls look with the objects that a style is taken from, the best first,
// until it returns false: the neighbours of what will be put into o, o itself,
// and then all in their order.
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

// unit is one step of indentation: by how much the members of an object stand
// further right than the line of its brace.
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

// colon is what stands between names and values.
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

// inline reports whether the inside of a new member of o belongs in one line,
// and what stands inside the braces then: as in the last neighbour, else if all
// of o is in one line. Neighbours of the member with all servers tell nothing.
func (d *document) inline(o object) (bool, string) {
	for i := len(o.Members) - 1; i >= 0 && o.start != d.top.start; i-- {
		if last, ok := asObject(o.Members[i].Value); ok && len(last.Members) > 0 {
			return !hasLine(d.text[last.start:last.end]), last.padding()
		}
	}
	return len(d.top.Members) > 0 && !hasLine(d.text[o.start:o.end]) && (len(o.Members) > 0 || !hasLine(d.text[d.top.start:d.top.end])), o.padding()
}

// padding is the space inside the braces of an object.
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

// indent is the white space that the line of an offset begins with.
func (d *document) indent(at int) string {
	begin := bytes.LastIndexByte(d.text[:at], '\n') + 1
	end := begin
	for end < len(d.text) && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[begin:end])
}

func hasLine(text []byte) bool { return bytes.IndexByte(text, '\n') >= 0 }
