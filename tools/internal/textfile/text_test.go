package textfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		data string
		as   textfile.Encoding
		want textfile.Text
	}{
		{"empty", "", textfile.Auto, textfile.Text{Encoding: textfile.UTF8}},
		{"ascii", "a\nb\n", textfile.Auto, textfile.Text{Content: "a\nb\n", Encoding: textfile.UTF8, EOL: textfile.LF}},
		{"utf-8", "値\r\n", textfile.Auto, textfile.Text{Content: "値\r\n", Encoding: textfile.UTF8, EOL: textfile.CRLF}},
		{"utf-8 with mark", "\xEF\xBB\xBFa", textfile.Auto, textfile.Text{Content: "a", Encoding: textfile.UTF8, BOM: true}},
		{"only a mark", "\xEF\xBB\xBF", textfile.UTF8, textfile.Text{Encoding: textfile.UTF8, BOM: true}},
		{"two marks", "\xEF\xBB\xBF\xEF\xBB\xBFa", textfile.UTF8,
			textfile.Text{Content: "\uFEFFa", Encoding: textfile.UTF8, BOM: true}},
		{"utf-16le with mark", "\xFF\xFEa\x00\n\x00", textfile.Auto,
			textfile.Text{Content: "a\n", Encoding: textfile.UTF16LE, BOM: true, EOL: textfile.LF}},
		{"utf-16be with mark", "\xFE\xFF\x30\x42", textfile.Auto,
			textfile.Text{Content: "あ", Encoding: textfile.UTF16BE, BOM: true}},
		{"utf-16 by its mark", "\xFE\xFF\x30\x42", textfile.UTF16,
			textfile.Text{Content: "あ", Encoding: textfile.UTF16BE, BOM: true}},
		{"utf-16 without mark", "\x42\x30", textfile.UTF16, textfile.Text{Content: "あ", Encoding: textfile.UTF16LE}},
		{"surrogate pair", "\x42\xD8\xB7\xDF", textfile.UTF16LE, textfile.Text{Content: "𠮷", Encoding: textfile.UTF16LE}},
		{"shift-jis", "\x95\x5C\x8E\xA6\x81A\r", textfile.Auto,
			textfile.Text{Content: "表示、\r", Encoding: textfile.ShiftJIS, EOL: textfile.CR}},
		{"backslash and tilde", "C:\\~\x83\\", textfile.ShiftJIS, textfile.Text{Content: `C:\~ソ`, Encoding: textfile.ShiftJIS}},
		{"half-width katakana", "\xC3\xBD\xC4\xDE", textfile.ShiftJIS, textfile.Text{Content: "ﾃｽﾄﾞ", Encoding: textfile.ShiftJIS}},
		{"euc-jp", "\xC9\xBD\xBC\xA8\xA4\xC0\n\r", textfile.Auto,
			textfile.Text{Content: "表示だ\n\r", Encoding: textfile.EUCJP, EOL: textfile.Mixed}},
		{"three bytes in euc-jp", "\x8F\xEC\xBF\x8E\xB1\\~", textfile.EUCJP, textfile.Text{Content: `鷗ｱ\~`, Encoding: textfile.EUCJP}},
		{"iso-2022-jp", "a\x1b$B$\"\x1b(Bb", textfile.Auto, textfile.Text{Content: "aあb", Encoding: textfile.ISO2022JP}},
		{"windows-1252", "caf\xE9 \x93ol\xE9\x94", textfile.Auto, textfile.Text{Content: "café “olé”", Encoding: textfile.Windows1252}},
	} {
		got, err := textfile.Decode([]byte(c.data), c.as)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Content != c.want.Content || got.Encoding != c.want.Encoding || got.BOM != c.want.BOM || got.EOL != c.want.EOL {
			t.Errorf("%s: got %q %v %v %v; want %q %v %v %v", c.name, got.Content, got.Encoding, got.BOM, got.EOL,
				c.want.Content, c.want.Encoding, c.want.BOM, c.want.EOL)
		}
		if again, err := textfile.Encode(got.Content, got.Encoding, got.BOM); err != nil || string(again) != c.data || !got.Canonical() {
			t.Errorf("%s: written as %q, %v; want %q", c.name, again, err, c.data)
		}
		if string(got.Bytes()) != c.data {
			t.Errorf("%s: the bytes are %q", c.name, got.Bytes())
		}
	}
}

