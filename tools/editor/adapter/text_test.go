package adapter_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

func at(line, column int) adapter.Position { return adapter.Position{Line: line, Column: column} }

func TestText_OffsetsAndPositions(t *testing.T) {
	const content = "ab\n日😀x\r\n\rend"
	text := adapter.NewText(content)
	if text.Lines() != 4 || text.Line(2) != "日😀x" || text.Line(3) != "" || text.Line(4) != "end" || text.Line(0) != "" || text.Line(5) != "" {
		t.Errorf("%d lines, the second is %q", text.Lines(), text.Line(2))
	}
	for _, tt := range []struct {
		at   adapter.Position
		rest string // of the content, from there on
	}{
		{at(1, 1), content},
		{at(1, 3), "\n日😀x\r\n\rend"},
		{at(2, 1), "日😀x\r\n\rend"},
		{at(2, 2), "😀x\r\n\rend"},
		{at(2, 4), "x\r\n\rend"}, // two code units
		{at(2, 5), "\r\n\rend"},
		{at(3, 1), "\rend"},
		{at(4, 4), ""},
	} {
		offset, err := text.Offset(tt.at)
		if err != nil || content[offset:] != tt.rest {
			t.Errorf("%v is %d, %v", tt.at, offset, err)
		}
		if back := text.Position(offset); back != tt.at {
			t.Errorf("%d is %v, want %v", offset, back, tt.at)
		}
	}
	for _, tt := range []struct {
		at   adapter.Position
		rest string
	}{
		{at(1, 99), "\n日😀x\r\n\rend"}, // the end of the line
		{at(2, 3), "😀x\r\n\rend"},     // within a character
		{at(5, 1), ""},                // behind the last line
	} {
		if offset, err := text.Offset(tt.at); err != nil || content[offset:] != tt.rest {
			t.Errorf("%v is %d, %v", tt.at, offset, err)
		}
	}
	for _, p := range []adapter.Position{at(0, 1), at(1, 0), at(-1, -1), at(5, 2), at(6, 1)} {
		var bad *adapter.RangeError
		if _, err := text.Offset(p); !errors.As(err, &bad) || bad.Position != p || bad.Lines != 4 || !strings.Contains(err.Error(), "4 lines") {
			t.Errorf("%v: %v", p, err)
		}
	}
	if text.Position(-5) != at(1, 1) || text.Position(99) != at(4, 4) {
		t.Error("offsets outside of the text are not those of its ends")
	}
	if empty := adapter.NewText(""); empty.Lines() != 1 || empty.Position(0) != at(1, 1) {
		t.Errorf("the empty text has %d lines", empty.Lines())
	}
}

func change(from, to adapter.Position, text string) adapter.TextEdit {
	return adapter.TextEdit{Range: adapter.Range{Start: from, End: to}, NewText: text}
}

func TestApply(t *testing.T) {
	const content = "one\ntwo\n"
	for name, tt := range map[string]struct {
		edits []adapter.TextEdit
		want  string
		says  string
	}{
		"none":                   {nil, content, ""},
		"in any order":           {[]adapter.TextEdit{change(at(2, 1), at(2, 4), "2"), change(at(1, 1), at(1, 4), "1")}, "1\n2\n", ""},
		"beside each other":      {[]adapter.TextEdit{change(at(1, 2), at(1, 3), "N"), change(at(1, 1), at(1, 2), "O")}, "ONe\ntwo\n", ""},
		"twice at one place":     {[]adapter.TextEdit{change(at(1, 1), at(1, 1), "a"), change(at(1, 1), at(1, 1), "b")}, "abone\ntwo\n", ""},
		"in front of another":    {[]adapter.TextEdit{change(at(1, 1), at(1, 4), "x"), change(at(1, 1), at(1, 1), "a")}, "ax\ntwo\n", ""},
		"over lines":             {[]adapter.TextEdit{change(at(1, 3), at(2, 2), "")}, "onwo\n", ""},
		"everything":             {[]adapter.TextEdit{change(at(1, 1), at(3, 1), "x")}, "x", ""},
		"everything, and a line": {[]adapter.TextEdit{change(at(1, 1), at(4, 1), "x")}, "x", ""},
		"overlapping":            {[]adapter.TextEdit{change(at(1, 1), at(1, 3), "x"), change(at(1, 2), at(1, 4), "y")}, "", "overlap at line 1, column 2"},
		"backwards":              {[]adapter.TextEdit{change(at(2, 1), at(1, 1), "x")}, "", "before it begins"},
		"no such line":           {[]adapter.TextEdit{change(at(1, 1), at(9, 1), "x")}, "", "no line 9"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := adapter.Apply(content, tt.edits)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%q, %v", got, err)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestBefore(t *testing.T) {
	if !at(1, 5).Before(at(2, 1)) || !at(1, 1).Before(at(1, 2)) || at(1, 1).Before(at(1, 1)) || at(2, 1).Before(at(1, 9)) {
		t.Error("positions are not in order")
	}
}

// Offsets and positions convert into each other, and columns count UTF-16 code units.
func FuzzText(f *testing.F) {
	f.Add("ab\n日😀x\r\n\rend", 5)
	f.Add("\r\r\n\n", 1)
	f.Add("\xff\xfe", 1)
	f.Fuzz(func(t *testing.T, content string, offset int) {
		text := adapter.NewText(content)
		p := text.Position(offset)
		if p.Line < 1 || p.Line > text.Lines() || p.Column < 1 {
			t.Fatalf("%d is %v in %d lines", offset, p, text.Lines())
		}
		back, err := text.Offset(p)
		if err != nil {
			t.Fatal(err)
		}
		inside := offset >= 0 && offset <= len(content) && (offset == len(content) || utf8.RuneStart(content[offset])) && utf8.ValidString(content) &&
			!(offset > 0 && offset < len(content) && content[offset-1] == '\r' && content[offset] == '\n')
		if inside && back != offset {
			t.Fatalf("%d is %v, which is %d", offset, p, back)
		}
		if inside {
			line := content[:offset]
			line = line[strings.LastIndexAny(line, "\r\n")+1:]
			if units := len(utf16.Encode([]rune(line))); p.Column != units+1 {
				t.Fatalf("%d is %v, behind %d code units", offset, p, units)
			}
		}
		same, err := adapter.Apply(content, []adapter.TextEdit{{Range: adapter.Range{Start: p, End: p}}})
		if err != nil || same != content {
			t.Fatalf("an edit of nothing makes %q, %v", same, err)
		}
	})
}
