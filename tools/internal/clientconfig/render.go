package clientconfig

import (
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// field is a JSON member to be written. Its value is a string, a bool, a []string or a []field.
type field struct {
	name  string
	value any
}

// quote returns a text as a JSON string.
func quote(text string) string { return string(hujson.String(text)) }

// field returns a member as text, without indentation before it.
func (s style) field(f field, indent string) string {
	return quote(f.name) + s.colon + s.value(f.value, indent)
}

// value returns a value as text. Lines after the first are indented by indent or more.
func (s style) value(v any, indent string) string {
	var items []string
	switch v := v.(type) {
	case string:
		return quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []string:
		for _, item := range v {
			items = append(items, quote(item))
		}
		return s.brackets("[", items, "]", indent, s.inline || !s.rows, "")
	case []field:
		for _, f := range v {
			items = append(items, s.field(f, indent+s.unit))
		}
		return s.brackets("{", items, "}", indent, s.inline, s.pad)
	}
	return "null"
}

// brackets joins items between brackets, on one line or with a line for each.
func (s style) brackets(begin string, items []string, end, indent string, inline bool, pad string) string {
	if len(items) == 0 {
		return begin + end
	}
	if inline {
		return begin + pad + strings.Join(items, ","+s.gap) + pad + end
	}
	line := s.eol + indent + s.unit
	return begin + line + strings.Join(items, ","+line) + s.eol + indent + end
}