// Nothing is read lossily: the first bytes that are no character are named with their place.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		as         textfile.Encoding
		offset     int64
		line       int
		bad        string
	}{
		{"a stray byte in utf-8", "a\nb\xFFc", textfile.UTF8, 3, 2, "\xFF"},
		{"an overlong form", "\xC0\x80", textfile.UTF8, 0, 1, "\xC0"},
		{"a surrogate in utf-8", "あ\xED\xA0\x80", textfile.UTF8, 3, 1, "\xED"},
		{"a cut end in utf-8", "a\xE3\x81", textfile.UTF8, 1, 1, "\xE3\x81"},
		{"behind a byte-order mark", "\xEF\xBB\xBF\r\n\r\n\x80", textfile.UTF8, 7, 3, "\x80"},
		{"an odd length in utf-16", "a\x00b", textfile.UTF16LE, 2, 1, "b"},
		{"a lone high surrogate", "\x00\xD8a\x00", textfile.UTF16LE, 0, 1, "\x00\xD8"},
		{"a lone low surrogate", "\n\x00\x00\xDC", textfile.UTF16LE, 2, 2, "\x00\xDC"},
		{"a high surrogate at the end", "\xD8\x00", textfile.UTF16BE, 0, 1, "\xD8\x00"},
		{"the mark of the other byte order", "\xFE\xFF\x00a", textfile.UTF16LE, 0, 1, "\xFE\xFF"},
		{"and the other way round", "\xFF\xFEa\x00", textfile.UTF16BE, 0, 1, "\xFF\xFE"},
		{"half a character in shift-jis", "a\r\n\x82", textfile.ShiftJIS, 3, 2, "\x82"},
		{"a bad second byte in shift-jis", "\x82\x20", textfile.ShiftJIS, 0, 1, "\x82"},
		{"an empty code in shift-jis", "\x85\x9F", textfile.ShiftJIS, 0, 1, "\x85\x9F"},
		{"a byte that shift-jis lacks", "\xFD", textfile.ShiftJIS, 0, 1, "\xFD"},
		{"an empty code in euc-jp", "\xA9\xA1", textfile.EUCJP, 0, 1, "\xA9\xA1"},
		{"an empty code of three bytes", "\x8F\xA1\xA1", textfile.EUCJP, 0, 1, "\x8F\xA1\xA1"},
		{"a cut code of three bytes", "\x8F\xB0", textfile.EUCJP, 0, 1, "\x8F\xB0"},
		{"a broken code of three bytes", "\x8F\xB0a", textfile.EUCJP, 0, 1, "\x8F\xB0"},
		{"a single shift to nothing", "\x8E\xE0", textfile.EUCJP, 0, 1, "\x8E\xE0"},
		{"a lone byte in euc-jp", "\xA4a", textfile.EUCJP, 0, 1, "\xA4"},
		{"a byte that euc-jp lacks", "\x80", textfile.EUCJP, 0, 1, "\x80"},
		{"eight bits in iso-2022-jp", "a\x80", textfile.ISO2022JP, 1, 1, "\x80"},
		{"an unknown escape", "\x1b[0m", textfile.ISO2022JP, 0, 1, "\x1b"},
		{"half an escape", "a\x1b$", textfile.ISO2022JP, 1, 1, "\x1b$"},
		{"half a character in iso-2022-jp", "\x1b$B$", textfile.ISO2022JP, 3, 1, "$"},
		{"a line end inside a character", "\x1b$B!\n", textfile.ISO2022JP, 3, 1, "!"},
		{"an empty code in iso-2022-jp", "\x1b$B)!", textfile.ISO2022JP, 3, 1, ")!"},
		{"no katakana", "\x1b(I`", textfile.ISO2022JP, 3, 1, "`"},
		{"shift out", "\x0e1\x0f", textfile.ISO2022JP, 0, 1, "\x0e"},
	} {
		text, err := textfile.Decode([]byte(c.data), c.as)
		var bad *textfile.DecodeError
		if !errors.As(err, &bad) {
			t.Errorf("%s: read as %+v, %v", c.name, text, err)
			continue
		}
		if bad.Offset != c.offset || bad.Line != c.line || string(bad.Bytes) != c.bad || bad.Encoding != c.as {
			t.Errorf("%s: %+v; want % X at %d, line %d", c.name, bad, c.bad, c.offset, c.line)
		}
		if bad.ErrorCode() != "MALFORMED_TEXT" || bad.NextStep() == "" {
			t.Errorf("%s: code %q, next step %q", c.name, bad.ErrorCode(), bad.NextStep())
		}
	}
	_, err := textfile.Decode([]byte("ok\n\xE9t\xE9"), textfile.UTF8)
	if want := "byte 3 (line 2): E9 is not utf-8"; err == nil || err.Error() != want {
		t.Errorf("the message is %q; want %q", err, want)
	}
}

