package textfile_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func FuzzUTF8(f *testing.F)        { fuzz(f, textfile.UTF8) }
func FuzzUTF16LE(f *testing.F)     { fuzz(f, textfile.UTF16LE) }
func FuzzUTF16BE(f *testing.F)     { fuzz(f, textfile.UTF16BE) }
func FuzzShiftJIS(f *testing.F)    { fuzz(f, textfile.ShiftJIS) }
func FuzzEUCJP(f *testing.F)       { fuzz(f, textfile.EUCJP) }
func FuzzISO2022JP(f *testing.F)   { fuzz(f, textfile.ISO2022JP) }
func FuzzWindows1252(f *testing.F) { fuzz(f, textfile.Windows1252) }

// FuzzAuto checks the same with the detected encoding.
func FuzzAuto(f *testing.F) { fuzz(f, textfile.Auto) }

// fuzz replaces a part of a file. Arbitrary bytes are either refused with their position, or read, ranged, streamed and edited
// without the loss of a byte.
func fuzz(f *testing.F, e textfile.Encoding) {
	for _, pieces := range pieces {
		var data string
		for _, piece := range pieces {
			data += piece[0]
		}
		f.Add([]byte(data), "x", uint16(3), uint16(9))
		f.Add([]byte("\xEF\xBB\xBF"+data+"\xFF"), "値\n", uint16(0), uint16(100))
	}
	f.Add([]byte("\xFF\xFEa\x00\x00\xD8"), "ｱ髙～", uint16(1), uint16(1))
	f.Add([]byte("\x1b$B0!\n\x1b$(Dl?\x1b(I1\x1b(J~"), "亜\n", uint16(2), uint16(4))
	f.Fuzz(func(t *testing.T, data []byte, text string, from, to uint16) {
		file, err := textfile.Decode(data, e)
		checkDecoder(t, data, e, file, err)
		if err != nil {
			checkDecodeError(t, data, err)
			return
		}
		if !utf8.ValidString(file.Content) || !bytes.Equal(file.Bytes(), data) {
			t.Fatalf("% X is read as %q", data, file.Content)
		}
		if same, err := file.Update(file.Content); err != nil || !bytes.Equal(same, data) {
			t.Fatalf("an empty edit made % X of % X, %v", same, data, err)
		}
		if again, err := textfile.Encode(file.Content, file.Encoding, file.BOM); file.Canonical() != (err == nil && bytes.Equal(again, data)) {
			t.Fatalf("% X is written as % X, %v, and canonical is %v", data, again, err, file.Canonical())
		}
		if all, err := readAll(data, file.Encoding, int64(from%50)+1+int64(len(data)/100)); err != nil || all != file.Content {
			t.Fatalf("% X in ranges is %q, %v; want %q", data, all, err, file.Content)
		}
		checkEdit(t, file, text, int(from), int(to))
	})
}

func checkDecodeError(t *testing.T, data []byte, err error) {
	t.Helper()
	if errors.Is(err, textfile.ErrBinary) {
		return
	}
	var bad *textfile.DecodeError
	if !errors.As(err, &bad) {
		t.Fatalf("% X gave %v", data, err)
	}
	if n := len(bad.Bytes); n == 0 || n > 4 || !bytes.HasPrefix(data[bad.Offset:], bad.Bytes) || bad.Line < 1 {
		t.Fatalf("% X gave %+v", data, bad)
	}
}

// checkDecoder compares a Decoder with Decode.
func checkDecoder(t *testing.T, data []byte, e textfile.Encoding, file *textfile.Text, want error) {
	t.Helper()
	got, err := io.ReadAll(textfile.NewDecoder(bytes.NewReader(data), e))
	if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
		t.Fatalf("% X streamed gave %v, at once %v", data, err, want)
	}
	if err == nil && string(got) != file.Content {
		t.Fatalf("% X streamed is %q, want %q", data, got, file.Content)
	}
}

func checkEdit(t *testing.T, file *textfile.Text, text string, from, to int) {
	t.Helper()
	runes := []rune(file.Content)
	from, to = min(from, len(runes)), min(to, len(runes))
	start, end := len(string(runes[:min(from, to)])), len(string(runes[:max(from, to)]))
	got, err := file.Replace(start, end, text)
	if err != nil {
		var bad *textfile.EncodeError
		if !errors.As(err, &bad) || bad.Line < 1 || bad.Column < 1 {
			t.Fatalf("replacing %d:%d of %q by %q gave %v", start, end, file.Content, text, err)
		}
		return
	}
	want := file.Content[:start] + text + file.Content[end:]
	again, err := textfile.Decode(got, file.Encoding)
	if err != nil {
		t.Fatalf("replacing %d:%d of % X by %q made % X: %v", start, end, file.Bytes(), text, got, err)
	}
	if read := again.Content; read != want && (file.BOM || "\uFEFF"+read != want) {
		t.Fatalf("replacing %d:%d of %q by %q made %q", start, end, file.Content, text, read)
	}
	if raw := file.Bytes(); len(raw) <= 100 {
		head, tail := raw[:rawOffset(file, start)], raw[rawOffset(file, end):]
		if !bytes.HasPrefix(got, head) || !bytes.HasSuffix(got, tail) {
			t.Fatalf("replacing %d:%d of % X by %q made % X", start, end, raw, text, got)
		}
	}
}

// rawOffset returns the offset in the file of an offset in the content: the end of the shortest beginning that decodes to the
// preceding content.
func rawOffset(file *textfile.Text, offset int) int {
	raw, from := file.Bytes(), 0
	if file.BOM {
		from = 2
		if file.Encoding == textfile.UTF8 {
			from = 3
		}
	}
	for n := from; n < len(raw); n++ {
		if text, err := textfile.Decode(raw[:n:n], file.Encoding); err == nil && text.Content == file.Content[:offset] {
			return n
		}
	}
	return len(raw)
}
