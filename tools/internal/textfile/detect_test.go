package textfile_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// encode encodes sample text. Characters that the encoding lacks are left out, since all encodings share the samples.
func encode(t *testing.T, s string, e textfile.Encoding) []byte {
	t.Helper()
	data, err := textfile.Encode(s, e, false)
	if err == nil {
		return data
	}
	kept := strings.Map(func(r rune) rune {
		if _, err := textfile.Encode(string(r), e, false); err != nil {
			return -1
		}
		return r
	}, s)
	data, err = textfile.Encode(kept, e, false)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDetectJapanese(t *testing.T) {
	t.Parallel()
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP} {
		for _, s := range japaneseSamples {
			for _, text := range []string{s, "\t(" + s + ")\r\n", strings.Repeat(s+"\n", 50), "func main() {}\n" + s} {
				if got := textfile.Detect(encode(t, text, e)); got != e {
					t.Errorf("%q in %v is taken for %v", text, e, got)
				}
			}
		}
	}
}

func TestDetectWestern(t *testing.T) {
	t.Parallel()
	for _, s := range westernSamples {
		for _, text := range []string{s, s + "\n", "x = 1;\n\n" + s + "\n", strings.Repeat(s+"\r\n", 50)} {
			if got := textfile.Detect(encode(t, text, textfile.Windows1252)); got != textfile.Windows1252 {
				t.Errorf("%q in windows-1252 is taken for %v", text, got)
			}
			if got := textfile.Detect([]byte(text)); got != textfile.UTF8 {
				t.Errorf("%q in utf-8 is taken for %v", text, got)
			}
		}
	}
}

func TestDetect_UTF16(t *testing.T) {
	t.Parallel()
	for _, e := range []textfile.Encoding{textfile.UTF16LE, textfile.UTF16BE} {
		for _, s := range append(append([]string{"a", "package main\n"}, japaneseSamples...), westernSamples...) {
			text := s + "\r\n"
			if got := textfile.Detect(encode(t, text, e)); got != e {
				t.Errorf("%q in %v without a byte-order mark is taken for %v", text, e, got)
			}
			data, err := textfile.Encode(s, e, true)
			if err != nil {
				t.Fatal(err)
			}
			if got := textfile.Detect(data); got != e {
				t.Errorf("%q in %v with a byte-order mark is taken for %v", s, e, got)
			}
		}
	}
}

func TestDetect_OtherLanguagesNotJapanese(t *testing.T) {
	t.Parallel()
	for name, s := range foreignSamples {
		switch got := textfile.Detect([]byte(s)); got {
		case textfile.Binary, textfile.Windows1252:
		default:
			t.Errorf("%s is taken for %v", name, got)
		}
	}
}

func TestDetectBinary(t *testing.T) {
	t.Parallel()
	random := make([]byte, 4096)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	noZero := strings.ReplaceAll(string(random), "\x00", "\x01")
	for name, data := range map[string]string{
		"a program":                    "\x7FELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3E\x00",
		"a picture":                    "\x89PNG\r\n\x1A\n\x00\x00\x00\rIHDR\x00\x00\x00\x20",
		"a compressed file":            "\x1F\x8B\x08\x00\x12\x34\x56\x78\x00\x03",
		"a line with a zero":           "this is a line of text\x00 and another one\n",
		"names that zeros end":         "src/main.go\x00src/app/server.go\x00README.md\x00",
		"random bytes":                 string(random),
		"random bytes without zeros":   noZero,
		"controls":                     "\x01\x02\x03\x04abc",
		"controls and high bytes":      strings.Repeat("abcdefghi\xE9\x01 jkl mnop \x02", 20),
		"utf-32":                       "\xFF\xFE\x00\x00a\x00\x00\x00",
		"utf-32, big-endian":           "\x00\x00\xFE\xFF\x00\x00\x00a",
		"16-bit samples":               "\x00\x01\xFF\xFE\x03\x00\x00\x10\xFE\xFF\x00\x80",
		"a lone surrogate and letters": "a\x00b\x00\x00\xD8c\x00d\x00",
		"bytes of no encoding":         "\xFF\xFE\xFD"[1:] + "\xFF\xFF",
	} {
		if got := textfile.Detect([]byte(data)); got != textfile.Binary {
			t.Errorf("%s is taken for %v", name, got)
		}
	}
}