func TestText_Binary(t *testing.T) {
	t.Parallel()
	if _, err := textfile.Decode([]byte("\x7FELF\x02\x01\x00\x00\x00\x00"), textfile.Auto); !errors.Is(err, textfile.ErrBinary) {
		t.Errorf("decoding a program gave %v", err)
	}
	var teaches interface {
		ErrorCode() string
		NextStep() string
	}
	if _, err := textfile.Decode(nil, textfile.Binary); !errors.As(err, &teaches) ||
		teaches.ErrorCode() != "BINARY_FILE" || !strings.Contains(teaches.NextStep(), "binary") {
		t.Errorf("decoding as binary gave %v", err)
	}
	if _, err := textfile.Decode([]byte("text"), textfile.Binary); !errors.Is(err, textfile.ErrBinary) {
		t.Errorf("decoding as binary gave %v", err)
	}
	if _, err := textfile.Encode("text", textfile.Binary, false); !errors.Is(err, textfile.ErrBinary) {
		t.Errorf("encoding as binary gave %v", err)
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content string
		as      textfile.Encoding
		bom     bool
		want    string
	}{
		{"", textfile.UTF8, false, ""},
		{"a値", textfile.Auto, false, "a値"},
		{"a値", textfile.UTF8, true, "\xEF\xBB\xBFa値"},
		{"𠮷", textfile.UTF16LE, true, "\xFF\xFE\x42\xD8\xB7\xDF"},
		{"𠮷", textfile.UTF16BE, true, "\xFE\xFF\xD8\x42\xDF\xB7"},
		{"a", textfile.UTF16, true, "\xFF\xFEa\x00"},
		{"ソ\\～", textfile.ShiftJIS, true, "\x83\\\\\x81\x60"},
		{"鷗ｱ", textfile.EUCJP, false, "\x8F\xEC\xBF\x8E\xB1"},
		{"a語\nｱ亜b", textfile.ISO2022JP, false, "a\x1b$B8l\x1b(B\n\x1b(I1\x1b$B0!\x1b(Bb"},
		{"語", textfile.ISO2022JP, false, "\x1b$B8l\x1b(B"},
		{"naïve – €", textfile.Windows1252, false, "na\xEFve \x96 \x80"},
	} {
		got, err := textfile.Encode(c.content, c.as, c.bom)
		if err != nil || string(got) != c.want {
			t.Errorf("%q in %v is %q, %v; want %q", c.content, c.as, got, err, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content      string
		as           textfile.Encoding
		char         rune
		line, column int
		next         string
	}{
		{"一行\r\n二行𠮷", textfile.ShiftJIS, '𠮷', 2, 3, "utf-8"},
		{"ok 🍣", textfile.EUCJP, '🍣', 1, 4, "utf-8"},
		{"3〜5", textfile.ShiftJIS, '〜', 1, 2, "～"},
		{"3−5", textfile.EUCJP, '−', 1, 2, "－"},
		{"‖", textfile.ShiftJIS, '‖', 1, 1, "∥"},
		{"—", textfile.ISO2022JP, '—', 1, 1, "―"},
		{"¢", textfile.ShiftJIS, '¢', 1, 1, "￠"},
		{"£", textfile.ShiftJIS, '£', 1, 1, "￡"},
		{"¬", textfile.ShiftJIS, '¬', 1, 1, "￢"},
		{"¥", textfile.ShiftJIS, '¥', 1, 1, "￥"},
		{"‾", textfile.ShiftJIS, '‾', 1, 1, "￣"},
		{"a\r¦", textfile.ISO2022JP, '¦', 2, 1, "￤"},
		{"〜", textfile.Windows1252, '〜', 1, 1, "utf-8"},
		{"語鷗", textfile.ISO2022JP, '鷗', 1, 2, "utf-8"},
		{"a\x1b$B", textfile.ISO2022JP, '\x1b', 1, 2, "utf-8"},
		{"a\n\n\xFF", textfile.UTF8, '\uFFFD', 3, 1, "valid UTF-8"},
		{"a\xFF", textfile.UTF16LE, '\uFFFD', 1, 2, "utf-8"},
		{"\uFFFD", textfile.ShiftJIS, '\uFFFD', 1, 1, "utf-8"},
		{"é", textfile.ShiftJIS, 'é', 1, 1, "utf-8"},
	} {
		got, err := textfile.Encode(c.content, c.as, false)
		var bad *textfile.EncodeError
		if !errors.As(err, &bad) {
			t.Errorf("%q in %v is % X, %v", c.content, c.as, got, err)
			continue
		}
		if bad.Rune != c.char || bad.Line != c.line || bad.Column != c.column || bad.Encoding != c.as {
			t.Errorf("%q in %v: %+v; want %q at %d:%d", c.content, c.as, bad, c.char, c.line, c.column)
		}
		if bad.ErrorCode() != "UNENCODABLE_CHARACTER" || !strings.Contains(bad.NextStep(), c.next) {
			t.Errorf("%q in %v: code %q, next step %q", c.content, c.as, bad.ErrorCode(), bad.NextStep())
		}
	}
	_, err := textfile.Encode("値\n  x〜", textfile.ShiftJIS, false)
	if want := `line 2, column 4: "〜" (U+301C) cannot be written in shift-jis`; err == nil || err.Error() != want {
		t.Errorf("the message is %q; want %q", err, want)
	}
}

// Files that Encode would write otherwise are still read, and told.
func TestNotCanonical(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"a useless escape":            "a\x1b(Bb",
		"the escape of JIS C 6226":    "\x1b$@0!\x1b(B",
		"JIS X 0201 Roman":            "\x1b(Ja\\~",
		"not back to ASCII":           "\x1b$B0!",
		"JIS X 0212":                  "\x1b$(Dl?\x1b(B",
		"a line end outside of ASCII": "\x1b$B0!\r\na",
		"a space among kanji":         "\x1b$B0! 0!\x1b(B",
	} {
		text, err := textfile.Decode([]byte(data), textfile.ISO2022JP)
		if err != nil || text.Canonical() {
			t.Errorf("%s: %+v, %v", name, text, err)
			continue
		}
		if same, err := text.Update(text.Content); err != nil || string(same) != data {
			t.Errorf("%s: an empty edit made %q, %v of %q", name, same, err, data)
		}
	}
}
