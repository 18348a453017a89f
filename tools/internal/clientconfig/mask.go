package clientconfig

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// masked implements syntax.
func (jsonFile) masked(content []byte, c Client, name, url string) string {
	if len(content) == 0 {
		return ""
	}
	d, err := parse(content)
	if err != nil {
		return "(not JSON, and not shown)\n"
	}
	if d.empty() {
		return string(content)
	}
	m := masker{text: d.text}
	servers, i, _, err := d.lookup(c, name)
	if err == nil && i >= 0 {
		m.open = append(c.commandLine(servers.Members[i].Value, url), c.references(servers.Members[i].Value)...)
	}
	m.value(hujson.Value{Value: d.top.Object, StartOffset: d.top.start, EndOffset: d.top.end})
	m.extra(d.text[:d.top.start], 0)
	m.extra(d.text[d.top.end:], d.top.end)
	return d.mark + string(apply(d.text, m.splices))
}

// commandLine returns the offsets of the values of an entry that are shown.
func (c Client) commandLine(entry hujson.Value, url string) []int {
	o, ok := asObject(entry)
	if !ok {
		return nil
	}
	var open []int
	for _, m := range o.Members {
		if name, _ := text(m.Name.Value); slices.Contains([]string{"type", "command", "args"}, name) {
			open = append(open, m.Value.StartOffset)
		} else if value, _ := text(m.Value.Value); name == c.form.urlMember() && value == url {
			open = append(open, m.Value.StartOffset)
		}
	}
	return open
}

// masker collects the splices that mask a text.
type masker struct {
	text    []byte
	open    []int // offsets of the values that are shown
	splices []splice
}

// value masks the strings and comments of a value.
func (m *masker) value(v hujson.Value) {
	if slices.Contains(m.open, v.StartOffset) {
		return
	}
	switch t := v.Value.(type) {
	case hujson.Literal:
		if t.Kind() == '"' && len(t) > len(`""`) {
			m.splices = append(m.splices, splice{v.StartOffset, v.EndOffset, `"…"`})
		}
	case *hujson.Object:
		at := v.StartOffset + 1
		for _, member := range t.Members {
			m.extra(m.text[at:member.Name.StartOffset], at)
			m.extra(m.text[member.Name.EndOffset:member.Value.StartOffset], member.Name.EndOffset)
			m.value(member.Value)
			at = member.Value.EndOffset
		}
		m.extra(m.text[at:v.EndOffset], at)
	case *hujson.Array:
		at := v.StartOffset + 1
		for _, element := range t.Elements {
			m.extra(m.text[at:element.StartOffset], at)
			m.value(element)
			at = element.EndOffset
		}
		m.extra(m.text[at:v.EndOffset], at)
	}
}

// extra masks the comments between values. The number of lines stays.
func (m *masker) extra(extra []byte, at int) {
	for _, c := range comments(extra) {
		comment := string(extra[c[0]:c[1]])
		shown := "// …"
		if strings.HasPrefix(comment, "/*") {
			shown = "/* …" + strings.Repeat("\n", strings.Count(comment, "\n")) + " */"
		}
		m.splices = append(m.splices, splice{at + c[0], at + c[1], shown})
	}
}
