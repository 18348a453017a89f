package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// lua describes the comments and strings of Lua.
var lua = source.Syntax{
	LineComments:  []string{"--", ""},
	BlockComments: []source.Delimiters{{Open: "--[[", Close: "]]"}, {Open: "{{"}},
	Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "[[", Close: "]]", Raw: true}},
}

func TestSyntax_Spans(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{"a - b", ""},
		{"a -- b\nc --", "comment:-- b comment:--"},
		{"--[[ a\n]] b --", "comment:--[[ a\n]] comment:--"},
		{"--[[ a\n b", "comment:--[[ a\n b"},
		{`"a\"--" .. "b"`, `string:"a\"--" string:"b"`},
		{"\"a\n-- b", "comment:-- b"},    // no string ends behind its line
		{"\" -- b", "comment:-- b"},      // nor behind the text
		{`[["\]] .. x`, `string:[["\]]`}, // raw
		{"[[a\nb", "string:[[a\nb"},
		{"{{ -- }}", "comment:-- }}"}, // delimiters without an end
	} {
		var got []string
		for s := range lua.Spans([]byte(tc.text)) {
			got = append(got, fmt.Sprintf("%s:%s", map[bool]string{true: "comment", false: "string"}[s.Comment], tc.text[s.Start:s.End]))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q has %q, want %q", tc.text, got, tc.want)
		}
	}
}

// The time for a line of quotes without an end is proportional to its length.
func TestSyntax_SpansManyQuotes(t *testing.T) {
	src := []byte(strings.Repeat(`"\`, 1<<20) + "x")
	n := 0
	for range lua.Spans(src) {
		n++
	}
	if n > 0 {
		t.Errorf("%d strings", n)
	}
}

func TestSyntax_IsComment(t *testing.T) {
	for text, want := range map[string]bool{"": false, "-": false, "--": true, "--[[": true, "x --": false, "{{": false} {
		if got := lua.IsComment([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
