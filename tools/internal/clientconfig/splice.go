package clientconfig

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// splice replaces the bytes from start to end by text.
type splice struct {
	start, end int
	text       string
}

// apply returns a copy of text with the splices applied. The splices must not overlap.
func apply(text []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	at := 0
	for _, s := range splices {
		out = append(append(out, text[at:s.start]...), s.text...)
		at = s.end
	}
	return append(out, text[at:]...)
}

// insert adds a member after the last member and its comments, so that existing comments stay with
// their members. It adds only the member and a comma.
func (d *document) insert(o object, f field) []splice {
	s := d.style(o)
	close := o.end - 1
	commented, _ := lastComment(o.AfterExtra)
	at := o.trailing() + commented
	rest := bytes.TrimLeft(d.text[at:close], " \t")
	if bytes.HasPrefix(rest, []byte("\r\n")) || bytes.HasPrefix(rest, []byte("\n")) {
		at = close - len(rest) // white space at the end of a line stays
	}
	below := d.text[at:close] // between the new member and the brace
	if i := bytes.IndexByte(below, '\n'); i >= 0 {
		s.eol = "\n"
		if i > 0 && below[i-1] == '\r' {
			s.eol = "\r\n"
		}
	}
	if len(o.Members) == 0 {
		return d.insertFirst(o, f, s, at)
	}
	last := o.Members[len(o.Members)-1]
	var lead, indent string
	switch {
	case hasLine(last.Name.BeforeExtra):
		indent = d.indent(last.Name.StartOffset)
		lead = s.eol + indent
	case hasLine(below):
		indent = d.indent(close) + s.unit
		lead = s.eol + indent
	case len(o.Members) > 1 && strings.Trim(string(last.Name.BeforeExtra), " \t") == "":
		lead = string(last.Name.BeforeExtra)
	default:
		lead = s.gap
	}
	member := lead + s.field(f, indent)
	switch {
	case o.comma(len(o.Members)-1) >= 0:
		return []splice{{at, at, member + ","}}
	case at == last.Value.EndOffset:
		return []splice{{at, at, "," + member}}
	}
	return []splice{{last.Value.EndOffset, last.Value.EndOffset, ","}, {at, at, member}}
}

// insertFirst adds a member to an empty object, after its comments.
func (d *document) insertFirst(o object, f field, s style, at int) []splice {
	if s.inline {
		return []splice{{at, at, s.field(f, "")}}
	}
	base := d.indent(o.start)
	member := s.eol + base + s.unit + s.field(f, base+s.unit)
	if hasLine(d.text[at : o.end-1]) {
		return []splice{{at, at, member}}
	}
	return []splice{{o.end - 1, o.end - 1, member + s.eol + base}}
}

// replace replaces the value of a member.
func (d *document) replace(o object, i int, value any) []splice {
	v := o.Members[i].Value
	s := d.style(o)
	if old := d.text[v.StartOffset:v.EndOffset]; hasLine(old) {
		s.inline, s.rows = false, true
	} else if len(old) > len("{}") && (old[0] == '{' || old[0] == '[') {
		s.inline = true
	}
	return []splice{{v.StartOffset, v.EndOffset, s.value(value, d.indent(o.Members[i].Name.StartOffset))}}
}

// remove removes a member with its comma, and with its line if nothing else is on it. Comments
// stay.
func (d *document) remove(o object, i int) []splice {
	m := o.Members[i]
	start, end := m.Name.StartOffset, m.Value.EndOffset
	comma := o.comma(i)
	if len(o.Members) == 1 {
		if rest := string(m.Name.BeforeExtra) + string(m.Value.AfterExtra) + string(o.AfterExtra); strings.Trim(rest, " \t\r\n") == "" {
			return []splice{{o.start + 1, o.end - 1, ""}}
		}
	}
	var splices []splice
	switch {
	case comma >= 0 && len(bytes.Trim(d.text[end:comma], " \t\r\n")) == 0:
		end = comma + 1
	case comma >= 0:
		splices = append(splices, splice{comma, comma + 1, ""})
	case i > 0:
		before := o.comma(i - 1)
		splices = append(splices, splice{before, before + 1, ""})
	}
	start, end = d.around(o, i, start, end)
	return append(splices, splice{start, end, ""})
}

// around extends a removed range by the white space that belongs to it.
func (d *document) around(o object, i, start, end int) (int, int) {
	left := start - len(d.text[:start]) + len(bytes.TrimRight(d.text[:start], " \t"))
	begins := left == 0 || d.text[left-1] == '\n'
	right := end + len(d.text[end:]) - len(bytes.TrimLeft(d.text[end:], " \t"))
	newline := right
	if bytes.HasPrefix(d.text[right:], []byte("\r\n")) {
		newline += 2
	} else if bytes.HasPrefix(d.text[right:], []byte("\n")) {
		newline++
	}
	_, after := lastComment(o.Members[i].Name.BeforeExtra)
	last := i == len(o.Members)-1
	switch {
	case begins && newline > right:
		return left, newline // the entire line
	case begins && d.text[right] != '}':
		return start, right // the rest of the line moves to the left
	case begins && after:
		return start, end // the end of line ends a comment
	case begins:
		return len(bytes.TrimRight(d.text[:start], " \t\r\n")), end
	case last:
		return left, end
	}
	return start, right
}