func TestDetect_ASCII(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"nothing":                     "",
		"a line":                      "plain text\n",
		"colours of a terminal":       "\x1b[31mred\x1b[0m\n",
		"the reset of tput":           "\x1b(B\x1b[mdone\n",
		"an escape to no characters":  "\x1b$B\x1b(B",
		"a form feed and a bell":      "a\fb\ac\b",
		"zeros far behind":            strings.Repeat("text ", 4000) + "\x00",
		"escapes and bytes of utf-8":  "\x1b$B値",
		"a mark and nothing":          "\xEF\xBB\xBF",
		"a mark in front of anything": "\xEF\xBB\xBF\xFF",
	} {
		if got := textfile.Detect([]byte(data)); got != textfile.UTF8 {
			t.Errorf("%s is taken for %v", name, got)
		}
	}
}

// A sample may end inside a character; a file may not.
func TestDetectSample(t *testing.T) {
	t.Parallel()
	text := "ログを保存する。サーバーの再起動は不要です。" + "設定を変更した場合は、必ず確認してください。\n"
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP} {
		data := encode(t, "// log\n"+text, e)
		for n := 15; n <= len(data); n++ {
			if got := textfile.DetectSample(data[:n]); got != e {
				t.Errorf("the first %d bytes in %v are taken for %v", n, e, got)
			}
		}
	}
	for _, e := range []textfile.Encoding{textfile.UTF16LE, textfile.UTF16BE} {
		data := encode(t, "// "+text, e)
		for n := 9; n <= len(data); n++ {
			if got := textfile.DetectSample(data[:n]); got != e {
				t.Errorf("the first %d bytes in %v are taken for %v", n, e, got)
			}
		}
	}
	kana := []byte("\xC3\xBD\xC4") // ﾃｽﾄ, or ý and half a character
	if got := textfile.Detect(kana); got != textfile.ShiftJIS {
		t.Errorf("a file of half-width katakana is taken for %v", got)
	}
}

// A malformed byte in a long text does not prevent the detection; decoding reports its position.
func TestDetect_DamagedText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("この行は壊れていない。\n", 20)
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP} {
		data := append(encode(t, text, e), 0xFF, '\n')
		if got := textfile.Detect(data); got != e {
			t.Errorf("a damaged file in %v is taken for %v", e, got)
		}
		if _, err := textfile.Decode(data, textfile.Auto); err == nil || !strings.Contains(err.Error(), "(line 21): FF is not "+e.String()) {
			t.Errorf("a damaged file in %v gave %v", e, err)
		}
	}
}

// The deciding characters may stand far behind the beginning, and may be more than the 64 KiB that Detect looks at.
func TestDetect_LongFiles(t *testing.T) {
	t.Parallel()
	ascii := strings.Repeat("an ordinary line of text\n", 4_000)
	sentences := strings.Repeat("長い文章を何度も繰り返す。\r\n", 4_000)
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP} {
		if got := textfile.Detect(encode(t, ascii+"最後の行\n", e)); got != e {
			t.Errorf("Japanese at the end in %v is taken for %v", e, got)
		}
		if got := textfile.Detect(encode(t, sentences, e)); got != e {
			t.Errorf("long Japanese in %v is taken for %v", e, got)
		}
	}
	if got := textfile.Detect(encode(t, ascii+"Größe\n", textfile.Windows1252)); got != textfile.Windows1252 {
		t.Errorf("German at the end is taken for %v", got)
	}
}

func BenchmarkDetect(b *testing.B) {
	for _, c := range []struct {
		name, line string
		encoding   textfile.Encoding
	}{
		{"ascii", "an ordinary line of a program\n", textfile.UTF8},
		{"utf-8", "日本語の行が続く。\n", textfile.UTF8},
		{"shift-jis", "日本語の行が続く。\n", textfile.ShiftJIS},
		{"euc-jp", "日本語の行が続く。\n", textfile.EUCJP},
	} {
		data, err := textfile.Encode(strings.Repeat(c.line, 20_000), c.encoding, false)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				textfile.Detect(data)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, e := range []textfile.Encoding{textfile.UTF8, textfile.UTF16LE, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP} {
		data, err := textfile.Encode(strings.Repeat("日本語と English の行が続く。\n", 20_000), e, false)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(e.String(), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := textfile.Decode(data, e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
