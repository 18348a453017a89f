package textfile_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		as         textfile.Encoding
		old, new   string // the first old is replaced
		want       string
	}{
		{"utf-8", "\xEF\xBB\xBFa値b\r\n", textfile.UTF8, "値", "語", "\xEF\xBB\xBFa語b\r\n"},
		{"utf-8, a shared byte of two characters", "値倥", textfile.UTF8, "倥", "倦", "値倦"},
		{"utf-16le", "\xFF\xFEa\x00\x42\x30", textfile.UTF16, "a", "𠮷", "\xFF\xFE\x42\xD8\xB7\xDF\x42\x30"},
		{"shift-jis, the duplicates around stay", "\xEE\xE0 1 \xED\x95", textfile.ShiftJIS, "1", "値", "\xEE\xE0 \x92l \xED\x95"},
		{"shift-jis, a duplicate in what is replaced stays", "\xEE\xE0\x8B\xB4", textfile.ShiftJIS, "髙橋", "髙田", "\xEE\xE0\x93\x63"},
		{"euc-jp, three bytes", "\x8F\xA2\xB7a\x8F\xA2\xB7", textfile.EUCJP, "a", "～", "\x8F\xA2\xB7\xA1\xC1\x8F\xA2\xB7"},
		{"iso-2022-jp, into kanji", "\x1b$B0!0!\x1b(B", textfile.ISO2022JP, "亜", "亜x", "\x1b$B0!\x1b(Bx\x1b$B0!\x1b(B"},
		{"iso-2022-jp, kanji among kanji", "\x1b$@0!0\"0!\x1b(J", textfile.ISO2022JP, "唖", "語", "\x1b$@0!8l0!\x1b(J"},
		{"iso-2022-jp, ascii among roman", "\x1b(Jab\x1b(B", textfile.ISO2022JP, "b", "\\", "\x1b(Ja\\\x1b(B"},
		{"iso-2022-jp, the end", "\x1b$B0!\x1b(B", textfile.ISO2022JP, "亜", "亜唖", "\x1b$B0!0\"\x1b(B"},
		{"iso-2022-jp, a line end among kanji", "\x1b$B0!0\"\x1b(B", textfile.ISO2022JP, "亜", "亜\n", "\x1b$B0!\x1b(B\n\x1b$B0\"\x1b(B"},
		{"iso-2022-jp, without the line end that went back to ascii", "\x1b$B0!\nab", textfile.ISO2022JP, "\n", "", "\x1b$B0!\x1b(Bab"},
		{"iso-2022-jp, katakana", "\x1b(I12\x1b(B", textfile.ISO2022JP, "ｱ", "あ", "\x1b$B$\"\x1b(I2\x1b(B"},
		{"windows-1252", "caf\xE9 \x81", textfile.Windows1252, "é", "è", "caf\xE8 \x81"},
		{"everything", "abc", textfile.UTF8, "abc", "", ""},
	} {
		text, err := textfile.Decode([]byte(c.data), c.as)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		start := strings.Index(text.Content, c.old)
		got, err := text.Replace(start, start+len(c.old), c.new)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
		if string(text.Bytes()) != c.data {
			t.Errorf("%s: the old file has changed", c.name)
		}
		updated, err := text.Update(strings.Replace(text.Content, c.old, c.new, 1))
		if err != nil || string(updated) != c.want {
			t.Errorf("%s: Update gave %q, %v; want %q", c.name, updated, err, c.want)
		}
	}
}

