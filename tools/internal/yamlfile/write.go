package yamlfile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/config"
)

// style is how a string was written that another one replaces.
type style uint8

const (
	unquoted style = iota
	single
	double
	lines // literal or folded
)

// step is the additional indentation of a nested block, in columns.
const step = 2

func spaces(n int) string { return strings.Repeat(" ", n) }

// written is the text of a value after a name or a dash: the remainder of that line, and the lines
// below.
type written struct {
	inline string
	below  []string
}

// writer formats a value in a collection that begins at column indent.
type writer func(v config.Node, indent int, like style) written

// onOneLine is the writer of values without lines below them.
func onOneLine(v config.Node, _ int, like style) written {
	if v.Kind == config.String {
		return written{inline: scalarText(v, like, false)}
	}
	return written{inline: flow(v)}
}

// value is the writer of values as people write them.
func value(v config.Node, indent int, like style) written {
	switch {
	case v.Kind == config.Object && len(v.Members) > 0, v.Kind == config.List && len(v.Elements) > 0:
		return written{below: collection(v, indent+step)}
	case v.Kind == config.String && (like == lines || strings.Contains(v.Text, "\n")):
		if header, below, ok := literal(v.Text, indent+step); ok {
			return written{header, below}
		}
	}
	return written{inline: scalarText(v, like, false)}
}

// collection writes a mapping or a list, neither of them empty, a line for each part.
func collection(v config.Node, indent int) []string {
	var all []string
	for _, m := range v.Members {
		all = append(all, pair(m, indent, value)...)
	}
	for _, e := range v.Elements {
		all = append(all, item(e, indent, value)...)
	}
	return all
}

// pair writes a name and its value.
func pair(m config.Member, indent int, write writer) []string {
	w := write(m.Value, indent, unquoted)
	head := spaces(indent) + nameText(m.Name) + ":"
	if w.inline != "" {
		head += " " + w.inline
	}
	return append([]string{head}, w.below...)
}

// item writes an element of a list with its dash.
func item(e config.Node, indent int, write writer) []string {
	w := write(e, indent, unquoted)
	if w.inline == "" {
		w.below[0] = spaces(indent) + "- " + w.below[0][indent+step:]
		return w.below
	}
	return append([]string{spaces(indent) + "- " + w.inline}, w.below...)
}

func nameText(name string) string {
	return scalarText(config.Node{Kind: config.String, Text: name}, unquoted, true)
}

// flow writes a value on one line.
func flow(v config.Node) string {
	var parts []string
	switch v.Kind {
	case config.Object:
		for _, m := range v.Members {
			parts = append(parts, nameText(m.Name)+": "+flow(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case config.List:
		for _, e := range v.Elements {
			parts = append(parts, flow(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return scalarText(v, unquoted, true)
}

// scalarText formats a scalar on one line. inFlow is true within brackets, where more characters
// need quotes.
func scalarText(v config.Node, like style, inFlow bool) string {
	switch v.Kind {
	case config.Null:
		return "null"
	case config.Object:
		return "{}"
	case config.List:
		return "[]"
	case config.String:
	default:
		return v.Text
	}
	quoted := "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
	switch {
	case like == single && !strings.Contains(v.Text, "\n") && reads(quoted, v.Text, inFlow):
		return quoted
	case like != double && like != single && bare(v.Text) && reads(v.Text, v.Text, inFlow):
		return v.Text
	}
	return doubleQuote(v.Text)
}

// bare reports whether a text may be written without quotes, by a quick check that excludes texts
// that always need them.
func bare(s string) bool {
	return s != "" && s != "-" && s != "?" && s != ":" && strings.TrimSpace(s) == s && !strings.ContainsAny(s, "\n\r\t#\"'`")
}

// reads reports whether a scalar written so is read as this string.
func reads(text, want string, inFlow bool) bool {
	around := "k: %s\n"
	if inFlow {
		around = "k: {%s: 0, j: [%[1]s, 0]}\n"
	}
	n, err := Decode(fmt.Appendf(nil, around, text))
	if err != nil || len(n.Members) != 1 {
		return false
	}
	v := n.Members[0].Value
	if !inFlow {
		return v.Kind == config.String && v.Text == want
	}
	if len(v.Members) != 2 || v.Members[0].Name != want || len(v.Members[1].Value.Elements) != 2 {
		return false
	}
	v = v.Members[1].Value.Elements[0]
	return v.Kind == config.String && v.Text == want
}

// literal writes text as lines, if that can be done and read again.
func literal(s string, indent int) (header string, below []string, ok bool) {
	body := strings.TrimSuffix(s, "\n")
	if body == "" || strings.HasSuffix(body, "\n") || strings.TrimLeft(body, " \t\n") != strings.TrimLeft(body, "\n") {
		return "", nil, false
	}
	header = "|"
	if body == s {
		header = "|-"
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			line = spaces(indent) + line
		}
		below = append(below, line)
	}
	return header, below, reads(header+"\n"+strings.Join(shifted(below, indent), "\n"), s, false)
}

// shifted are lines as they stand below a name at the first column.
func shifted(all []string, indent int) []string {
	moved := make([]string, len(all))
	for i, line := range all {
		if moved[i] = line; line != "" {
			moved[i] = spaces(step) + line[indent:]
		}
	}
	return moved
}

// doubleQuote formats any text on one line, with escapes for invisible characters.
func doubleQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r >= 0x7F && r < 0xA0:
			fmt.Fprintf(&b, `\x%02X`, r)
		case r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