func TestApply_SeveralEdits(t *testing.T) {
	t.Parallel()
	text, err := textfile.Decode([]byte("\xEE\xE0=1\r\n\x92l=2\r\n"), textfile.ShiftJIS) // 髙=1, 値=2
	if err != nil {
		t.Fatal(err)
	}
	at := func(s string) int { return strings.Index(text.Content, s) }
	got, err := text.Apply(
		textfile.Edit{Start: 0, End: 0, New: "// 表\r\n"},
		textfile.Edit{Start: at("1"), End: at("1") + 1, New: "十"},
		textfile.Edit{Start: at("2"), End: at("2") + 1, New: "ﾆ"},
		textfile.Edit{Start: len(text.Content), End: len(text.Content), New: "end"},
	)
	want := "// \x95\\\r\n\xEE\xE0=\x8F\\\r\n\x92l=\xC6\r\nend"
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// The place of a character that cannot be written is that in the file as it would be.
func TestApply_ErrorNamesCharacter(t *testing.T) {
	t.Parallel()
	text, err := textfile.Decode([]byte("\x92l\n\x92l\n\x92l\n"), textfile.ShiftJIS)
	if err != nil {
		t.Fatal(err)
	}
	_, err = text.Apply(textfile.Edit{Start: 0, End: 0, New: "one\ntwo\n"}, textfile.Edit{Start: 4, End: 7, New: "値は🍣"})
	var bad *textfile.EncodeError
	if !errors.As(err, &bad) || bad.Rune != '🍣' || bad.Line != 4 || bad.Column != 3 {
		t.Errorf("got %+v, %v; want 🍣 at 4:3", bad, err)
	}
	if _, err = text.Replace(0, 0, "a\xFFb"); !errors.As(err, &bad) || bad.Column != 2 {
		t.Errorf("bytes that are no text gave %v", err)
	}
}

func TestApply_InvalidRanges(t *testing.T) {
	t.Parallel()
	text, err := textfile.Decode([]byte("値\n値"), textfile.UTF8)
	if err != nil {
		t.Fatal(err)
	}
	text.Content = "longer than what was decoded, which is what counts"
	for name, edits := range map[string][]textfile.Edit{
		"negative":         {{Start: -1, End: 0}},
		"backwards":        {{Start: 4, End: 3}},
		"behind the end":   {{Start: 0, End: 8}},
		"in a character":   {{Start: 1, End: 3}},
		"to a character":   {{Start: 0, End: 2}},
		"overlapping":      {{Start: 0, End: 4}, {Start: 3, End: 4}},
		"in another order": {{Start: 3, End: 4}, {Start: 0, End: 3}},
	} {
		_, err := text.Apply(edits...)
		var bad *textfile.RangeError
		if !errors.As(err, &bad) || bad.ErrorCode() != "BAD_RANGE" || bad.NextStep() == "" || !strings.HasPrefix(bad.Error(), "edits: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestText_ZeroValue(t *testing.T) {
	t.Parallel()
	var text textfile.Text
	if !text.Canonical() || len(text.Bytes()) != 0 {
		t.Errorf("the zero Text has %q", text.Bytes())
	}
	if got, err := text.Update("値"); err != nil || string(got) != "値" {
		t.Errorf("updated to %q, %v", got, err)
	}
	text.Content = "x"
	if _, err := text.Replace(0, 1, "y"); err == nil {
		t.Error("a Text that was not decoded was edited")
	}
}

// pieces are bytes and the characters that they stand for, with several codes for the same, from which files are made.
var pieces = map[textfile.Encoding][][2]string{
	textfile.UTF8:    {{"a", "a"}, {"\n", "\n"}, {"é", "é"}, {"値", "値"}, {"倥", "倥"}, {"🍣", "🍣"}, {"\uFEFF", "\uFEFF"}},
	textfile.UTF16LE: {{"a\x00", "a"}, {"\n\x00", "\n"}, {"\x42\x30", "あ"}, {"\x42\xD8\xB7\xDF", "𠮷"}, {"\x0A\x0A", "ਊ"}},
	textfile.UTF16BE: {{"\x00a", "a"}, {"\x00\n", "\n"}, {"\x30\x42", "あ"}, {"\xD8\x42\xDF\xB7", "𠮷"}, {"\x0A\x0A", "ਊ"}},
	textfile.ShiftJIS: {{"a", "a"}, {"\\", "\\"}, {"\r\n", "\r\n"}, {"\x81\x81", "＝"}, {"\x95\\", "表"}, {"\xFB\xFC", "髙"},
		{"\xEE\xE0", "髙"}, {"\xB1", "ｱ"}, {"\x82\xA0", "あ"}, {"\xF0\x40", "\uE000"}, {"\x81\x60", "～"}},
	textfile.EUCJP: {{"a", "a"}, {"\n", "\n"}, {"\xA4\xA2", "あ"}, {"\xA4\xA4", "い"}, {"\x8E\xB1", "ｱ"}, {"\x8F\xA2\xB7", "～"},
		{"\xA1\xC1", "～"}, {"\x8F\xEC\xBF", "鷗"}, {"\xAD\xF0", "≒"}},
	textfile.ISO2022JP: {{"\x1b(Ba", "a"}, {"\x1b(J\\", "\\"}, {"\x1b(B\r\n", "\r\n"}, {"\x1b$B0!", "亜"}, {"\x1b$@0!", "亜"},
		{"\x1b$B$\"0!", "あ亜"}, {"\x1b(I12", "ｱｲ"}, {"\x1b$(Dl?", "鷗"}, {"\x1b$B0!\r\nb", "亜\r\nb"}, {"\x1b$B\x1b(Bc", "c"}},
	textfile.Windows1252: {{"a", "a"}, {"\n", "\n"}, {"\xE9", "é"}, {"\x80", "€"}, {"\x9D", "\u009D"}},
}

// An edit changes the content as it says, and not one byte in front of it or behind it.
func TestApply_KeepsOtherBytes(t *testing.T) {
	t.Parallel()
	for encoding, pieces := range pieces {
		t.Run(encoding.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				parts := rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "file")
				cut := rapid.SliceOfN(rapid.IntRange(0, len(parts)), 2, 2).Draw(t, "cut")
				from, to := min(cut[0], cut[1]), max(cut[0], cut[1])
				var data, content [3]string
				for i, part := range parts {
					at := 0
					if i >= from {
						at++
					}
					if i >= to {
						at++
					}
					data[at] += part[0]
					content[at] += part[1]
				}
				var text string
				for _, part := range rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "new") {
					text += part[1]
				}
				if strings.HasPrefix(content[0]+content[1]+content[2], "\uFEFF") || strings.HasPrefix(content[0]+text+content[2], "\uFEFF") {
					t.Skip("that is a byte-order mark")
				}

				file, err := textfile.Decode([]byte(data[0]+data[1]+data[2]), encoding)
				if err != nil || file.Content != content[0]+content[1]+content[2] {
					t.Fatalf("%q is read as %+v, %v", data, file, err)
				}
				got, err := file.Replace(len(content[0]), len(content[0])+len(content[1]), text)
				if strings.Contains(text, "鷗") && encoding == textfile.ISO2022JP {
					return // only read, never written
				}
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.HasPrefix(got, []byte(data[0])) || !bytes.HasSuffix(got, []byte(data[2])) {
					t.Fatalf("%q became %q", data, got)
				}
				again, err := textfile.Decode(got, encoding)
				if err != nil || again.Content != content[0]+text+content[2] {
					t.Fatalf("%q is read as %+v, %v", got, again, err)
				}
			})
		})
	}
}
